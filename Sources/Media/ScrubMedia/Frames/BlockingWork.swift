/// For this library's calls that block, from asynchronous code: thumbnail sets, posters, scenes, proofs.
///
/// ```swift
/// let report = try await BlockingWork.run { isCancelled in
///     try video.writeStrip(into: "strip", options: options, isCancelled: isCancelled)
/// }
/// ```
public enum BlockingWork {
    private static let threads = BlockingThreads(limit: 16)

    /// Runs something that blocks on a thread of the library's own, and waits for it without blocking.
    ///
    /// At most 16 pieces of work run at a time; what comes beyond waits in order. This library's calls on the work's
    /// own thread end between two packets when the task is cancelled, and make room for others.
    ///
    /// - Parameter body: `isCancelled` says, at any time and on any thread, whether the task was cancelled: hand it on
    ///   to calls that ask, and on other threads. Work of your own that never asks goes on to its end.
    /// - Throws: what `body` throws; `CancellationError` when the task was cancelled, whatever came of the work.
    public static func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let isCancelled = Locked(false)
        let result = await withTaskCancellationHandler {
            do {
                return Swift.Result<Result, any Error>.success(
                    try await threads.run {
                        let ask: @Sendable () -> Bool = { isCancelled.withLock { $0 } }
                        return try WorkCancellation.withValue(ask) { try body(ask) }
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        guard !isCancelled.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}
