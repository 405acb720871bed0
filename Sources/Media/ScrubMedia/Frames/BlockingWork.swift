/// The library's long-running calls, on its own threads. They stop if the waiting task is cancelled.
///
/// Openings, conversions and single frames have separate threads, so they never wait behind these calls.
package enum BlockingWork {
    /// The expected length of a call.
    package enum Length: Sendable {
        /// The call reads the index and some picture headers, or decodes one or two pictures.
        case brief
        /// The call takes as long as decoding a video.
        case long
    }

    /// Each call has its own decoders and pictures, so the number of threads is limited. Further calls wait in order.
    private static let long = BlockingThreads(limit: 16)
    /// Brief calls never wait behind long ones.
    private static let brief = BlockingThreads(limit: 16)

    /// Runs a blocking closure on one of the library's own threads, and waits for it without blocking.
    ///
    /// The thread's cancellation (``Cancellation/current``) follows the task's, so the library's calls on the thread
    /// stop between two packets. Work that has not started ends at once. Work that never checks runs to its end.
    ///
    /// - Throws: the error of `body`; `CancellationError` if the task was cancelled, whatever the work's result.
    package static func run<Result: Sendable>(
        _ length: Length = .brief,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await run(on: length == .long ? long : brief, body)
    }

    /// Runs a blocking closure like ``run(_:_:)``, on the given threads.
    ///
    /// - Parameters:
    ///   - threads: the threads, such as a single one for calls that must not overlap.
    ///   - keepsResult: whether a result is returned even if the task was cancelled in the meantime, because the work
    ///     does not produce it again.
    package static func run<Result: Sendable>(
        on threads: BlockingThreads, keepsResult: Bool = false, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let call = BlockingCall(keepsResult: keepsResult, body)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.wait(continuation) else { return }
                threads.start {
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

/// A unit of work that is passed to a thread, with the task that is waiting for it.
private final class BlockingCall<Value: Sendable>: Sendable {
    typealias Body = @Sendable () throws -> Value
    typealias Continuation = CheckedContinuation<Value, any Error>

    private enum State {
        case new(Body)
        case waiting(Body, Continuation)
        /// A thread has taken the work, or the work has ended.
        case taken
    }

    private let state: Locked<State>
    private let cancellation = Cancellation()
    private let keepsResult: Bool

    init(keepsResult: Bool, _ body: @escaping Body) {
        self.keepsResult = keepsResult
        state = Locked(.new(body))
    }

    /// Registers the waiting task.
    ///
    /// - Returns: false if the call was already cancelled; the task then continues.
    func wait(_ continuation: Continuation) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .new(let body) = state else { return false }
            state = .waiting(body, continuation)
            return true
        }
        if !isWaiting { continuation.resume(throwing: CancellationError()) }
        return isWaiting
    }

    /// Does the work on this thread, unless it was cancelled.
    func run() {
        guard let (body, continuation) = take() else { return }
        let result = Result { try cancellation.perform(body) }
        if case .success = result, keepsResult { return continuation.resume(with: result) }
        if cancellation.isCancelled {
            continuation.resume(throwing: CancellationError())
        } else {
            continuation.resume(with: result)
        }
    }

    /// Ends the call because the system has no thread.
    func fail(_ error: ScrubError) { take()?.continuation.resume(throwing: error) }

    /// Cancels the call: at once if the work has not started.
    func cancel() {
        cancellation.cancel()
        take()?.continuation.resume(throwing: CancellationError())
    }

    /// Returns the work, but only to the first caller.
    private func take() -> (body: Body, continuation: Continuation)? {
        guard case .waiting(let body, let continuation) = state.exchange(\.self, for: .taken) else { return nil }
        return (body, continuation)
    }
}
