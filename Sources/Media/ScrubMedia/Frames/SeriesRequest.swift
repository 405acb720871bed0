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

/// A position of a series whose frame is known.
struct SeriesWish: Sendable {
    let place: Int
    let position: FramePosition
    /// The one on screen at ``time``.
    let requestedFrame: Int
    let frame: Int
    let time: Rational
}

/// The result of one position of a series.
protocol SeriesElement: Sendable {
    /// The position's place in the series, from 0.
    var place: Int { get }

    /// The result as it is handed out: its picture counts as held by the caller.
    func handedOut(by loans: PictureLoans?) -> Self
}

extension SeriesElement {
    func handedOut(by loans: PictureLoans?) -> Self { self }
}

/// The conversion of the frames that a series decodes.
protocol SeriesProduct: Sendable {
    associatedtype Made: Sendable
    associatedtype Element: SeriesElement

    /// Whether making takes as long as decoding does, so that it is worth threads.
    var isCostly: Bool { get }

    /// Throws the error that makes the whole series impossible.
    func check() throws(ScrubError)

    /// Makes something of a frame, once for all positions that want it, on a thread that decodes.
    func make(_ answer: FrameEngine.Answer) -> Made

    /// Returns the result of a position whose frame was decoded, or was not.
    func element(_ wish: SeriesWish, _ made: Result<Made, ScrubError>, of asset: VideoAsset) -> Element

    /// Returns the result of a position that names no frame.
    func failure(_ place: Int, _ position: FramePosition, _ error: ScrubError) -> Element
}

/// The pictures themselves.
struct PictureProduct: SeriesProduct {
    var isCostly: Bool { false }

    func check() throws(ScrubError) {}

    func make(_ answer: FrameEngine.Answer) -> FrameEngine.Answer { answer }

    func element(
        _ wish: SeriesWish, _ made: Result<FrameEngine.Answer, ScrubError>, of asset: VideoAsset
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

/// Files in memory.
struct EncodedProduct: SeriesProduct {
    /// A frame's file, and the facts that tell its distance from the requested one.
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
            // The threads that decode make files side by side.
            return try FramePicture(frame, asset: asset).encoded(
                as: format, options: options, quality: quality, threads: 1)
        }
        return Made(verdict: answer.verdict, decodedPictures: answer.decoded, file: file)
    }

    func element(_ wish: SeriesWish, _ made: Result<Made, ScrubError>, of asset: VideoAsset) -> EncodedFrameResult {
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
