/// Frames at many positions, one result for each, as they are decoded.
///
/// Made by ``FrameGenerator/frames(at:tolerance:order:)``. Each iteration decodes again, from its first `next()` on.
public struct FrameSeries: AsyncSequence, Sendable {
    /// The order in which results come.
    public enum Order: Hashable, Sendable {
        /// As the positions were given.
        ///
        /// Each group of pictures is decoded once when times do not run backwards. If they jump about, a group is
        /// decoded again whenever the series comes back to it: sort the positions first, or take ``asDecoded``.
        case asRequested
        /// As soon as each is decoded: sooner, and with each group of pictures decoded once, whatever order the
        /// positions have. ``FrameResult/place`` tells which one it is.
        ///
        /// Up to ``FrameSeries/lookAheadLimit`` positions are taken before the first frame is decoded. Of more, each
        /// so many are decoded by themselves.
        case asDecoded
    }

    /// The most frames that are decoded ahead of the consumer; fewer where they are so large that they would not fit in
    /// ``FrameReader/Options/cacheByteLimit``.
    public static let windowLimit = 32
    /// The most positions that are sorted into groups of pictures at a time, in a series with ``Order/asDecoded``.
    public static let lookAheadLimit = 16_384
    /// The most pictures of a series with ``PlaybackResources`` that wait for their consumer.
    public static let waitingLimit = 3

    let request: SeriesRequest

    /// Makes an iterator; nothing is decoded before its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(series: self) }

    /// Goes through the results. Used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let series: FrameSeries
        private var run: FrameSeriesRun<PictureProduct>?

        init(series: FrameSeries) { self.series = series }

        /// Returns the next result; `nil` after the last.
        ///
        /// - Throws: `CancellationError` when the task was cancelled, ``ScrubError`` with `inputOutput` when the system
        ///   has no thread left, and with `unavailable` when ``PlaybackResources`` have no room for a series. A failure
        ///   at one position is in its result.
        public mutating func next() async throws -> FrameResult? {
            try Task.checkCancellation()
            let run = try self.run ?? FrameSeriesRun(series.request, PictureProduct())
            self.run = run
            return try await run.next()
        }
    }
}

/// The result for one position of a series.
public struct FrameResult: Sendable, SeriesElement {
    /// The position's place in the series, from 0.
    public let place: Int
    /// The position.
    public let requested: FramePosition
    /// The frame, or the error that prevented it.
    public let result: Result<FrameAnswer, ScrubError>

    /// The frame.
    ///
    /// - Throws: the error that prevented it.
    public var answer: FrameAnswer {
        get throws(ScrubError) { try result.get() }
    }

    func handedOut(by loans: PictureLoans?) -> FrameResult {
        guard loans != nil else { return self }
        let result = result.flatMap { answer in
            Result { () throws(ScrubError) in try answer.handedOut(by: loans) }
        }
        return FrameResult(place: place, requested: requested, result: result)
    }
}
