internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubPictures

struct SeriesRequest: Sendable {
    let asset: VideoAsset
    let positions: @Sendable () -> AnyIterator<FramePosition>
    let tolerance: FrameTolerance
    let order: FrameSeries.Order
    let options: FrameReader.Options
    let resources: PlaybackResources?
}

/// A position of a series, with its frame.
struct SeriesPosition: Sendable {
    let place: Int
    let position: FramePosition
    /// The frame on screen at ``time``.
    let requestedFrame: Int
    let frame: Int
    let time: Rational
}

/// The result of one position of a series.
protocol SeriesElement: Sendable {
    /// The index of the position in the series, from 0.
    var place: Int { get }

    /// Returns the result as handed out, with its picture counted as held by the caller.
    func handedOut(by loans: HeldPictures?) -> Self
}

extension SeriesElement {
    func handedOut(by loans: HeldPictures?) -> Self { self }
}

/// The conversion of the frames that a series decodes.
protocol SeriesOutput: Sendable {
    associatedtype Made: Sendable
    associatedtype Element: SeriesElement

    /// Whether the conversion takes as long as decoding, so that it should run on several threads.
    var isCostly: Bool { get }

    /// Throws an error if the whole series is impossible.
    func check() throws(ScrubError)

    /// Converts a frame, once for all positions that need it, on a decoding thread.
    func make(_ answer: FrameEngine.Answer) -> Made

    /// Returns the result for a position whose frame was decoded or failed.
    func element(_ wish: SeriesPosition, _ made: Result<Made, ScrubError>, of asset: VideoAsset) -> Element

    /// Returns the result for a position that does not name a frame.
    func failure(_ place: Int, _ position: FramePosition, _ error: ScrubError) -> Element
}

/// A product that delivers the pictures themselves.
struct PictureProduct: SeriesOutput {
    var isCostly: Bool { false }

    func check() throws(ScrubError) {}

    func make(_ answer: FrameEngine.Answer) -> FrameEngine.Answer { answer }

    func element(
        _ wish: SeriesPosition, _ made: Result<FrameEngine.Answer, ScrubError>, of asset: VideoAsset
    ) -> FrameResult {
        let answer = made.map {
            FrameAnswer(wish.frame, $0, asset, requestedFrame: wish.requestedFrame, requestedTime: wish.time)
        }
        return FrameResult(place: wish.place, requested: wish.position, result: answer)
    }

    func failure(_ place: Int, _ position: FramePosition, _ error: ScrubError) -> FrameResult {
        FrameResult(place: place, requested: position, result: .failure(error))
    }
}

/// A product that delivers encoded files in memory.
struct EncodedProduct: SeriesOutput {
    /// A frame's file, with its distance from the requested frame.
    struct Made: Sendable {
        let verdict: Verdict
        let decodedPictures: Int
        let file: Result<EncodedPicture, ScrubError>
    }

    let asset: VideoAsset
    let format: ImageFormat
    let options: FramePicture.Options
    let quality: Int

    var isCostly: Bool { true }

    func check() throws(ScrubError) { try ImageFormat.check(quality: quality) }

    func make(_ answer: FrameEngine.Answer) -> Made {
        let file = Result { () throws(ScrubError) -> EncodedPicture in
            guard let frame = answer.frame else {
                throw ScrubError(
                    .badData, "the frame cannot be decoded: \(answer.verdict.wording ?? Wording(answer.verdict.name))")
            }
            // The decoding threads encode files in parallel.
            return try FramePicture(frame, asset: asset).encoded(
                as: format, options: options, quality: quality, threads: 1)
        }
        return Made(verdict: answer.verdict, decodedPictures: answer.decoded, file: file)
    }

    func element(_ wish: SeriesPosition, _ made: Result<Made, ScrubError>, of asset: VideoAsset) -> EncodedFrameResult {
        let result = made.flatMap { made in
            made.file.map { EncodedFrame(wish, $0, made, asset) }
                .mapError { (error) -> ScrubError in
                    var error = error.inFile(asset.path)
                    error.place = error.place ?? .frame(wish.frame)
                    return error
                }
        }
        return EncodedFrameResult(place: wish.place, requested: wish.position, result: result)
    }

    func failure(_ place: Int, _ position: FramePosition, _ error: ScrubError) -> EncodedFrameResult {
        EncodedFrameResult(place: place, requested: position, result: .failure(error))
    }
}
