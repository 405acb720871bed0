/// A thread that makes the values of an asynchronous sequence. It waits while the reader has not taken them.
///
/// The work ends with the last reference, and when the reader's task is cancelled. Its thread's cancellation
/// (``Cancellation/current``) then ends the library's calls on it between two packets.
///
/// The thread is separate, and not one of the limited number for long calls: a slow reader must not keep those waiting.
///
/// Thread safety: one task at a time takes values. Memory: `ahead` values that wait, and one that finds no room.
package final class BlockingProducer<Element: Sendable>: Sendable {
    /// Hands over a value. It waits until there is room, and throws ``ScrubError/cancelled`` once the reader has left.
    package typealias Deliver = (Element) throws(ScrubError) -> Void

    private let results: BoundedAsyncQueue<Result<Element, ScrubError>>
    private let cancellation: Cancellation

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - ahead: the maximum number of values that wait for the reader, 1 or more.
    ///   - produce: makes the values. An error that it throws follows the values.
    /// - Throws: `inputOutput` if the system cannot create a thread.
    package init(
        ahead: Int, _ produce: @escaping @Sendable (Deliver) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let results = BoundedAsyncQueue<Result<Element, ScrubError>>(capacity: ahead)
        let cancellation = Cancellation()
        (self.results, self.cancellation) = (results, cancellation)
        try DedicatedThread {
            cancellation.perform {
                do throws(ScrubError) {
                    try produce { (value) throws(ScrubError) in
                        guard results.push(.success(value)) else { throw .cancelled }
                    }
                } catch {
                    // It has no effect once the reader has left, which is why the work was cancelled.
                    results.push(.failure(error))
                }
            }
            results.finish()
        }.detach()
    }

    deinit { leave() }

    /// Records that no further values will be taken.
    private func leave() {
        results.leave()
        cancellation.cancel()
    }

    /// Takes the next value, suspending until it is made. Returns `nil` after the last one.
    ///
    /// - Throws: the error of the work, after which no values follow; `CancellationError` if the task was cancelled.
    package func next() async throws -> Element? {
        let result = await withTaskCancellationHandler {
            await results.next()
        } onCancel: {
            leave()
        }
        guard let result else {
            try Task.checkCancellation()
            return nil
        }
        return try result.get()
    }
}
