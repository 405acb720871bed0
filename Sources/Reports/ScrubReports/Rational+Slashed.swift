package import ScrubBase

extension Rational {
    /// The ratio in the form used in the JSON contract, such as `1/15360`.
    package var slashed: String { "\(numerator)/\(denominator)" }
}
