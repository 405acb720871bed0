#if CommandLine
internal import ScrubBase

/// Amounts for people.
enum Amount {
    /// Returns a number with its noun, in the singular for 1.
    static func of(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        PlainText.amount(count, noun, plural)
    }

    /// Returns a size in units of 1024, with the exact bytes.
    static func bytes(_ count: Int64) -> String { count < 1024 ? size(count) : "\(size(count)) (\(count) bytes)" }

    /// Returns a size in units of 1024.
    static func size(_ count: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB"]
        var (value, unit) = (Double(count) / 1024, 0)
        while value >= 1024, unit + 1 < units.count { (value, unit) = (value / 1024, unit + 1) }
        return count < 1024 ? of(count, "byte") : "\(Clock.rounded(value, 1)) \(units[unit])"
    }

    /// Returns a bit rate per second in thousands or millions, as players write rates.
    static func bitRate(_ rate: Int64) -> String {
        rate < 10_000_000
            ? "\(Clock.rounded(Double(rate) / 1e3, rate < 100_000 ? 1 : 0)) kbit/s"
            : "\(Clock.rounded(Double(rate) / 1e6, 1)) Mbit/s"
    }
}
#endif
