internal import ScrubBase

/// The names and values of a tag (RFC 8216, 4.2).
struct AttributeList {
    private var values: [Substring: (text: Substring, isQuoted: Bool)] = [:]

    /// - Throws: `badData` at the reader's line if the text is not a list.
    init(_ text: Substring, _ lines: borrowing PlaylistLines) throws(ScrubError) {
        var rest = text.utf8[...]
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else {
                throw lines.fault("the attribute '\(Substring(rest).prefix(40))' has no value")
            }
            let name = Substring(rest[..<equals]).trimmed
            rest = rest[rest.index(after: equals)...]
            let isQuoted = rest.first == UInt8(ascii: "\"")
            if isQuoted { rest = rest.dropFirst() }
            let end = rest.firstIndex(of: UInt8(ascii: isQuoted ? "\"" : ","))
            guard !isQuoted || end != nil else {
                throw lines.fault("the value of \(name) has no closing quotation mark")
            }
            let value = rest[..<(end ?? rest.endIndex)]
            rest = rest[(end ?? rest.endIndex)...]
            if isQuoted { rest = rest.dropFirst() }
            guard rest.first.map({ $0 == UInt8(ascii: ",") || $0 == 0x20 }) ?? true else {
                throw lines.fault("unexpected text follows the value of \(name)")
            }
            guard values[name] == nil else { throw lines.fault("\(name) occurs twice") }
            guard values.count < PlaylistLimits.attributes else { throw lines.fault("a tag has too many attributes") }
            values[name] = (isQuoted ? Substring(value) : Substring(value).trimmed, isQuoted)
        }
    }

    /// A value, without quotation marks.
    subscript(name: Substring) -> String? { values[name].map { String($0.text) } }

    /// Returns a value that must not be empty.
    func text(_ name: Substring) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a whole number from 0.
    func number(_ name: Substring) -> Int64? { values[name]?.text.naturalNumber }

    /// Returns two whole numbers with an `x` between them.
    func resolution(_ name: Substring) -> (width: Int, height: Int)? {
        guard let parts = values[name]?.text.split(separator: "x", omittingEmptySubsequences: false), parts.count == 2,
            let width = parts[0].naturalNumber, let height = parts[1].naturalNumber,
            (1...(1 << 20)).contains(width), (1...(1 << 20)).contains(height)
        else { return nil }
        return (Int(width), Int(height))
    }

    /// Parses 16 bytes as `0x` and up to 32 hexadecimal digits, big endian.
    func vector(_ name: Substring) -> [UInt8]? {
        guard let text = values[name]?.text.utf8, text.count > 2, text.count <= 34,
            text.starts(with: Array("0x".utf8)) || text.starts(with: Array("0X".utf8))
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        for (place, digit) in text.dropFirst(2).reversed().enumerated() {
            guard let value = digit.hexadecimalDigit else { return nil }
            bytes[15 - place / 2] |= value << (place % 2 == 0 ? 0 : 4)
        }
        return bytes
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit.
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Substring {
    /// A whole number of ASCII digits, without a sign.
    var naturalNumber: Int64? {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(self) : nil
    }
}
