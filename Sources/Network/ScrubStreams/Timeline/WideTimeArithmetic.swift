internal import ScrubBase

/// Integer arithmetic for times whose ratios exceed 64 bits.
enum WideTimeArithmetic {
    /// The period of a transport stream's 33-bit timestamps, in seconds (ISO/IEC 13818-1 2.4.3.7).
    static let wrapPeriod = Rational(1 << 33, 90_000)

    /// Returns the largest number of whole units that is not greater than `time - start`; `nil` if it does not fit 128
    /// bits.
    static func floor(_ time: Rational, minus start: Rational, unit: Rational) -> Int128? {
        // Each product is below 2^126.
        let difference =
            Int128(time.numerator) * Int128(start.denominator) - Int128(start.numerator) * Int128(time.denominator)
        let scale = Int128(time.denominator) * Int128(start.denominator)
        let (above, overflow) = difference.multipliedReportingOverflow(by: Int128(unit.denominator))
        let (below, overflowBelow) = scale.multipliedReportingOverflow(by: Int128(unit.numerator))
        guard !overflow, !overflowBelow, below > 0 else { return nil }
        return Rational.floor(above, below)
    }

    /// Returns the greatest multiple of a unit that is not greater than `fraction * whole`; `nil` if it does not fit
    /// 128 bits.
    static func floor(_ fraction: Rational, of whole: Rational, unit: Rational) -> Rational? {
        if let exact = fraction.multiplied(by: whole) { return exact }
        let product = Int128(fraction.numerator) * Int128(whole.numerator)
        let scale = Int128(fraction.denominator) * Int128(whole.denominator)
        let (above, overflow) = product.multipliedReportingOverflow(by: Int128(unit.denominator))
        let (below, overflowBelow) = scale.multipliedReportingOverflow(by: Int128(unit.numerator))
        guard !overflow, !overflowBelow, below > 0 else { return nil }
        return Int64(exactly: Rational.floor(above, below)).flatMap { Rational(checked: $0, 1)?.multiplied(by: unit) }
    }

    /// Returns the time nearest to an estimate that differs from the given one by whole wrap periods.
    static func unwrapped(_ time: Rational, near estimate: Rational) -> Rational? {
        guard let distance = estimate.subtracting(time)?.divided(by: wrapPeriod)?.adding(Rational(1, 2)),
            let periods = Int64(exactly: distance.scaledDown(1))
        else { return nil }
        return periods == 0 ? time : wrapPeriod.multiplied(by: Rational(periods)).flatMap { time.adding($0) }
    }

    /// Returns a time rounded down to nanoseconds, for estimates.
    static func rough(_ time: Rational) -> Rational {
        Int64(exactly: time.scaledDown(1_000_000_000)).flatMap { Rational(checked: $0, 1_000_000_000) } ?? .zero
    }
}
