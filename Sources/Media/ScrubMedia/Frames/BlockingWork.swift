/// This library's calls that take long, on threads of its own; they end with the task that waits for them.
///
/// Openings, conversions and single frames have threads beside these, so they never wait behind them.
package enum BlockingWork {
    /// The expected length of a call.
    package enum Length: Sendable {
        /// It looks at the index and at some pictures' headers, or decodes a picture or two.
        case brief
        /// It takes as long as decoding a film does.
        case long
    }

    /// Each has decoders and pictures of its own, so there is a limit. Further calls wait in order.
    private static let long = BlockingThreads(limit: 16)
    /// Brief calls never wait behind long ones.
    private static let brief = BlockingThreads(limit: 16)

    /// Runs something that blocks on a thread of the library's own, and waits for it without blocking.
    ///
    /// The work's thread has a cancellation (``Cancellation/current``) that is the task's: this library's calls on it
    /// end between two packets. Work that has not begun ends at once; work that never asks goes on to its end.
    ///
    /// - Throws: the error of `body`; `CancellationError` if the task was cancelled, whatever came of the work.
    package static func run<Result: Sendable>(
        _ length: Length = .brief,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let call = BlockingCall(body)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.wait(continuation) else { return }
                (length == .long ? long : brief).start {
                    call.run()
                } failing: {
                    call.fail($0)
                }
            }
        } onCancel: {
            call.cancel()
        }
    }
}

/// Work on its way to a thread, and the task that waits for it.
private final class BlockingCall<Value: Sendable>: Sendable {
    typealias Body = @Sendable () throws -> Value
    typealias Continuation = CheckedContinuation<Value, any Error>

    private enum State {
        case new(Body)
        case waiting(Body, Continuation)
        /// A thread has it, or it is over.
        case taken
    }

    private let state: Locked<State>
    private let cancellation = Cancellation()

    init(_ body: @escaping Body) { state = Locked(.new(body)) }

    /// Returns the task waits from now on.
    ///
    /// - Returns: false, and the task goes on, when it was cancelled before.
    func wait(_ continuation: Continuation) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .new(let body) = state else { return false }
            state = .waiting(body, continuation)
            return true
        }
        if !isWaiting { continuation.resume(throwing: CancellationError()) }
        return isWaiting
    }

    /// Does the work on this thread, unless it was cancelled before.
    func run() {
        guard let (body, continuation) = take() else { return }
        let result = Result { try cancellation.perform(body) }
        if cancellation.isCancelled {
            continuation.resume(throwing: CancellationError())
        } else {
            continuation.resume(with: result)
        }
    }

    /// Ends it: the system has no thread.
    func fail(_ error: ScrubError) { take()?.continuation.resume(throwing: error) }

    /// Ends it: at once where it has not begun.
    func cancel() {
        cancellation.cancel()
        take()?.continuation.resume(throwing: CancellationError())
    }

    /// Returns the work, for one taker only.
    private func take() -> (body: Body, continuation: Continuation)? {
        guard case .waiting(let body, let continuation) = state.exchange(\.self, for: .taken) else { return nil }
        return (body, continuation)
    }
}
