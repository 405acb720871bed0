/// A time as text: the one place that writes times. ``FramePosition/init(_:)`` is the one that reads them.
///
/// Digits are cut off, not rounded: the text of a frame's time then never lies behind the frame. As a position it
/// stands for the frame that begins less than one unit of the last digit after it. It therefore names the frame
/// whenever the frame before it begins earlier than the text says. Three digits do for a thousand frames a second;
/// where frames lie closer together, or between thousandths, there are as many as it takes.
///
/// Thread safety: a value.
package struct TimeText: Hashable, Sendable {
    private let time: Rational
    /// The time from the beginning of the frame before to this time. `nil` if this is the first frame, or the time is
    /// not that of a frame.
    private let lead: Rational?

    /// The most digits after the point. Numbers that are multiplied with it stay inside 128 bits.
    private static let most = 18

    /// - Parameters:
    ///   - time: seconds.
    ///   - lead: seconds since the frame before this one began; `nil` for the first frame, or if the time is not that
    ///     of a frame.
    package init(_ time: Rational, after lead: Rational? = nil) {
        (self.time, self.lead) = (time, lead)
    }

    /// As players show it: `m:ss.mmm`, with hours before it where there are some. Times below 0 are 0.
    package var clock: String { clock(hasHours: false) }

    /// With hours in any case, as WebVTT's readers want it: `hh:mm:ss.mmm`. Times below 0 are 0.
    package var fullClock: String { clock(hasHours: true) }

    /// Seconds as a decimal number, as JSON has it: nine digits after the point, fewer if the rest are zeros. It has at
    /// most 15 in all, so that a `Double` gives back the same digits.
    package var seconds: String {
        let whole = String(time.magnitude.scaledDown(1)).utf8.count
        for decimals in max(3, min(9, 15 - whole))...TimeText.most {
            let units = units(decimals)
            let (digits, isExact) = (TimeText.trimmed(units, decimals), self.isExact(units, decimals))
            // Fewer than three digits are the exact instant, not a rounded time.
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
        // More hours than positions have.
        guard whole / 3600 < 1_000_000_000 else { return seconds + "s" }
        let head = PlainText.clock(seconds: Int(whole), hasHours: hasHours)
        return head + "." + PlainText.padded(rest, to: decimals)
    }

    /// Returns the time in units of so many digits, cut off.
    private func units(_ decimals: Int) -> Int128 {
        Rational.floor(Int128(time.numerator) * TimeText.power(decimals), Int128(time.denominator))
    }

    private func isExact(_ units: Int128, _ decimals: Int) -> Bool {
        // Below 2^123.
        let product = Int128(time.numerator) * TimeText.power(decimals)
        return product % Int128(time.denominator) == 0
    }

    /// Whether the frame before begins earlier than the text says: the part that was cut off is less than the distance
    /// to it.
    private func tellsApart(_ units: Int128, _ decimals: Int) -> Bool {
        guard let lead else { return true }
        let (scale, denominator) = (TimeText.power(decimals), Int128(time.denominator))
        // rest / (denominator * scale) < lead
        let rest = Int128(time.numerator) * scale - units * denominator
        let (product, overflow) = (Int128(lead.numerator) * denominator).multipliedReportingOverflow(by: scale)
        return overflow || rest * Int128(lead.denominator) < product
    }

    private static func power(_ decimals: Int) -> Int128 { (0..<decimals).reduce(1) { power, _ in power * 10 } }

    /// Returns the digits without zeros at the end.
    private static func trimmed(_ units: Int128, _ decimals: Int) -> (text: String, places: Int) {
        let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: power(decimals).magnitude)
        var digits = PlainText.padded(rest, to: decimals)
        while digits.hasSuffix("0") { digits.removeLast() }
        let text = (units < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
        return (text, digits.utf8.count)
    }
}
