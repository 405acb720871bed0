package import ScrubBase

/// The times at which the pictures of a ``KeyframeMovie`` are shown, in units that its boxes can represent.
package struct KeyframeTimes: Hashable, Sendable {
    /// Time units per second.
    package let timescale: UInt32
    /// The time at which each picture appears on screen.
    package let times: [UInt64]
    /// The end of the last picture.
    package let end: UInt64

    /// Creates exact times. The unit is changed only to one of which all times are whole multiples.
    ///
    /// - Parameters:
    ///   - times: in ascending order from 0, without repeats.
    ///   - end: the end, which is after the last time.
    ///   - unit: the unit of the times, in seconds.
    /// - Throws: ``ScrubError/Code/usage`` for times out of order, ``ScrubError/Code/unavailable`` if a picture's
    ///   duration or the unit does not fit in 32 bits.
    package init(_ times: [Int64], end: Int64, unit: Rational) throws(ScrubError) {
        guard let first = times.first, first >= 0, unit > .zero, zip(times, times.dropFirst() + [end]).allSatisfy(<)
        else {
            throw ScrubError(
                .usage, "the key pictures' times are not in ascending order", advice: "pass the pictures in time order")
        }
        let longest = zip(times, times.dropFirst() + [end]).reduce(0) { max($0, $1.1 - $1.0) }
        let factor = Int128(unit.numerator)
        var divisor: Int128 = 1
        // The usual case needs no common divisor.
        if unit.denominator > UInt32.max || Int128(longest) * factor > UInt32.max {
            divisor = Int128(unit.denominator)
            for time in times + [end] { divisor = KeyframeTimes.commonDivisor(divisor, Int128(time) * factor) }
        }
        guard let timescale = UInt32(exactly: Int128(unit.denominator) / divisor),
            Int128(longest) * factor / divisor <= UInt32.max, let last = UInt64(exactly: Int128(end) * factor / divisor)
        else {
            throw ScrubError(
                .unavailable, "a movie cannot hold a picture with a duration of \(longest) times \(unit) s")
        }
        (self.timescale, self.end) = (timescale, last)
        // No time is after the end, which fits.
        self.times = times.map { UInt64(truncatingIfNeeded: Int128($0) * factor / divisor) }
    }

    /// Creates exact times from seconds, in a unit of which all times are whole multiples; about a millisecond if that
    /// is small enough. If the boxes cannot represent that unit, times are rounded to 1/90,000 s, or to milliseconds if
    /// a picture lasts for half a day.
    ///
    /// - Parameters:
    ///   - times: ascending, from 0 on, none twice.
    ///   - end: the end, which is after the last time.
    /// - Throws: ``ScrubError/Code/unavailable`` for times out of order or too close together, or if a picture lasts
    ///   for 49 days.
    package init(seconds times: [Rational], end: Rational) throws(ScrubError) {
        var unit: Int128 = 1
        for time in times + [end] where unit <= UInt32.max {
            let denominator = Int128(time.denominator)
            unit *= denominator / KeyframeTimes.commonDivisor(unit, denominator)
        }
        for scale in [unit * max(1, (999 + unit) / unit), 90_000, 1000] {
            guard let unit = UInt32(exactly: scale) else { continue }
            let whole = (times + [end]).compactMap { time in
                Int64(
                    exactly: Rational.floor(
                        Int128(time.numerator) * scale * 2 + Int128(time.denominator), 2 * Int128(time.denominator)))
            }
            guard whole.count == times.count + 1, let last = whole.last,
                let made = try? KeyframeTimes(Array(whole.dropLast()), end: last, unit: Rational(1, Int64(unit)))
            else { continue }
            self = made
            return
        }
        throw ScrubError(
            .unavailable, "a movie cannot hold \(PlainText.amount(times.count, "picture")) in \(end) s",
            advice: "make fewer thumbnails")
    }

    /// Returns the time for which a picture is shown.
    package func duration(_ picture: Int) -> UInt32 {
        let next = picture + 1 < times.count ? times[picture + 1] : end
        return UInt32(truncatingIfNeeded: next - times[picture])
    }

    private static func commonDivisor(_ a: Int128, _ b: Int128) -> Int128 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
