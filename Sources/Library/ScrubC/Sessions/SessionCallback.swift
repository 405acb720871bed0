#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import ScrubBase
internal import ScrubMedia

/// A program's function that is called when there is an update, on a separate thread. It may call every function.
///
/// Thread safety: safe from any thread.
final class SessionCallback: Sendable {
    /// A function of the program and its context.
    ///
    /// `@unchecked Sendable`: only the callback's thread calls it.
    @safe struct Function: @unchecked Sendable {
        private let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
        private let context: UnsafeMutableRawPointer?

        init?(_ function: scrub_session_callback?, _ context: UnsafeMutableRawPointer?) {
            guard let function = unsafe function else { return nil }
            unsafe (self.function, self.context) = (function, context)
        }

        fileprivate func call() { unsafe function(context) }
    }

    private struct State {
        var function: Function?
        var isClosed = false
        /// Whether there was a ring since the last call.
        var isDue = false
        /// The thread that is running it.
        var runner: pthread_t?
    }

    /// Calls it.
    private final class Calls: StepwiseWork {
        private let bell: TimedBell<State>

        init(_ bell: TimedBell<State>) { self.bell = bell }

        func turn() -> StepOutcome {
            let function: Function? = bell.withLock { state in
                guard state.isDue, let function = state.function else { return nil }
                (state.isDue, state.runner) = (false, pthread_self())
                return function
            }
            if let function {
                function.call()
                bell.ring { $0.runner = nil }
            }
            return .rest(atMost: nil)
        }
    }

    private let bell: TimedBell<State>
    /// Exists from the first function to the end, so that a ring does not need a new thread.
    private let thread = StepWorkerThread(longestRest: nil)

    init() {
        bell = TimedBell(State())
        thread.give(Calls(bell))
    }

    /// Calls the function soon, once for all rings before that call.
    func ring() {
        let isWanted = bell.withLock { state in
            state.isDue = state.function != nil
            return state.isDue
        }
        if isWanted { thread.ring() }
    }

    /// Sets the function. The previous function is not called after this returns. On the function's own thread, this
    /// does not wait.
    ///
    /// - Throws: `inputOutput` if the system has no threads left.
    func set(_ function: Function?) throws(ScrubError) {
        let isClosed = bell.withLock { state in
            if !state.isClosed { (state.function, state.isDue) = (function, false) }
            return state.isClosed
        }
        waitForCall()
        guard function != nil, !isClosed else { return }
        do throws(ScrubError) { try thread.start() } catch {
            bell.withLock { $0.function = nil }
            throw error
        }
    }

    /// Ends the callback: the function is not called after this returns. On the function's own thread, this does not
    /// wait.
    func close() {
        bell.withLock { ($0.function, $0.isDue, $0.isClosed) = (nil, false, true) }
        waitForCall()
        thread.close(isIdle: true)
    }

    private func waitForCall() {
        bell.wait { state in
            guard let runner = state.runner, pthread_equal(runner, pthread_self()) == 0 else { return .done(()) }
            return .sleep(nil)
        }
    }
}
#endif
