internal import Glibc

/// An IP address, version 4 or 6.
package struct NetworkAddress: Hashable, Sendable {
    /// The bytes in network order: 4 or 16.
    package let bytes: [UInt8]

    /// Whether this is an IPv4 address.
    package var isVersion4: Bool { bytes.count == 4 }

    /// Creates an address from bytes.
    ///
    /// - Parameter bytes: 4 or 16 bytes; for any other number, the result is `nil`.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Creates an address from text: `192.0.2.1`, `2001:db8::1`.
    ///
    /// IPv4 is parsed like the system's resolver does, so short, octal and hexadecimal forms (`127.1`, `0177.0.0.1`,
    /// `0x7f000001`) are the addresses to which a connection would go.
    package init?(_ text: String) {
        if text.contains(":") {
            guard let bytes = NetworkAddress.version6(text) else { return nil }
            self.bytes = bytes
        } else {
            guard let bytes = NetworkAddress.version4(text) else { return nil }
            self.bytes = bytes
        }
    }

    private static func version6(_ text: String) -> [UInt8]? {
        var address = in6_addr()
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        return unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
    }

    /// Parses one to four numbers, of which the last fills the rest: the rule of `inet_aton`.
    private static func version4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var value: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = number(part) else { return nil }
            let bits = index == parts.count - 1 ? 8 * (5 - parts.count) : 8
            guard number < UInt64(1) << UInt64(bits) else { return nil }
            value = value << UInt64(bits) | number
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt64(24 - 8 * $0)) }
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard let first = text.utf8.first, (0x30...0x39).contains(first), text.utf8.count <= 16 else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2)
            return digits.isEmpty ? 0 : digits.first == "+" || digits.first == "-" ? nil : UInt64(digits, radix: 16)
        }
        return UInt64(text, radix: first == 0x30 && text.utf8.count > 1 ? 8 : 10)
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The usual notation: dotted decimal, or the shortest IPv6 notation without brackets.
    package var description: String {
        guard !isVersion4 else { return bytes.map { String($0) }.joined(separator: ".") }
        var address = in6_addr()
        unsafe withUnsafeMutableBytes(of: &address) { unsafe $0.copyBytes(from: bytes) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
