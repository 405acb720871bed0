/// A time as text. All times are written with this type; ``FramePosition/init(_:)`` reads them.
///
/// Digits are truncated, not rounded, so the text of a frame's time is never after the frame's start. As a position,
/// the text names a frame that begins less than one unit of the last digit after the written time. It therefore names
/// the right frame whenever the previous frame begins before the written time. Three digits suffice for a thousand
/// frames per second. If frames are closer together or begin between thousandths, as many digits as needed are written.
///
/// Thread safety: a value type.
package struct TimeText: Hashable, Sendable {
    private let time: Rational
    /// The time from the start of the previous frame to this time. `nil` for the first frame, or if the time is not a
    /// frame's.
    private let lead: Rational?

    /// The maximum number of decimals. Numbers scaled by this many decimals stay within 128 bits.
    private static let most = 18

    /// Creates the text of a time.
    ///
    /// - Parameters:
    ///   - time: the time in seconds.
    ///   - lead: the seconds since the previous frame's start; `nil` for the first frame, or if the time is not a
    ///     frame's.
    package init(_ time: Rational, after lead: Rational? = nil) {
        (self.time, self.lead) = (time, lead)
    }

    /// The time as players show it: `m:ss.mmm`, with leading hours if needed. Negative times count as 0.
    package var clock: String { clock(hasHours: false) }

    /// The time, always with hours, as WebVTT requires: `hh:mm:ss.mmm`. Negative times count as 0.
    package var fullClock: String { clock(hasHours: true) }

    /// Seconds as a decimal number, as in JSON: nine decimals, or fewer if the rest are zeros. It has at most 15 digits
    /// in total, so that a `Double` preserves them.
    package var seconds: String {
        let whole = String(time.magnitude.scaledDown(1)).utf8.count
        for decimals in max(3, min(9, 15 - whole))...TimeText.most {
            let units = units(decimals)
            let (digits, isExact) = (TimeText.trimmed(units, decimals), self.isExact(units, decimals))
            // Fewer than three digits mean an exact time, not a rounded one.
            if isExact || digits.places >= 3 && tellsApart(units, decimals) { return digits.text }
        }
        return TimeText.trimmed(units(TimeText.most), TimeText.most).text
    }

    private func clock(hasHours: Bool) -> String {
        guard time > .zero else { return hasHours ? "00:00:00.000" : "0:00.000" }
        var decimals = 3
        while decimals < TimeText.most, !isExact(units(decimals), decimals), !tellsApart(units(decimals), decimals) {
            decimals += 1
        }
        let scale = TimeText.power(decimals)
        let (whole, rest) = units(decimals).quotientAndRemainder(dividingBy: scale)
        // More hours than positions support.
        guard whole / 3600 < 1_000_000_000 else { return seconds + "s" }
        let head = PlainText.clock(seconds: Int(whole), hasHours: hasHours)
        return head + "." + PlainText.padded(rest, to: decimals)
    }

    /// Returns the time in units of the given number of decimals, truncated.
    private func units(_ decimals: Int) -> Int128 {
        Rational.floor(Int128(time.numerator) * TimeText.power(decimals), Int128(time.denominator))
    }

    private func isExact(_ units: Int128, _ decimals: Int) -> Bool {
        // The result is below 2^123.
        let product = Int128(time.numerator) * TimeText.power(decimals)
        return product % Int128(time.denominator) == 0
    }

    /// Returns whether the previous frame begins before the written time, that is, whether the truncated part is less
    /// than the distance between the frames.
    private func tellsApart(_ units: Int128, _ decimals: Int) -> Bool {
        guard let lead else { return true }
        let (scale, denominator) = (TimeText.power(decimals), Int128(time.denominator))
        // rest / (denominator * scale) < lead
        let rest = Int128(time.numerator) * scale - units * denominator
        let (product, overflow) = (Int128(lead.numerator) * denominator).multipliedReportingOverflow(by: scale)
        return overflow || rest * Int128(lead.denominator) < product
    }

    private static func power(_ decimals: Int) -> Int128 { (0..<decimals).reduce(1) { power, _ in power * 10 } }

    /// Returns the digits without trailing zeros.
    private static func trimmed(_ units: Int128, _ decimals: Int) -> (text: String, places: Int) {
        let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: power(decimals).magnitude)
        var digits = PlainText.padded(rest, to: decimals)
        while digits.hasSuffix("0") { digits.removeLast() }
        let text = (units < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
        return (text, digits.utf8.count)
    }
}
