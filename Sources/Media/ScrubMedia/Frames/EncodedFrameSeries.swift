/// Frames at many positions as JPEG, PNG, WebP or AVIF files in memory, encoded on the threads that decode.
///
/// Made by ``FrameGenerator/encodedFrames(at:as:tolerance:order:options:quality:)``. Each iteration decodes again, from
/// its first `next()` on.
public struct EncodedFrameSeries: AsyncSequence, Sendable {
    let request: SeriesRequest
    let product: EncodedProduct

    /// Makes an iterator; nothing is decoded before its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(series: self) }

    /// Goes through the results. Used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let series: EncodedFrameSeries
        private var run: FrameSeriesRun<EncodedProduct>?

        init(series: EncodedFrameSeries) { self.series = series }

        /// Returns the next result; `nil` after the last.
        ///
        /// - Throws: `CancellationError` when the task was cancelled; ``ScrubError`` with `usage` for a quality that is
        ///   not in 1...100, `inputOutput` when the system has no thread left. The fault of one position is in its
        ///   result.
        public mutating func next() async throws -> EncodedFrameResult? {
            try Task.checkCancellation()
            let run = try self.run ?? FrameSeriesRun(series.request, series.product)
            self.run = run
            return try await run.next()
        }
    }
}

/// The result of one position of a series of files.
public struct EncodedFrameResult: Sendable, SeriesElement {
    /// The position's place in the series, from 0.
    public let place: Int
    /// The position.
    public let requested: FramePosition
    /// The file, or the error that prevented it.
    public let result: Result<EncodedFrame, ScrubError>

    /// The file.
    ///
    /// - Throws: the error that prevented it.
    public var encoded: EncodedFrame {
        get throws(ScrubError) { try result.get() }
    }
}

/// A frame as a file in memory, and how far it is the one asked for.
public struct EncodedFrame: Sendable {
    /// Which frame it is.
    public let frame: PresentedFrame
    /// The frame that was asked for: the same one, unless there was a tolerance.
    public let requestedFrame: PresentedFrame
    /// The time that was asked for, within the video.
    public let requestedTime: Rational
    /// The certainty of that.
    public let verdict: Verdict
    /// The file.
    public let file: EncodedPicture
    /// Coded pictures given to the decoder for this answer.
    public let decodedPictures: Int

    /// The time at which the frame comes on screen, in seconds after the first one.
    public var actualTime: Rational { frame.time }

    init(_ wish: SeriesWish, _ file: EncodedPicture, _ made: EncodedProduct.Made, _ asset: VideoAsset) {
        frame = asset.frames[wish.frame]
        requestedFrame = asset.frames[wish.requestedFrame]
        requestedTime = wish.time
        verdict = made.verdict.standing(for: wish.requestedFrame, by: wish.frame)
        (self.file, decodedPictures) = (file, made.decodedPictures)
    }
}
