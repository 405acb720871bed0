internal import ScrubBase

extension Rational {
    /// The sum, or nothing when it does not fit.
    func adding(_ other: Rational) -> Rational? {
        // Each product is below 2^126, so that their sum is in 128 bits.
        Rational(
            reducing: Int128(numerator) * Int128(other.denominator) + Int128(other.numerator) * Int128(denominator),
            Int128(denominator) * Int128(other.denominator))
    }

    /// The difference, or nothing when it does not fit.
    func subtracting(_ other: Rational) -> Rational? { adding(other.negated) }

    /// The same distance from zero on the other side. No numerator is `Int64.min`.
    var negated: Rational { Rational(-numerator, denominator) }

    /// The distance from zero.
    var magnitude: Rational { numerator < 0 ? negated : self }

    /// The nearest value within `range`.
    func clamped(to range: ClosedRange<Rational>) -> Rational { min(max(self, range.lowerBound), range.upperBound) }

    /// A value of the user interface, in steps of 1/1024; no number at all is 0, and too large ones are cut.
    init(points: Double) {
        let limit = 0x1p50
        let steps = points.isNaN || points.isInfinite ? 0 : (points * 1024).rounded()
        self.init(Int64(min(max(steps, -limit), limit)), 1024)
    }
}
