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

    /// A JSON string with its quotation marks (RFC 8259, section 7).
    package static func jsonString(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where scalar.value < 0x20: out += "\\u" + padded(digits: String(scalar.value, radix: 16), to: 4)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// Text as it stands in XML and HTML, in attributes too. Characters that XML 1.0 has no place for (section 2.2) become
    /// the replacement character.
    package static func markup(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            // HTML 4 has no &apos;.
            case "'": out += "&#39;"
            case "\t", "\n", "\r": out.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: out += "\u{FFFD}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// A time as `hh:mm:ss.mmm`; hours have more digits when they need them.
    ///
    /// - Parameter milliseconds: 0 or above.
    package static func clock(milliseconds: Int) -> String {
        let seconds = milliseconds / 1000
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }
        return parts.joined(separator: ":") + "." + padded(milliseconds % 1000, to: 3)
    }

    private static func padded(digits: String, to width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
