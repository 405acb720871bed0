/// The text representation of file names with arbitrary bytes.
///
/// The system accepts any bytes except 0 in a name; a `String` holds Unicode. Bytes that are not valid UTF-8 are
/// represented by the last 128 code points of the private planes, U+10FF80 to U+10FFFF for 0x80 to 0xFF. So are the
/// bytes of a name that really contains one of these characters. The mapping between text and bytes is lossless in both
/// directions. (Python's `surrogateescape` does the same with lone surrogates, which Swift's strings do not support.)
package enum SystemName {
    /// The code point that represents the byte 0.
    private static let base: UInt32 = 0x10_FF00
    /// The code point that represents the first byte that is not valid UTF-8 on its own.
    private static let first: UInt32 = base + 0x80

    /// Returns the text that represents a name.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
        var text = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            if let (scalar, count) = scalar(at: rest), scalar.value < first {
                text.append(scalar)
                rest = rest.dropFirst(count)
            } else {
                if let scalar = Unicode.Scalar(base + UInt32(byte)) { text.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    /// Returns the name's bytes, without a terminating zero.
    package static func bytes(_ text: String) -> [UInt8] {
        guard isEscaped(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            scalar.value < first ? Array(UTF8.encode(scalar) ?? .init()) : [UInt8(scalar.value - base)]
        }
    }

    /// Returns whether a text represents bytes that are not valid UTF-8.
    package static func isEscaped(_ text: String) -> Bool {
        // These characters begin with these two bytes; few other characters do.
        var last: UInt8 = 0
        for byte in text.utf8 {
            if last == 0xF4, byte == 0x8F { return text.unicodeScalars.contains { $0.value >= first } }
            last = byte
        }
        return false
    }

    /// Returns the byte that a character represents, if it represents a byte that is not valid UTF-8.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        scalar.value >= first ? UInt8(scalar.value - base) : nil
    }

    /// Returns the name for programs that cannot handle its bytes: invalid UTF-8 becomes U+FFFD.
    package static func unicode(_ text: String) -> String {
        guard isEscaped(text) else { return text }
        let scalars = text.unicodeScalars.map { byte($0) == nil ? $0 : "\u{FFFD}" }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns the character at the start of some bytes; `nil` if they do not begin with a valid one.
    private static func scalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        guard let lead = bytes.first else { return nil }
        let count = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self),
            let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1
        else { return nil }
        return (scalar, count)
    }
}

extension String {
    /// The text on one line, without anything that a terminal would interpret: control characters and invalid UTF-8 are
    /// shown as `\n`, `\t`, `\x1b`, `\xe9`. A backslash is not doubled.
    package var shown: String { SystemName.shown(self, keepsLines: false) }

    /// The text like ``shown``, but with line breaks and tabs unchanged.
    package var shownLines: String { SystemName.shown(self, keepsLines: true) }
}

extension SystemName {
    fileprivate static func shown(_ text: String, keepsLines: Bool) -> String {
        let isPlain = text.utf8.allSatisfy { ($0 >= 0x20 && $0 < 0x7F) || (keepsLines && ($0 == 9 || $0 == 10)) }
        if isPlain { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where !keepsLines: out += "\\n"
            case "\t" where !keepsLines: out += "\\t"
            case "\r": out += "\\r"
            case "\n", "\t": out.unicodeScalars.append(scalar)
            // C0, DEL and C1 (ISO/IEC 6429), and the characters that change the text direction (UAX 9).
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): out += hexadecimal(scalar.value)
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": out += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                if let byte = byte(scalar) {
                    out += hexadecimal(UInt32(byte))
                } else {
                    out.unicodeScalars.append(scalar)
                }
            }
        }
        return out
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        (value < 16 ? "\\x0" : "\\x") + String(value, radix: 16)
    }
}
