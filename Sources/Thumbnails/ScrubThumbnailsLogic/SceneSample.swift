package import ScrubBase

/// A sample of a frame, for finding the scenes of a video.
///
/// Thread safety: a value type.
package struct SceneSample: Hashable, Sendable {
    /// The frame's number in display order, from 0.
    package let frame: Int
    /// The time at which the frame is shown, in seconds after the first frame's start.
    package let time: Rational
    /// The look of the frame.
    package let signature: PosterSignature
    /// Whether the frame is blank: black, white or one color.
    package let isBlank: Bool

    /// Creates a sample from earlier measurements.
    package init(frame: Int, time: Rational, signature: PosterSignature, isBlank: Bool) {
        (self.frame, self.time, self.signature, self.isBlank) = (frame, time, signature, isBlank)
    }

    /// Creates a sample from a small picture of the frame; a width of about 64 pixels is enough.
    package init(frame: Int, time: Rational, image: PosterImage) {
        self.init(
            frame: frame, time: time, signature: PosterSignature(image),
            isBlank: PosterScores(image, findingSubject: false).isBlank)
    }
}
