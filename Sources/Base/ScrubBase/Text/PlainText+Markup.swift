extension PlainText {
    /// Returns text escaped for XML and HTML, including attributes. Characters that XML 1.0 does not allow (section
    /// 2.2) become the replacement character.
    package static func markup(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            // HTML 4 does not have &apos;.
            case "'": out += "&#39;"
            case "\t", "\n", "\r": out.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: out += "\u{FFFD}"
            case _ where SystemName.byte(scalar) != nil: out += "\u{FFFD}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// Returns the text represented by a piece of XML or HTML: the inverse of ``markup(_:)``. XML's predefined
    /// references and numeric character references are resolved (XML 1.0, sections 4.1 and 4.6). Other references are
    /// unchanged.
    package static func text(ofMarkup markup: some StringProtocol) -> String {
        var out: [UInt8] = []
        var rest = Array(markup.utf8)[...]
        while let byte = rest.first {
            let found = byte == UInt8(ascii: "&") ? reference(at: rest) : nil
            if let found {
                out += Array(String(Character(found.scalar)).utf8)
            } else {
                out.append(byte)
            }
            rest = rest.dropFirst(found?.byteCount ?? 1)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Returns the reference at the start of a text.
    private static func reference(at text: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, byteCount: Int)? {
        // The longest useful reference, &#x0010FFFF; with some extra zeros, has 12 bytes.
        guard let end = text.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self)
        return scalar(named: name).map { ($0, end + 1 - text.startIndex) }
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "amp": return "&"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.hasPrefix("x")
        let value = digits.dropFirst(isHexadecimal ? 1 : 0)
        // Swift's parser would accept a sign.
        guard value.utf8.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) ?? false else { return nil }
        return UInt32(value, radix: isHexadecimal ? 16 : 10).flatMap { Unicode.Scalar($0) }
    }
}
