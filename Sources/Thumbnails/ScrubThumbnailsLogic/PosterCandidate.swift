package import ScrubBase

/// A frame that may become a poster: its place, its scores and its look.
///
/// Thread safety: a value.
package struct PosterCandidate: Hashable, Sendable {
    /// The frame's number in display order, from 0.
    package let frame: Int
    /// The time at which the frame is shown, in seconds after the first frame's start.
    package let time: Rational
    /// The scores of the frame.
    package let scores: PosterScores
    /// The look of the frame.
    package let signature: PosterSignature

    /// Makes a candidate of earlier measurements.
    package init(frame: Int, time: Rational, scores: PosterScores, signature: PosterSignature) {
        self.frame = frame
        self.time = time
        self.scores = scores
        self.signature = signature
    }

    /// Makes a candidate of a small picture of the frame. All candidates of a film must have the same size.
    package init(frame: Int, time: Rational, image: PosterImage) {
        self.init(frame: frame, time: time, scores: PosterScores(image), signature: PosterSignature(image))
    }
}

/// The places for posters in a film.
package enum PosterCandidates {
    /// Returns the middles of `count` equal parts of the film without its first 5 % and last 10 %, in seconds, in
    /// order.
    ///
    /// Logos and fades are at the beginning, credits at the end. Place i is (1/20 + 17/20 · (i + 1/2) / count) of the
    /// duration, exactly. A ratio that does not fit 64 bits is cut to whole microseconds. A film without a duration has
    /// one place, 0; a count below 1 gives none, and one above a million is taken as a million. Durations above 2^32
    /// seconds are taken as that.
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

    /// `duration * numerator / denominator` in whole microseconds; nothing is above 2^32 seconds, so it fits.
    private static func microseconds(_ duration: Rational, _ numerator: Int64, _ denominator: Int64) -> Rational {
        let product = Int128(duration.numerator) * Int128(numerator) * 1_000_000
        let value = Rational.floor(product, Int128(duration.denominator) * Int128(denominator))
        return Rational(Int64(value), 1_000_000)
    }
}
