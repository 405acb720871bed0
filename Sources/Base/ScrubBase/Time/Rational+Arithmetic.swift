extension Rational {
    /// Returns the sum, or `nil` when it does not fit.
    public func adding(_ other: Rational) -> Rational? {
        // Each product is below 2^126, so that their sum is in 128 bits.
        Rational(
            reducing: Int128(numerator) * Int128(other.denominator) + Int128(other.numerator) * Int128(denominator),
            Int128(denominator) * Int128(other.denominator))
    }

    /// Returns the difference, or `nil` when it does not fit.
    public func subtracting(_ other: Rational) -> Rational? { adding(other.negated) }

    /// The same distance from zero on the other side. No numerator is `Int64.min`.
    package var negated: Rational { Rational(-numerator, denominator) }

    /// The distance from zero.
    public var magnitude: Rational { numerator < 0 ? negated : self }
}
