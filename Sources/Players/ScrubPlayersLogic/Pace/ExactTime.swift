package import ScrubBase

/// A moment on a clock, in nanoseconds as a ratio. Sums of frame durations stay exact, so there is no drift.
///
/// At 30 frames per second, a frame lasts 33,333,333 1/3 ns. A time that is compared with a clock is rounded once, up.
package struct ExactTime: Sendable, Hashable {
    private var numerator: Int128
    private var denominator: Int128

    /// Creates a time from a whole number of nanoseconds.
    package init(_ nanoseconds: Int64) { (numerator, denominator) = (Int128(nanoseconds), 1) }

    /// The largest denominator that sums keep, because a sequence of media with unusual time scales would multiply
    /// theirs. Beyond it, a sum is rounded to 2^-40 nanoseconds.
    private static let denominatorLimit = Int128(1) << 48
    /// The limit of moments: they are clamped to within 2^96 ns of zero.
    private static let limit = Int128(1) << 96

    private init(_ numerator: Int128, _ denominator: Int128) {
        let divisor = Self.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
        var (n, d) = (numerator / Int128(divisor), denominator / Int128(divisor))
        if d > Self.denominatorLimit {
            // Far beyond any video's needs: whole nanoseconds and the first bits of the rest.
            let whole = Self.floor(n, d)
            let rest = n - whole * d
            let bits: Int128 = 20
            (n, d) = ((whole << bits) + (rest / (d >> bits)), 1 << bits)
        }
        (self.numerator, self.denominator) = (n, d)
    }

    /// The first whole nanosecond that is not before the moment.
    package var roundedUp: Int64 { Int64(clamping: -Self.floor(-numerator, denominator)) }

    /// Creates a span of a medium's own time, played at a rate of 1.
    ///
    /// - Parameters:
    ///   - units: the number of units, which may be negative.
    ///   - timeBase: the duration of a unit in seconds, above 0.
    package init(_ units: Int64, timeBase: Rational) {
        let nanoseconds = Int128(timeBase.numerator) * 1_000_000_000
        let common = Int128(Self.greatestCommonDivisor(nanoseconds.magnitude, timeBase.denominator.magnitude128))
        let (product, overflow) = (nanoseconds / common).multipliedReportingOverflow(by: Int128(units))
        self =
            overflow
            ? ExactTime(units < 0 ? -Self.limit : Self.limit, 1)
            : ExactTime(product, Int128(timeBase.denominator) / common).limited
    }

    /// Returns the sum of two spans of time.
    package func adding(_ other: ExactTime) -> ExactTime {
        let (a, isTooLarge) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (b, isTooLargeToo) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (d, isDenominatorTooLarge) = denominator.multipliedReportingOverflow(by: other.denominator)
        let (n, isSumTooLarge) = a.addingReportingOverflow(b)
        guard !isTooLarge, !isTooLargeToo, !isDenominatorTooLarge, !isSumTooLarge else {
            let sum = Self.floor(numerator, denominator) + Self.floor(other.numerator, other.denominator)
            return ExactTime(min(max(sum, -Self.limit), Self.limit), 1)
        }
        return ExactTime(n, d)
    }

    /// The absolute value of the span.
    package var magnitude: ExactTime { numerator < 0 ? ExactTime(-numerator, denominator) : self }

    /// Returns the span from `other` to this moment.
    package func subtracting(_ other: ExactTime) -> ExactTime {
        adding(ExactTime(-other.numerator, other.denominator))
    }

    /// Returns the span scaled by a factor.
    package func scaled(by factor: Rational) -> ExactTime {
        let (n, overflow) = numerator.multipliedReportingOverflow(by: Int128(factor.numerator))
        let (d, isTooLarge) = denominator.multipliedReportingOverflow(by: Int128(factor.denominator))
        if !overflow, !isTooLarge { return ExactTime(n, d).limited }
        let whole = Self.floor(numerator, denominator)
        let (product, isMuchTooLarge) = whole.multipliedReportingOverflow(by: Int128(factor.numerator))
        guard !isMuchTooLarge else {
            return ExactTime((whole < 0) == (factor.numerator < 0) ? Self.limit : -Self.limit, 1)
        }
        return ExactTime(product, Int128(factor.denominator)).limited
    }

    private var limited: ExactTime {
        guard numerator.magnitude / denominator.magnitude > Self.limit.magnitude else { return self }
        return ExactTime(numerator < 0 ? -Self.limit : Self.limit, 1)
    }

    /// Returns the span in whole units of a medium, rounded down.
    package func units(timeBase: Rational) -> Int64 {
        let up = Int128(timeBase.denominator)
        let (down, isTooLarge) = Int128(timeBase.numerator).multipliedReportingOverflow(by: 1_000_000_000)
        let (all, isMuchTooLarge) = down.multipliedReportingOverflow(by: denominator)
        let (product, overflow) = numerator.multipliedReportingOverflow(by: up)
        guard !isTooLarge, !isMuchTooLarge, !overflow else {
            return numerator < 0 ? .min : .max
        }
        return Int64(clamping: Self.floor(product, all))
    }

    /// The span in seconds, as exactly as 64 bits allow.
    package var seconds: Rational {
        if let exact = Rational(reducing: numerator, denominator * 1_000_000_000) { return exact }
        return Rational(max(-.max, Int64(clamping: Self.floor(numerator, denominator))), 1_000_000_000)
    }

    private static func floor(_ n: Int128, _ d: Int128) -> Int128 { Rational.floor(n, d) }

    private static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}

extension ExactTime: Comparable {
    package static func < (a: ExactTime, b: ExactTime) -> Bool {
        let (left, overflow) = a.numerator.multipliedReportingOverflow(by: b.denominator)
        let (right, isTooLarge) = b.numerator.multipliedReportingOverflow(by: a.denominator)
        guard !overflow, !isTooLarge else {
            return floor(a.numerator, a.denominator) < floor(b.numerator, b.denominator)
        }
        return left < right
    }
}

extension Int64 {
    fileprivate var magnitude128: UInt128 { UInt128(magnitude) }
}
