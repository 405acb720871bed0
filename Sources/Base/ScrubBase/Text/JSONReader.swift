/// A JSON value. Numbers keep their text, to avoid binary floating point.
package enum JSONValue: Sendable {
    case object([String: JSONValue]), array([JSONValue]), string(String), number(String), boolean(Bool), null
}

/// A strict parser of JSON (RFC 8259): it rejects comments, duplicate members, and anything after the value.
///
/// Strings are decoded from their bytes. Invalid UTF-8 becomes U+FFFD, as in `String(decoding:as:)`.
package struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0
    /// The maximum nesting depth of values; the files that are read here have four levels.
    private static let depthLimit = 32

    /// Parses a value.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the position of the first wrong byte.
    package static func value(_ text: String) throws(ScrubError) -> JSONValue {
        try value(utf8: Array(text.utf8))
    }

    /// Parses a value from its bytes.
    package static func value(utf8 bytes: [UInt8]) throws(ScrubError) -> JSONValue {
        var reader = JSONReader(bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.place == reader.bytes.count else { throw reader.fault("unexpected text after the JSON value") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let next, [0x20, 0x09, 0x0A, 0x0D].contains(next) { place += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        place += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    private mutating func value(depth: Int) throws(ScrubError) -> JSONValue {
        guard depth < JSONReader.depthLimit else { throw fault("JSON values are nested too deeply") }
        skipSpace()
        if take("{") { return try object(depth: depth) }
        if take("[") { return try array(depth: depth) }
        if take("\"") { return .string(try string()) }
        if take(word: "true") { return .boolean(true) }
        if take(word: "false") { return .boolean(false) }
        if take(word: "null") { return .null }
        return .number(try number())
    }

    private mutating func object(depth: Int) throws(ScrubError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard take("\"") else { throw fault("a JSON member has no name") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw fault("a JSON member has no ':'") }
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else { throw fault("duplicate key '\(name)'") }
            skipSpace()
        } while take(",")
        guard take("}") else { throw fault("unterminated JSON object") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(ScrubError) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw fault("unterminated JSON array") }
        return .array(elements)
    }

    private mutating func number() throws(ScrubError) -> String {
        let start = place
        _ = take("-")
        let whole = place
        try digits()
        guard bytes[whole] != UInt8(ascii: "0") || place == whole + 1 else { throw fault("a number with a leading 0") }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func digits() throws(ScrubError) {
        let start = place
        while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { place += 1 }
        guard place > start else { throw fault("expected a JSON value") }
    }

    /// Returns the rest of a string after its opening quotation mark.
    private mutating func string() throws(ScrubError) -> String {
        var out: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: out, as: UTF8.self)
            case UInt8(ascii: "\\"): out += Array(String(Character(try escape())).utf8)
            case ..<0x20: throw fault("a control character in a string")
            default: out.append(byte)
            }
        }
        throw fault("unterminated string")
    }

    private mutating func escape() throws(ScrubError) -> Unicode.Scalar {
        guard let byte = next else { throw fault("unterminated string") }
        place += 1
        switch Unicode.Scalar(byte) {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let unit = try hex()
            // Two surrogate escapes form one character.
            guard (0xD800..<0xDC00).contains(unit), take(word: "\\u") else {
                guard let scalar = Unicode.Scalar(unit) else { throw fault("unpaired surrogate") }
                return scalar
            }
            let low = try hex()
            guard (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { throw fault("unpaired surrogate") }
            return scalar
        default: throw fault("unknown escape sequence")
        }
    }

    private mutating func hex() throws(ScrubError) -> UInt32 {
        let digits = bytes[place...].prefix(4)
        let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard isHex, digits.count == 4, let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw fault("expected four hexadecimal digits")
        }
        place += 4
        return unit
    }

    private func fault(_ cause: String) -> ScrubError { ScrubError(.badData, cause, place: .byte(Int64(place))) }
}
