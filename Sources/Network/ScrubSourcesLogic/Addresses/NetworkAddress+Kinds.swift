extension NetworkAddress {
    /// The IPv4 addresses that are embedded in an IPv6 address, for every possible destination of a packet to it:
    /// mapped (`::ffff:0:0/96`), compatible (`::/96`), translated (`::ffff:0:0:0/96`, `64:ff9b::/96`,
    /// `64:ff9b:1::/48`), 6to4 (`2002::/16`), Teredo (`2001::/32`, its server and its client), ISATAP (`::5efe:a.b.c.d`
    /// as the interface).
    package var embedded: [NetworkAddress] {
        guard !isVersion4 else { return [] }
        var parts: [[UInt8]] = []
        let last = Array(bytes[12...])
        switch bytes {
        case _ where bytes.starts(with: [0x20, 0x02]): parts.append(Array(bytes[2..<6]))
        case _ where bytes.starts(with: [0x20, 0x01, 0, 0]): parts += [Array(bytes[4..<8]), last.map { ~$0 }]
        case _ where bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]): parts.append(last)
        case _ where bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01]):
            // The network's own prefix may have 48, 56, 64 or 96 bits (RFC 6052, 2.2). Byte 8 is never part of the
            // address.
            parts += [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]].map { $0.map { bytes[$0] } }
        case _ where isVersion4Inside: parts.append(last)
        default: break
        }
        // An ISATAP interface (RFC 5214, 6.1) may be in any network.
        if [[0, 0, 0x5E, 0xFE], [2, 0, 0x5E, 0xFE]].contains(Array(bytes[8..<12])) { parts.append(last) }
        return parts.compactMap { NetworkAddress(bytes: $0) }
    }

    /// Whether this is a form with a 96-bit prefix and an IPv4 address: mapped, compatible, translated (RFC 4291,
    /// 2.5.5; RFC 2765, 2.1).
    private var isVersion4Inside: Bool {
        let head = Array(bytes[8..<12])
        return bytes.starts(with: [UInt8](repeating: 0, count: 8))
            && [[0, 0, 0, 0], [0, 0, 0xFF, 0xFF], [0xFF, 0xFF, 0, 0]].contains(head)
    }

    /// The IPv4 address of a mapped one (`::ffff:127.0.0.1`). The system connects to it.
    var unmapped: NetworkAddress? {
        guard !isVersion4, bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) else { return nil }
        return NetworkAddress(bytes: Array(bytes[12...]))
    }

    /// The kind of this address if it is not on the public internet: "a loopback address"; `nil` if it is. An embedded
    /// address is checked separately.
    package var innerKind: String? {
        let kinds = isVersion4 ? NetworkAddress.kinds4 : NetworkAddress.kinds6
        return kinds.first { begins(with: $0.network, bits: $0.bits) }?.kind
    }

    private struct Kind {
        let network: NetworkAddress
        let bits: Int
        let kind: String

        init?(_ network: String, _ bits: Int, _ kind: String) {
            guard let address = NetworkAddress(network) else { return nil }
            self.network = address
            self.bits = bits
            self.kind = kind
        }
    }

    // The registries of special-purpose addresses (RFC 6890 and its successors).
    private static let kinds4 = [
        Kind("0.0.0.0", 8, "an address of this host"), Kind("127.0.0.0", 8, "a loopback address"),
        Kind("10.0.0.0", 8, "a private address"), Kind("172.16.0.0", 12, "a private address"),
        Kind("192.168.0.0", 16, "a private address"), Kind("100.64.0.0", 10, "a carrier-grade NAT address"),
        Kind("169.254.0.0", 16, "a link-local address"), Kind("192.0.0.0", 24, "a reserved address"),
        Kind("192.0.2.0", 24, "a documentation address"), Kind("198.51.100.0", 24, "a documentation address"),
        Kind("203.0.113.0", 24, "a documentation address"), Kind("198.18.0.0", 15, "a benchmarking address"),
        Kind("192.88.99.0", 24, "a relay address"), Kind("224.0.0.0", 4, "a multicast address"),
        Kind("240.0.0.0", 4, "a reserved address"),
    ].compactMap(\.self)

    private static let kinds6 = [
        Kind("::1", 128, "a loopback address"), Kind("::", 128, "an address of this host"),
        Kind("fe80::", 10, "a link-local address"), Kind("fec0::", 10, "a private address"),
        Kind("fc00::", 7, "a private address"), Kind("ff00::", 8, "a multicast address"),
        Kind("2001:db8::", 32, "a documentation address"), Kind("3fff::", 20, "a documentation address"),
        Kind("64:ff9b:1::", 48, "a local NAT64 address"), Kind("100::", 64, "a discard address"),
        Kind("2001::", 23, "a reserved address"), Kind("5f00::", 16, "a reserved address"),
    ].compactMap(\.self)
}
