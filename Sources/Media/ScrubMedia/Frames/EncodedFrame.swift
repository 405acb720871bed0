/// An encoded frame in memory, and its relation to the requested frame.
public struct EncodedFrame: Sendable {
    /// The frame that was encoded.
    public let frame: PresentedFrame
    /// The requested frame. It differs from ``frame`` only if a tolerance was given.
    public let requestedFrame: PresentedFrame
    /// The requested time, clamped to the video.
    public let requestedTime: Rational
    /// The verdict on the picture: whether it is exactly the requested frame.
    public let verdict: Verdict
    /// The encoded picture.
    public let file: EncodedPicture
    /// The number of coded pictures given to the decoder for this answer.
    public let decodedPictureCount: Int

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var actualTime: Rational { frame.time }

    init(_ answer: FrameAnswer, _ file: EncodedPicture) {
        (frame, requestedFrame, requestedTime) = (answer.frame, answer.requestedFrame, answer.requestedTime)
        (verdict, decodedPictureCount, self.file) = (answer.verdict, answer.decodedPictureCount, file)
    }
}
