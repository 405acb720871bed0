internal import ScrubLibAV
internal import ScrubDecoding

/// A decoded frame and how it relates to the requested frame.
public struct FrameAnswer: Sendable {
    /// The decoded frame.
    public let frame: PresentedFrame
    /// The requested frame. It differs from ``frame`` only if a tolerance allowed another frame.
    public let requestedFrame: PresentedFrame
    /// The requested time, in seconds after the first frame, clamped to the video. If the frame was requested by
    /// number, this is that frame's time.
    public let requestedTime: Rational
    /// The verdict on the picture: whether it is exactly the requested frame.
    public let verdict: Verdict
    /// The picture, or `nil` if it is undecodable.
    public let picture: FramePicture?
    /// The number of coded pictures that were fed to the decoder for this answer.
    public let decodedPictureCount: Int
    /// The coded picture at which decoding began, counted from 0 in decode order; `nil` for a frame that was already
    /// available.
    package let restart: Int?

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var actualTime: Rational { frame.time }

    /// Creates an answer from a cached picture or from a row of frames. An answer that already existed has no restart.
    init(
        kept: JudgedPicture, _ number: Int, _ asset: VideoAsset, requestedTime: Rational? = nil, decoded: Int = 0,
        restart: Int? = nil
    ) {
        frame = asset.frames[number]
        (requestedFrame, self.requestedTime, verdict) = (frame, requestedTime ?? frame.time, kept.verdict)
        picture = kept.frame.map { FramePicture($0, asset: asset) }
        (decodedPictureCount, self.restart) = (decoded, restart)
    }

    /// Creates the same answer with another owner of its picture.
    init(_ answer: FrameAnswer, picture: FramePicture?) {
        (frame, requestedFrame, requestedTime) = (answer.frame, answer.requestedFrame, answer.requestedTime)
        (verdict, decodedPictureCount, restart) = (answer.verdict, answer.decodedPictureCount, answer.restart)
        self.picture = picture
    }

    /// Creates an answer without a picture, which was converted.
    init(_ wish: SeriesPosition, verdict: Verdict, decoded: Int, restart: Int, _ asset: VideoAsset) {
        (frame, requestedFrame) = (asset.frames[wish.frame], asset.frames[wish.requestedFrame])
        requestedTime = wish.time
        self.verdict = verdict.standing(for: wish.requestedFrame, by: wish.frame)
        (picture, decodedPictureCount, self.restart) = (nil, decoded, restart)
    }

    init(
        _ number: Int, _ answer: FrameEngine.Answer, _ asset: VideoAsset, requestedFrame: Int? = nil,
        requestedTime: Rational? = nil
    ) {
        frame = asset.frames[number]
        self.requestedFrame = asset.frames[requestedFrame ?? number]
        self.requestedTime = requestedTime ?? frame.time
        verdict = answer.verdict.standing(for: requestedFrame ?? number, by: number)
        picture = answer.frame.map { FramePicture($0, asset: asset) }
        (decodedPictureCount, restart) = (answer.decoded, answer.plan.restart)
    }
}

extension Verdict {
    /// Returns the verdict on a frame that is shown in place of another one.
    package func standing(for requested: Int, by frame: Int) -> Verdict {
        requested != frame && self == .exact ? .approximate("frame \(frame) stands in for frame \(requested)") : self
    }
}
