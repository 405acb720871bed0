extension NetworkAddress {
    /// The address of version 4 that is inside one of version 6, where there is one: mapped (`::ffff:0:0/96`),
    /// compatible (`::/96`), translated (`64:ff9b::/96`), 6to4 (`2002::/16`).
    package var embedded: [NetworkAddress] {
        guard !isVersion4 else { return [] }
        let part: ArraySlice<UInt8>
        if bytes.starts(with: [0x20, 0x02]) {
            part = bytes[2..<6]
        } else if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) {
            part = bytes[12...]
        } else if bytes.prefix(10).allSatisfy({ $0 == 0 }),
            Array(bytes[10..<12]) == [0xFF, 0xFF] || Array(bytes[10..<12]) == [0, 0]
        {
            part = bytes[12...]
        } else {
            return []
        }
        return NetworkAddress(bytes: Array(part)).map { [$0] } ?? []
    }

    /// The kind of this address if it is not of the public internet: "a loopback address". `nil` when it is one. An
    /// address inside it is judged separately.
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
        Kind("192.168.0.0", 16, "a private address"), Kind("100.64.0.0", 10, "an address of a provider's network"),
        Kind("169.254.0.0", 16, "a link-local address"), Kind("192.0.0.0", 24, "a reserved address"),
        Kind("192.0.2.0", 24, "an address for documents"), Kind("198.51.100.0", 24, "an address for documents"),
        Kind("203.0.113.0", 24, "an address for documents"), Kind("198.18.0.0", 15, "an address for benchmarks"),
        Kind("192.88.99.0", 24, "a relay's address"), Kind("224.0.0.0", 4, "a multicast address"),
        Kind("240.0.0.0", 4, "a reserved address"),
    ].compactMap(\.self)

    private static let kinds6 = [
        Kind("::1", 128, "a loopback address"), Kind("::", 128, "an address of this host"),
        Kind("fe80::", 10, "a link-local address"), Kind("fec0::", 10, "a private address"),
        Kind("fc00::", 7, "a private address"), Kind("ff00::", 8, "a multicast address"),
        Kind("2001:db8::", 32, "an address for documents"), Kind("3fff::", 20, "an address for documents"),
        Kind("64:ff9b:1::", 48, "an address of a translator's network"), Kind("100::", 64, "an address that discards"),
        Kind("2001::", 23, "a reserved address"), Kind("5f00::", 16, "a reserved address"),
    ].compactMap(\.self)
}
