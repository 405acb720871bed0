/// An exact ratio of two integers in lowest terms, with a positive denominator.
///
/// Everything that decides a frame is computed with values of this type. A binary floating-point number such as 0.42 is
/// not 42/100, and the difference is a frame on long films. Products and comparisons go through 128-bit intermediates,
/// so no value that fits is ever rounded.
///
/// Thread safety: a value.
public struct Rational: Hashable, Sendable {
    /// The numerator, which carries the sign.
    public let numerator: Int64
    /// The denominator, always positive.
    public let denominator: Int64

    /// Makes the ratio in lowest terms.
    ///
    /// - Precondition: `denominator` is not zero, and neither part is `Int64.min`. Values that come from a file go
    ///   through ``init(checked:_:)``.
    public init(_ numerator: Int64, _ denominator: Int64 = 1) {
        guard let value = Rational(checked: numerator, denominator) else {
            preconditionFailure(
                "Rational(\(numerator), \(denominator)) is not a ratio of 64-bit integers: give a denominator that is not 0"
            )
        }
        self = value
    }

    /// Makes the ratio in lowest terms, or `nil` when the parts don't form one.
    public init?(checked numerator: Int64, _ denominator: Int64) {
        self.init(reducing: Int128(numerator), Int128(denominator))
    }

    /// Reduces a 128-bit ratio, or gives `nil` when it does not fit 64 bits.
    package init?(reducing numerator: Int128, _ denominator: Int128) {
        guard denominator != 0 else { return nil }
        var (a, b) = (numerator.magnitude, denominator.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        let divisor = Int128(max(a, 1)) * (denominator < 0 ? -1 : 1)
        let (n, d) = (numerator / divisor, denominator / divisor)
        guard let small = Int64(exactly: n), let smallDenominator = Int64(exactly: d), small != .min else {
            return nil
        }
        self.numerator = small
        self.denominator = smallDenominator
    }

    /// Creates the seconds of a number of time units; 0 if no ratio of 64-bit integers has the value.
    package init(units: Int64, of timeBase: Rational) {
        self = Rational(checked: units, 1)?.multiplied(by: timeBase) ?? .zero
    }

    /// Zero.
    public static let zero = Rational(0)
    /// One.
    public static let one = Rational(1)

    /// The nearest binary floating-point value, for display only.
    public var approximation: Double { Double(numerator) / Double(denominator) }

    /// Returns the greatest integer that is not above `self * factor`.
    package func scaledDown(_ factor: Int64) -> Int128 {
        Rational.floor(Int128(numerator) * Int128(factor), Int128(denominator))
    }

    /// Returns the greatest integer that is not above `numerator / denominator`, for a positive denominator.
    package static func floor(_ numerator: Int128, _ denominator: Int128) -> Int128 {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns the product, or `nil` when it does not fit.
    public func multiplied(by other: Rational) -> Rational? {
        Rational(
            reducing: Int128(numerator) * Int128(other.numerator),
            Int128(denominator) * Int128(other.denominator))
    }

    /// Returns the quotient, or `nil` when `other` is zero or the result does not fit.
    public func divided(by other: Rational) -> Rational? {
        Rational(
            reducing: Int128(numerator) * Int128(other.denominator),
            Int128(denominator) * Int128(other.numerator))
    }
}

extension Rational: Comparable {
    /// Compares exactly.
    public static func < (a: Rational, b: Rational) -> Bool {
        Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
    }
}

extension Rational: CustomStringConvertible {
    /// The ratio as `numerator/denominator`.
    public var description: String { "\(numerator)/\(denominator)" }
}
