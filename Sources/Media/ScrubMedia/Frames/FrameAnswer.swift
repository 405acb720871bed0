internal import ScrubLibAV
internal import ScrubDecoding

/// A decoded frame and how far it is the one asked for.
public struct FrameAnswer: Sendable {
    /// Which frame it is.
    public let frame: PresentedFrame
    /// The frame that was asked for: the same one, unless there was a tolerance.
    public let requestedFrame: PresentedFrame
    /// The time that was asked for, in seconds after the first frame and within the video. It is a frame's own when it
    /// was asked for by its number.
    public let requestedTime: Rational
    /// The certainty of the answer.
    public let verdict: Verdict
    /// The picture; `nil` when it is undecodable.
    public let picture: FramePicture?
    /// Coded pictures given to the decoder for this answer.
    public let decodedPictures: Int
    /// The coded picture, counted from 0 in decode order, with which decoding began; `nil` for a frame that was
    /// already there.
    public let restart: Int?

    /// The time at which the frame comes on screen, in seconds after the first one.
    public var actualTime: Rational { frame.time }

    /// An answer from a picture that is kept, or from a row of frames; one that already existed has no restart.
    init(
        kept: JudgedPicture, _ number: Int, _ asset: VideoAsset, requestedTime: Rational? = nil, decoded: Int = 0,
        restart: Int? = nil
    ) {
        frame = asset.frames[number]
        (requestedFrame, self.requestedTime, verdict) = (frame, requestedTime ?? frame.time, kept.verdict)
        picture = kept.frame.map { FramePicture($0, asset: asset) }
        (decodedPictures, self.restart) = (decoded, restart)
    }

    /// The same answer with another owner of its picture.
    init(_ answer: FrameAnswer, picture: FramePicture?) {
        (frame, requestedFrame, requestedTime) = (answer.frame, answer.requestedFrame, answer.requestedTime)
        (verdict, decodedPictures, restart) = (answer.verdict, answer.decodedPictures, answer.restart)
        self.picture = picture
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
        (decodedPictures, restart) = (answer.decoded, answer.plan.restart)
    }
}

extension Verdict {
    /// Returns the verdict on a frame that may be given for another one.
    func standing(for requested: Int, by frame: Int) -> Verdict {
        requested != frame && self == .exact ? .approximate("frame \(frame) stands for frame \(requested)") : self
    }
}
