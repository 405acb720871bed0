internal import ScrubBase

/// Percent-encoding in addresses.
enum PercentEscapes {
    /// Returns the decoded text; `nil` if an escape is invalid or the result is not valid UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the text with characters escaped that are not allowed in an address; existing escapes are unchanged.
    static func encoded(_ text: some Sequence<UInt8>) throws(ScrubError) -> String {
        let bytes = Array(text)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == 0x25 {
                guard index + 2 < bytes.count, digit(bytes[index + 1]) != nil, digit(bytes[index + 2]) != nil else {
                    throw RemoteURL.wrong("it has a % that does not begin an escape", "write %25 for a literal %")
                }
                result.append(byte)
            } else if isAllowed(byte) {
                result.append(byte)
            } else {
                result += [0x25, hexadecimal(byte >> 4), hexadecimal(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

    /// Returns whether a character is allowed unescaped in a path or query. Brackets, which strictly speaking are not,
    /// are left to the server.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E: true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func hexadecimal(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
