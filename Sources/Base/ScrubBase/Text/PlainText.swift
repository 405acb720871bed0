/// Text helpers shared by several formats.
package enum PlainText {
    /// Returns an integer with leading zeros.
    ///
    /// - Parameters:
    ///   - number: a number of 0 or more.
    ///   - width: the minimum number of digits.
    package static func padded(_ number: some BinaryInteger, to width: Int) -> String {
        padded(digits: String(number), to: width)
    }

    /// Returns a number as 16 hexadecimal digits.
    package static func hexadecimal(_ number: UInt64) -> String { padded(digits: String(number, radix: 16), to: 16) }

    /// Returns bytes as two hexadecimal digits each.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { padded(digits: String($0, radix: 16), to: 2) }.joined()
    }

    /// Returns bytes in base64, with padding (RFC 4648, section 4).
    package static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let word = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                out.append(place <= part.count ? alphabet[word >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Returns a number of bytes in units of 1024, with one decimal, truncated: `1.9 GiB`.
    package static func size(_ count: Int64) -> String {
        for (power, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
            let one = Int64(1) << Int64(power)
            if count >= one { return "\(count / one).\(count % one / (one / 1024) * 10 / 1024) \(unit)" }
        }
        return amount(count, "byte")
    }

    /// Returns whole seconds as players show them: `m:ss`, with leading hours if needed. Negative values count as 0.
    ///
    /// - Parameter hasHours: whether to always show hours, with at least two digits.
    package static func clock(seconds: Int, hasHours: Bool = false) -> String {
        let seconds = max(0, seconds)
        let (hours, minutes) = (seconds / 3600, seconds / 60)
        if hasHours { return padded(hours, to: 2) + ":" + sexagesimal(minutes) + ":" + sexagesimal(seconds) }
        return (hours > 0 ? "\(hours):" + sexagesimal(minutes) : "\(minutes)") + ":" + sexagesimal(seconds)
    }

    /// Returns whole milliseconds as `hh:mm:ss.mmm`, for formats with millisecond times. Hours have more digits if
    /// needed, and negative values count as 0.
    package static func clock(milliseconds: Int) -> String {
        clock(seconds: milliseconds / 1000, hasHours: true) + "." + padded(max(0, milliseconds) % 1000, to: 3)
    }

    /// Returns a duration as players show it: `m:ss.mmm`, with leading hours if needed. Negative values count as 0. For
    /// a frame's time, use ``TimeText``.
    ///
    /// - Parameter isWhole: whether to omit the milliseconds.
    package static func shortClock(milliseconds: Int, isWhole: Bool = false) -> String {
        clock(seconds: milliseconds / 1000) + (isWhole ? "" : "." + padded(max(0, milliseconds) % 1000, to: 3))
    }

    /// Returns a number with its noun, in the singular for 1.
    ///
    /// - Parameter plural: the noun's plural; by default, the noun with an "s".
    package static func amount(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// Returns a number with at most the given number of decimals.
    package static func rounded(_ value: Double, _ places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : "\(rounded)"
    }

    private static func sexagesimal(_ number: Int) -> String { padded(number % 60, to: 2) }

    private static func padded(digits: String, to width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
