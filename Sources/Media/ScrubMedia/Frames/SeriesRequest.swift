internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubPictures

struct SeriesRequest: Sendable {
    let asset: VideoAsset
    let positions: @Sendable () -> AnyIterator<FramePosition>
    let tolerance: FrameTolerance
    let order: FrameGenerator.Order
    let options: FrameReader.Options
    let resources: DecodingResources?
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

/// The conversion of the frames that a series decodes.
protocol SeriesOutput: Sendable {
    associatedtype Made: Sendable
    associatedtype Value: Sendable

    /// Whether the conversion takes as long as decoding, so that it should run on several threads.
    var isCostly: Bool { get }

    /// Throws an error if the whole series is impossible.
    func check() throws(ScrubError)

    /// Converts a frame, once for all positions that need it, on a decoding thread.
    func make(_ answer: FrameEngine.Answer) -> Made

    /// Returns the value for a position whose frame was decoded.
    func value(_ wish: SeriesPosition, _ made: Made, of asset: VideoAsset) throws(ScrubError) -> Value

    /// Returns the value as handed out, with its picture counted as held by the caller.
    func handedOut(_ value: Value, by loans: HeldPictures) throws(ScrubError) -> Value
}

/// The pictures themselves.
struct PictureOutput: SeriesOutput {
    var isCostly: Bool { false }

    func check() throws(ScrubError) {}

    func make(_ answer: FrameEngine.Answer) -> FrameEngine.Answer { answer }

    func value(_ wish: SeriesPosition, _ made: FrameEngine.Answer, of asset: VideoAsset) -> FrameAnswer {
        FrameAnswer(wish.frame, made, asset, requestedFrame: wish.requestedFrame, requestedTime: wish.time)
    }

    func handedOut(_ value: FrameAnswer, by loans: HeldPictures) throws(ScrubError) -> FrameAnswer {
        try value.handedOut(by: loans)
    }
}

/// Something made from each picture, such as its pixels or a file in memory.
struct ConvertedOutput<Content: Sendable, Value: Sendable>: SeriesOutput {
    /// A frame's content, with the facts of its decoding.
    struct Made: Sendable {
        let verdict: Verdict
        let decoded: Int
        let restart: Int
        let content: Result<Content, ScrubError>
    }

    let asset: VideoAsset
    let validate: @Sendable () throws(ScrubError) -> Void
    let convert: @Sendable (FramePicture) throws(ScrubError) -> Content
    let combine: @Sendable (FrameAnswer, Content) -> Value

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - check: throws an error if the whole series is impossible.
    ///   - convert: makes the content from a picture, on one of the decoding threads, which convert several in parallel.
    ///   - combine: makes the value from the content and from the answer, which has no picture.
    init(
        _ asset: VideoAsset, check: @escaping @Sendable () throws(ScrubError) -> Void = {},
        convert: @escaping @Sendable (FramePicture) throws(ScrubError) -> Content,
        combine: @escaping @Sendable (FrameAnswer, Content) -> Value
    ) {
        (self.asset, validate, self.convert, self.combine) = (asset, check, convert, combine)
    }

    var isCostly: Bool { true }

    func check() throws(ScrubError) { try validate() }

    func make(_ answer: FrameEngine.Answer) -> Made {
        let content = Result { () throws(ScrubError) -> Content in
            guard let frame = answer.frame else { throw .undecodable(answer.verdict) }
            return try convert(FramePicture(frame, asset: asset))
        }
        return Made(
            verdict: answer.verdict, decoded: answer.decoded, restart: answer.plan.restart, content: content)
    }

    func value(_ wish: SeriesPosition, _ made: Made, of asset: VideoAsset) throws(ScrubError) -> Value {
        let answer = FrameAnswer(
            wish, verdict: made.verdict, decoded: made.decoded, restart: made.restart, asset)
        do throws(ScrubError) {
            return combine(answer, try made.content.get())
        } catch {
            var error = error.inFile(asset.path)
            error.place = error.place ?? .frame(wish.frame)
            throw error
        }
    }

    func handedOut(_ value: Value, by loans: HeldPictures) -> Value { value }
}
