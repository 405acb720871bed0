/// An exact ratio of two integers in lowest terms, with a positive denominator.
///
/// All computations that determine a frame use this type. The binary floating-point number 0.42 is not exactly 42/100,
/// and in long videos the difference can amount to a whole frame. Products and comparisons use 128-bit intermediates,
/// so a result that fits in 64-bit integers is never rounded.
///
/// Thread safety: a value type.
public struct Rational: Hashable, Sendable {
    /// The numerator, which carries the sign.
    public let numerator: Int64
    /// The denominator, always positive.
    public let denominator: Int64

    /// Creates a ratio in lowest terms.
    ///
    /// - Precondition: `denominator` is not zero, and neither part is `Int64.min`. For values from a file, use
    ///   ``init(checked:_:)``.
    public init(_ numerator: Int64, _ denominator: Int64 = 1) {
        guard let value = Rational(checked: numerator, denominator) else {
            preconditionFailure(
                "Rational(\(numerator), \(denominator)) is not a ratio of 64-bit integers: use a nonzero denominator"
            )
        }
        self = value
    }

    /// Creates a ratio in lowest terms, or returns `nil` if the denominator is zero or the reduced parts do not fit in
    /// 64-bit integers.
    public init?(checked numerator: Int64, _ denominator: Int64) {
        self.init(reducing: Int128(numerator), Int128(denominator))
    }

    /// Reduces a 128-bit ratio, or returns `nil` if it does not fit in 64 bits.
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

    /// Creates a time in seconds from a number of time units; 0 if a ratio of 64-bit integers cannot represent it.
    package init(units: Int64, of timeBase: Rational) {
        self = Rational(checked: units, 1)?.multiplied(by: timeBase) ?? .zero
    }

    /// Zero.
    public static let zero = Rational(0)
    /// One.
    public static let one = Rational(1)

    /// A binary floating-point approximation, for display only.
    public var doubleValue: Double { Double(numerator) / Double(denominator) }

    /// Returns the greatest integer that is not greater than `self * factor`.
    package func scaledDown(_ factor: Int64) -> Int128 {
        Rational.floor(Int128(numerator) * Int128(factor), Int128(denominator))
    }

    /// Returns the greatest integer that is not greater than `numerator / denominator`, for a positive denominator.
    package static func floor(_ numerator: Int128, _ denominator: Int128) -> Int128 {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns the product, or `nil` if it does not fit in 64-bit integers.
    public func multiplied(by other: Rational) -> Rational? {
        Rational(
            reducing: Int128(numerator) * Int128(other.numerator),
            Int128(denominator) * Int128(other.denominator))
    }

    /// Returns the quotient, or `nil` if `other` is zero or the result does not fit in 64-bit integers.
    public func divided(by other: Rational) -> Rational? {
        Rational(
            reducing: Int128(numerator) * Int128(other.denominator),
            Int128(denominator) * Int128(other.numerator))
    }
}

extension Rational: Comparable {
    /// Returns whether the first ratio is less than the second. The comparison is exact.
    public static func < (a: Rational, b: Rational) -> Bool {
        Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
    }
}

extension Rational: CustomStringConvertible {
    /// The ratio as `numerator/denominator`.
    public var description: String { "\(numerator)/\(denominator)" }
}
