extension Rational {
    /// Returns the sum, or `nil` if it does not fit in 64-bit integers.
    public func adding(_ other: Rational) -> Rational? {
        // Each product is below 2^126, so their sum fits in 128 bits.
        Rational(
            reducing: Int128(numerator) * Int128(other.denominator) + Int128(other.numerator) * Int128(denominator),
            Int128(denominator) * Int128(other.denominator))
    }

    /// Returns the difference, or `nil` if it does not fit in 64-bit integers.
    public func subtracting(_ other: Rational) -> Rational? { adding(other.negated) }

    /// The additive inverse. No numerator is `Int64.min`.
    package var negated: Rational { Rational(-numerator, denominator) }

    /// The absolute value.
    public var magnitude: Rational { numerator < 0 ? negated : self }
}
