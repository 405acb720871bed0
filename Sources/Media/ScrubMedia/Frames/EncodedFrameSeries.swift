/// A sequence of frames, encoded in memory as JPEG, PNG, WebP or AVIF on the decoding threads.
///
/// Returned by ``FrameGenerator/encodedFrames(at:as:tolerance:order:options:quality:)``. Each iteration decodes again,
/// starting with its first `next()`.
public struct EncodedFrameSeries: AsyncSequence, Sendable {
    let request: SeriesRequest
    let product: EncodedProduct

    /// Creates an iterator. Decoding starts with its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(series: self) }

    /// An iterator over the results. Only one task may use it at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let series: EncodedFrameSeries
        private var run: FrameSeriesRun<EncodedProduct>?

        init(series: EncodedFrameSeries) { self.series = series }

        /// Returns the next result, or `nil` after the last one.
        ///
        /// - Throws: `CancellationError` if the task was cancelled; ``ScrubError`` with `usage` for a quality outside
        ///   1...100, or `inputOutput` if the system cannot create a thread. An error at a single position is in its
        ///   result.
        public mutating func next() async throws -> EncodedFrameResult? {
            try Task.checkCancellation()
            let run = try self.run ?? FrameSeriesRun(series.request, series.product)
            self.run = run
            return try await run.next()
        }
    }
}

/// The result for one position of a series of encoded frames.
public struct EncodedFrameResult: Sendable, SeriesElement {
    /// The index of the position in the series, from 0.
    public let place: Int
    /// The requested position.
    public let requested: FramePosition
    /// The encoded frame, or the error that prevented encoding.
    public let result: Result<EncodedFrame, ScrubError>

    /// The encoded frame.
    ///
    /// - Throws: the error that prevented encoding.
    public var encoded: EncodedFrame {
        get throws(ScrubError) { try result.get() }
    }
}

/// An encoded frame in memory, and its relation to the requested frame.
public struct EncodedFrame: Sendable {
    /// The frame in the file.
    public let frame: PresentedFrame
    /// The requested frame. It is equal to ``frame`` unless a tolerance was given.
    public let requestedFrame: PresentedFrame
    /// The requested time, clamped to the video.
    public let requestedTime: Rational
    /// The certainty of the answer.
    public let verdict: Verdict
    /// The encoded file.
    public let file: EncodedPicture
    /// The number of coded pictures given to the decoder for this answer.
    public let decodedPictures: Int

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var actualTime: Rational { frame.time }

    init(_ wish: SeriesPosition, _ file: EncodedPicture, _ made: EncodedProduct.Made, _ asset: VideoAsset) {
        frame = asset.frames[wish.frame]
        requestedFrame = asset.frames[wish.requestedFrame]
        requestedTime = wish.time
        verdict = made.verdict.standing(for: wish.requestedFrame, by: wish.frame)
        (self.file, decodedPictures) = (file, made.decodedPictures)
    }
}
