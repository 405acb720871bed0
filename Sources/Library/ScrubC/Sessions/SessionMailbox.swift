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
        /// How often waiting takers were told to go on.
        var wakeCount = 0
        var isClosed = false
        /// An eventfd; -1 before it was asked for.
        var descriptor: Int32 = -1
    }

    private let bell = TimedBell(State())
    private let callback = SessionCallback()

    /// Stores news for the next taker.
    func put(_ news: News) {
        let (replaced, isFirst): (News?, Bool) = bell.ring { state in
            guard !state.isClosed else { return (news, false) }
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
        let clock = ContinuousClock()
        let deadline = milliseconds > 0 ? clock.now + .milliseconds(Int(milliseconds)) : nil
        let wakeCount = bell.withLock { $0.wakeCount }
        return bell.wait { state in
            if state.isClosed { return .done(.closed) }
            if let news = state.news {
                let skipped = state.skipped
                (state.news, state.skipped) = (nil, 0)
                SessionMailbox.lower(state.descriptor)
                return .done(.news(news, skipped: skipped))
            }
            if milliseconds == 0 || state.wakeCount != wakeCount { return .done(.nothing) }
            guard let deadline else { return .sleep(nil) }
            let left = (deadline - clock.now).wholeNanoseconds
            return left > 0 ? .sleep(left) : .done(.nothing)
        }
    }

    /// Ends the waits of all takers.
    func wake() { bell.ring { $0.wakeCount &+= 1 } }

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
            var error = ScrubError(
                .inputOutput, unsafe "no descriptor for the session: \(String(cString: strerror(number)))")
            error.systemError = .errno(number)
            throw error
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
