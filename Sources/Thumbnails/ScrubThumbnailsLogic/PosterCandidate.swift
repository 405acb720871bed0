package import ScrubBase

/// A candidate frame for a poster, with its position, scores and look.
///
/// Thread safety: a value type.
package struct PosterCandidate: Hashable, Sendable {
    /// The frame's number in display order, from 0.
    package let frame: Int
    /// The time at which the frame is shown, in seconds after the first frame's start.
    package let time: Rational
    /// The scores of the frame.
    package let scores: PosterScores
    /// The look of the frame.
    package let signature: PosterSignature

    /// Creates a candidate from earlier measurements.
    package init(frame: Int, time: Rational, scores: PosterScores, signature: PosterSignature) {
        self.frame = frame
        self.time = time
        self.scores = scores
        self.signature = signature
    }

    /// Creates a candidate from a small picture of the frame. All candidates of a video must have the same size.
    package init(frame: Int, time: Rational, image: PosterImage) {
        self.init(frame: frame, time: time, scores: PosterScores(image), signature: PosterSignature(image))
    }
}

/// The positions of poster candidates in a video.
package enum PosterCandidates {
    /// Returns the middles of `count` equal parts of the video without its first 5 % and last 10 %, in seconds, in
    /// order.
    ///
    /// Logos and fades are at the beginning, credits at the end. Position i is (1/20 + 17/20 · (i + 1/2) / count) of
    /// the duration, exactly. A ratio that does not fit 64 bits is truncated to whole microseconds. A video without a
    /// duration has one position, 0; a count below 1 gives none, and a count above a million is reduced to a million.
    /// Durations are limited to 2^32 seconds.
    package static func times(count: Int, duration: Rational) -> [Rational] {
        guard count > 0 else { return [] }
        guard duration > .zero else { return [.zero] }
        let parts = Int64(min(count, 1_000_000))
        let duration = min(duration, Rational(1 << 32))
        return (0..<parts).map { i in
            let (numerator, denominator) = (2 * parts + 17 * (2 * i + 1), 40 * parts)
            return duration.multiplied(by: Rational(numerator, denominator))
                ?? microseconds(duration, numerator, denominator)
        }
    }

    /// Returns `duration * numerator / denominator` in whole microseconds; no duration exceeds 2^32 seconds, so it
    /// fits.
    private static func microseconds(_ duration: Rational, _ numerator: Int64, _ denominator: Int64) -> Rational {
        let product = Int128(duration.numerator) * Int128(numerator) * 1_000_000
        let value = Rational.floor(product, Int128(duration.denominator) * Int128(denominator))
        return Rational(Int64(value), 1_000_000)
    }
}
