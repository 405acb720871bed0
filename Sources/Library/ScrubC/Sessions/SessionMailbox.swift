#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import Scrub
internal import ScrubBase

/// A session's newest update that has not been taken yet.
///
/// A newer update replaces it, so a slow program gets the current picture and not a queue. While there is an update,
/// the descriptor is readable. The callback runs when an update arrives after the last one was taken.
///
/// Memory: the update's picture, which counts as held.
///
/// Thread safety: safe from any thread; ``put(_:)`` never waits and calls no function of the program.
final class SessionMailbox: Sendable {
    /// What a session reports.
    enum News: Sendable {
        case update(ScrubSession.Update)
        /// The request with this number, for this frame, cannot be answered.
        case failure(request: Int, frame: Int, ScrubError)

        /// The number of the request that it answers.
        var request: Int {
            switch self {
            case .update(let update): update.request
            case .failure(let request, _, _): request
            }
        }
    }

    /// The result of taking.
    enum Taken: Sendable {
        /// An update, and how many updates it replaced.
        case news(News, skipped: Int)
        /// The time ran out, or ``wake()`` ended the wait.
        case nothing
        case closed
    }

    private struct State {
        var news: News?
        var skipped = 0
        /// The newest request that has had an update.
        var request = 0
        /// The waiting takers, and how often they were woken.
        var waiting = 0
        var wakeCount = 0
        /// Whether the next taker does not wait, because the wake came first.
        var isWoken = false
        var isClosed = false
        /// An eventfd; -1 before it is requested.
        var descriptor: Int32 = -1
    }

    private let bell = TimedBell(State())
    private let callback = SessionCallback()

    /// Stores an update for the next taker.
    func put(_ news: News) {
        let (replaced, isFirst): (News?, Bool) = bell.ring { state in
            // A failure may be decided before an update but arrive after it, when a newer request already has its
            // answer.
            guard !state.isClosed, news.request >= state.request else { return (news, false) }
            state.request = news.request
            let replaced = state.news
            if replaced == nil { SessionMailbox.raise(state.descriptor) } else { state.skipped += 1 }
            state.news = news
            return (replaced, replaced == nil)
        }
        // A picture is released outside the lock.
        withExtendedLifetime(replaced) {}
        if isFirst { callback.ring() }
    }

    /// Takes the update.
    ///
    /// - Parameter milliseconds: how long to wait for it; below 0 means no limit.
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

    /// Returns the descriptor that is readable while there is an update; it is closed with the mailbox.
    ///
    /// - Throws: `inputOutput` if the system has no descriptors left, `usage` if the mailbox is closed.
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
            throw .system("no file descriptor is available for the session", number)
        }
        return descriptor
    }

    /// Sets the function that is called when there is an update. Waits for a running call of the previous function,
    /// unless this is its thread.
    func set(_ function: SessionCallback.Function?) throws(ScrubError) {
        try callback.set(function)
        if bell.withLock({ $0.news != nil }) { callback.ring() }
    }

    /// Closes the mailbox: takers get ``Taken/closed``, the descriptor is closed, and the callback does not run again.
    func close() {
        let (news, descriptor): (News?, Int32) = bell.ring { state in
            defer { (state.news, state.isClosed, state.descriptor) = (nil, true, -1) }
            return (state.news, state.descriptor)
        }
        withExtendedLifetime(news) {}
        callback.close()
        // A polled copy of it becomes readable, so that its owner finds the session closed.
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
