#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import Scrub
internal import ScrubBase

/// The newest update of a session that was not taken yet.
///
/// A newer one replaces it, so a slow program gets the present and no queue. While there is one, the descriptor is
/// readable. The callback runs when one comes after the last was taken.
///
/// Memory: the update's picture, which counts as held.
///
/// Thread safety: safe from any thread; ``put(_:)`` never waits and calls no function of the program.
final class SessionMailbox: Sendable {
    /// What a session says.
    enum News: Sendable {
        case update(ScrubSession.Update)
        /// The request of a number for a frame cannot be answered.
        case failure(request: Int, frame: Int, ScrubError)

        /// The number of the request that it is about.
        var request: Int {
            switch self {
            case .update(let update): update.request
            case .failure(let request, _, _): request
            }
        }
    }

    /// What a taker gets.
    enum Taken: Sendable {
        /// News, and how many updates it replaced.
        case news(News, skipped: Int)
        /// The time was over, or ``wake()`` ended the wait.
        case nothing
        case closed
    }

    private struct State {
        var news: News?
        var skipped = 0
        /// The newest request that there was news about.
        var request = 0
        /// Takers that wait, and how often they were told to go on.
        var waiting = 0
        var wakeCount = 0
        /// Whether the next taker does not wait: it was woken before it began to.
        var isWoken = false
        var isClosed = false
        /// An eventfd; -1 before it was asked for.
        var descriptor: Int32 = -1
    }

    private let bell = TimedBell(State())
    private let callback = SessionCallback()

    /// Stores news for the next taker.
    func put(_ news: News) {
        let (replaced, isFirst): (News?, Bool) = bell.ring { state in
            // A failure is decided on before an update and may come after it; a newer request has its answer by then.
            guard !state.isClosed, news.request >= state.request else { return (news, false) }
            state.request = news.request
            let replaced = state.news
            if replaced == nil { SessionMailbox.raise(state.descriptor) } else { state.skipped += 1 }
            state.news = news
            return (replaced, replaced == nil)
        }
        // A picture is released outside of the lock.
        withExtendedLifetime(replaced) {}
        if isFirst { callback.ring() }
    }

    /// Takes the news.
    ///
    /// - Parameter milliseconds: how long it waits for them; below 0 without a limit.
    func take(waiting milliseconds: Int32) -> Taken {
        let limit = CallLimit(milliseconds: milliseconds)
        var wakeCount: Int?
        return bell.wait { state in
            if let seen = wakeCount {
                state.waiting -= 1
                if state.wakeCount != seen, state.news == nil, !state.isClosed { return .done(.nothing) }
            }
            if state.isClosed { return .done(.closed) }
            if let news = state.news {
                let skipped = state.skipped
                (state.news, state.skipped) = (nil, 0)
                SessionMailbox.lower(state.descriptor)
                return .done(.news(news, skipped: skipped))
            }
            if milliseconds == 0 { return .done(.nothing) }
            if wakeCount == nil, state.isWoken {
                state.isWoken = false
                return .done(.nothing)
            }
            let left = limit.left
            if let left, left <= 0 { return .done(.nothing) }
            wakeCount = state.wakeCount
            state.waiting += 1
            return .sleep(left)
        }
    }

    /// Ends the waits of all takers. If none waits, the next one does not.
    func wake() {
        bell.ring { state in
            state.wakeCount &+= 1
            if state.waiting == 0 { state.isWoken = true }
        }
    }

    /// Returns the descriptor that is readable while there are news; it is closed with the mailbox.
    ///
    /// - Throws: `inputOutput` when the system has no descriptor left, `usage` when the mailbox is closed.
    func descriptor() throws(ScrubError) -> Int32 {
        let (descriptor, number): (Int32, Int32) = bell.withLock { state in
            guard !state.isClosed, state.descriptor < 0 else { return (state.descriptor, EBADF) }
            state.descriptor = event_descriptor_open()
            let number = errno
            if state.descriptor >= 0, state.news != nil { SessionMailbox.raise(state.descriptor) }
            return (state.descriptor, number)
        }
        guard descriptor >= 0 else {
            if number == EBADF { throw ScrubError(.usage, "the session is closed", advice: "open another one") }
            throw .system("no descriptor for the session", number)
        }
        return descriptor
    }

    /// Sets the function that is called when there are news. Waits for a call of the one before, unless this is its
    /// thread.
    func set(_ function: SessionCallback.Function?) throws(ScrubError) {
        try callback.set(function)
        if bell.withLock({ $0.news != nil }) { callback.ring() }
    }

    /// Ends it: takers get ``Taken/closed``, the descriptor is closed, and the callback does not run again.
    func close() {
        let (news, descriptor): (News?, Int32) = bell.ring { state in
            defer { (state.news, state.isClosed, state.descriptor) = (nil, true, -1) }
            return (state.news, state.descriptor)
        }
        withExtendedLifetime(news) {}
        callback.close()
        // A copy of it that someone polls becomes readable: its owner finds the session closed.
        SessionMailbox.raise(descriptor)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private static func raise(_ descriptor: Int32) {
        if descriptor >= 0 { event_descriptor_raise(descriptor) }
    }

    private static func lower(_ descriptor: Int32) {
        if descriptor >= 0 { event_descriptor_lower(descriptor) }
    }
}
#endif
