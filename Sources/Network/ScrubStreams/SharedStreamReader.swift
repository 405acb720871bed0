internal import ScrubBase
internal import ScrubMedia

/// The reader that the asynchronous calls of one presentation share.
///
/// The calls are answered one after another, on a thread that exists only while there are calls. A call that waits for
/// its turn ends at once when it is cancelled. A cancelled call that is running ends its own read, and what the reader
/// has found stays.
///
/// `@unchecked Sendable`: one thread at a time uses the index, because ``threads`` has only one.
final class SharedStreamReader: @unchecked Sendable {
    /// What is known about the presentation after a call.
    struct Known: Sendable {
        /// The number of frames; `nil` if a segment has not been counted.
        let frameCount: Int?
        let segmentCount: Int
        /// The sum of the playlist's durations, in seconds.
        let duration: Rational
        let isComplete: Bool

        init(_ index: StreamIndex) {
            (frameCount, segmentCount) = (index.total, index.timeline.segments.count)
            (duration, isComplete) = (index.timeline.duration, index.timeline.isComplete)
        }
    }

    private let threads = BlockingThreads(limit: 1)
    /// The index; `nil` before the first call, and during a call.
    private var index: StreamIndex?
    private let latest = Locked<Known?>(nil)

    /// What was known after the last call; `nil` before the first one.
    var known: Known? { latest.withLock { $0 } }

    /// Runs a call on the reader, and waits for it without blocking.
    ///
    /// - Parameter keepsResult: whether the result of a call that was cancelled too late to stop is returned.
    /// - Throws: the error of `body`; `CancellationError` if the task was cancelled.
    func run<Result: Sendable>(
        of video: HLSVideo, keepsResult: Bool = false,
        _ body: @escaping @Sendable (inout HLSVideo.Reader) throws(ScrubError) -> Result
    ) async throws -> Result {
        try await BlockingWork.run(on: threads, keepsResult: keepsResult) { [self] in
            // No other copy is kept in the meantime, so that its tables are not copied.
            var reader = HLSVideo.Reader(video, index: index.take() ?? video.newIndex())
            do {
                let result = try body(&reader)
                keep(reader.index)
                return result
            } catch {
                keep(reader.index)
                throw error
            }
        }
    }

    private func keep(_ index: StreamIndex) {
        self.index = index
        latest.withLock { $0 = Known(index) }
    }
}
