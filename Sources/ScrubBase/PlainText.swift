/// Pieces of text that more than one format wants.
package enum PlainText {
    /// A whole number with zeros before it.
    ///
    /// - Parameters:
    ///   - number: 0 or above.
    ///   - width: the fewest digits.
    package static func padded(_ number: some BinaryInteger, to width: Int) -> String {
        padded(digits: String(number), to: width)
    }

    /// A number as 16 hexadecimal digits.
    package static func hexadecimal(_ number: UInt64) -> String { padded(digits: String(number, radix: 16), to: 16) }

    /// Bytes as two hexadecimal digits each.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { padded(digits: String($0, radix: 16), to: 2) }.joined()
    }

    /// Bytes in base64, with padding (RFC 4648, section 4).
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

    /// A time as `hh:mm:ss.mmm`, for indexes and tables; hours have more digits when they need them, and times below 0 are 0.
    package static func clock(milliseconds: Int) -> String {
        let seconds = max(0, milliseconds) / 1000
        return padded(seconds / 3600, to: 2) + ":" + sexagesimal(seconds / 60) + ":" + sexagesimal(seconds)
            + "." + padded(max(0, milliseconds) % 1000, to: 3)
    }

    /// A time as players show it: `m:ss.mmm`, with hours before it where there are some; times below 0 are 0.
    ///
    /// - Parameter isWhole: leaves the milliseconds out.
    package static func shortClock(milliseconds: Int, isWhole: Bool = false) -> String {
        let seconds = max(0, milliseconds) / 1000
        let minutes = seconds >= 3600 ? "\(seconds / 3600):" + sexagesimal(seconds / 60) : "\(seconds / 60)"
        let rest = isWhole ? "" : "." + padded(max(0, milliseconds) % 1000, to: 3)
        return minutes + ":" + sexagesimal(seconds) + rest
    }

    /// A number with its noun, which is in the singular for 1.
    ///
    /// - Parameter plural: where it is not the noun with an "s".
    package static func amount(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    private static func sexagesimal(_ number: Int) -> String { padded(number % 60, to: 2) }

    private static func padded(digits: String, to width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
