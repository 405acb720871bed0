/// A sequence of frames at many positions, with one result per position, delivered as the frames are decoded.
///
/// Returned by ``FrameGenerator/frames(at:tolerance:order:)``. Each iteration decodes again, starting with its first
/// `next()`.
public struct FrameSeries: AsyncSequence, Sendable {
    /// The order of the results.
    public enum Order: Hashable, Sendable {
        /// The order of the positions.
        ///
        /// Each group of pictures is decoded once if the times never go backward. If the times jump around, a group is
        /// decoded again whenever the series returns to it. In that case, sort the positions first, or use
        /// ``asDecoded``.
        case asRequested
        /// Each result as soon as it is decoded. Results arrive sooner, and each group of pictures is decoded once,
        /// whatever the order of the positions. ``FrameResult/place`` identifies the position.
        ///
        /// Up to ``FrameSeries/lookAheadLimit`` positions are read before the first frame is decoded. A longer series
        /// is decoded in batches of that size.
        case asDecoded
    }

    /// The maximum number of frames that are decoded ahead of the consumer. It is smaller if the frames would not fit
    /// in ``FrameReader/Options/cacheByteLimit``.
    public static let windowLimit = 32
    /// The maximum number of positions that are sorted into groups of pictures at a time, in a series with
    /// ``Order/asDecoded``.
    public static let lookAheadLimit = 16_384
    /// The maximum number of pictures that wait for the consumer in a series with ``PlaybackResources``.
    public static let waitingLimit = 3

    let request: SeriesRequest

    /// Creates an iterator. Decoding starts with its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(series: self) }

    /// An iterator over the results. Only one task may use it at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let series: FrameSeries
        private var run: FrameSeriesRun<PictureProduct>?

        init(series: FrameSeries) { self.series = series }

        /// Returns the next result, or `nil` after the last one.
        ///
        /// - Throws: `CancellationError` if the task was cancelled; ``ScrubError`` with `inputOutput` if the system
        ///   cannot create a thread, or `unavailable` if the ``PlaybackResources`` have no room for a series. An error
        ///   at a single position is in its result.
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
    /// The index of the position in the series, from 0.
    public let place: Int
    /// The requested position.
    public let requested: FramePosition
    /// The frame, or the error that prevented decoding.
    public let result: Result<FrameAnswer, ScrubError>

    /// The frame.
    ///
    /// - Throws: the error that prevented decoding.
    public var answer: FrameAnswer {
        get throws(ScrubError) { try result.get() }
    }

    func handedOut(by loans: HeldPictures?) -> FrameResult {
        guard loans != nil else { return self }
        let result = result.flatMap { answer in
            Result { () throws(ScrubError) in try answer.handedOut(by: loans) }
        }
        return FrameResult(place: place, requested: requested, result: result)
    }
}
