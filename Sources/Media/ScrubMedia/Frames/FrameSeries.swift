/// Frames at many positions, one result for each, as they are decoded.
///
/// Made by ``FrameGenerator/frames(at:tolerance:order:)``. Each iteration decodes again, from its first `next()` on.
public struct FrameSeries: AsyncSequence, Sendable {
    /// The order in which results come.
    public enum Order: Hashable, Sendable {
        /// As the positions were given.
        case asRequested
        /// As soon as each is decoded: sooner, and with less decoding where positions jump about. ``FrameResult/place``
        /// tells which one it is.
        case asDecoded
    }

    /// The most frames that are decoded ahead of the consumer; fewer where they are so large that they would not fit in
    /// ``ReaderOptions/cacheByteLimit``.
    public static let windowLimit = 32

    let asset: VideoAsset
    let positions: @Sendable () -> AnyIterator<Position>
    let tolerance: FrameTolerance
    let order: Order
    let options: ReaderOptions

    /// Makes an iterator; nothing is decoded before its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(series: self) }

    /// Goes through the results. Used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let series: FrameSeries
        private var run: FrameSeriesRun?

        init(series: FrameSeries) { self.series = series }

        /// The next result; `nil` after the last.
        ///
        /// - Throws: `CancellationError` when the task was cancelled, ``ScrubError`` with `inputOutput` when the system
        ///   has no thread left. What goes wrong with one position is in its result.
        public mutating func next() async throws -> FrameResult? {
            try Task.checkCancellation()
            let run = try self.run ?? FrameSeriesRun(series)
            self.run = run
            let result = await withTaskCancellationHandler {
                await run.results.next()
            } onCancel: {
                run.results.leave()
            }
            if result == nil { try Task.checkCancellation() }
            return result
        }
    }
}

/// What came of one position of a series.
public struct FrameResult: Sendable {
    /// The position's place in the series, from 0.
    public let place: Int
    /// The position.
    public let requested: Position
    /// The frame, or the error that prevented it.
    public let result: Result<FrameAnswer, ScrubError>

    /// The frame.
    ///
    /// - Throws: the error that prevented it.
    public var answer: FrameAnswer {
        get throws(ScrubError) { try result.get() }
    }
}
