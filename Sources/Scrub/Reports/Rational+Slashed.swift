package import ScrubBase

extension Rational {
    /// The ratio as the contract's JSON writes it, such as `1/15360`.
    package var slashed: String { "\(numerator)/\(denominator)" }
}
