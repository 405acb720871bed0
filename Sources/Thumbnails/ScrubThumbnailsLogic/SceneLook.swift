package import ScrubBase

/// The look of a frame, for finding the scenes of a film.
///
/// Thread safety: a value.
package struct SceneLook: Hashable, Sendable {
    /// The frame's number in display order, from 0.
    package let frame: Int
    /// The time at which the frame is shown, in seconds after the first frame's start.
    package let time: Rational
    /// The look of the frame.
    package let signature: PosterSignature
    /// Whether the frame shows nothing: black, white or one color.
    package let isBlank: Bool

    /// Makes a look of earlier measurements.
    package init(frame: Int, time: Rational, signature: PosterSignature, isBlank: Bool) {
        (self.frame, self.time, self.signature, self.isBlank) = (frame, time, signature, isBlank)
    }

    /// Looks at a small picture of the frame; some 64 pixels of width are enough.
    package init(frame: Int, time: Rational, image: PosterImage) {
        self.init(
            frame: frame, time: time, signature: PosterSignature(image),
            isBlank: PosterScores(image, findingSubject: false).isBlank)
    }
}
