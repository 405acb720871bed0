internal import ScrubBase

/// A rule for a host name, all names below one, or a network.
struct HostRule: Hashable, Sendable {
    private enum Kind: Hashable {
        case name(String)
        case below(String)
        case network(NetworkAddress, bits: Int)
    }
    private let kind: Kind

    init(_ text: String) throws(ScrubError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var host = String(parts.first ?? "").lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if let address = NetworkAddress(HostRule.withoutRoot(host)) {
            let most = 8 * address.bytes.count
            let bits = parts.count == 1 ? Int64(most) : DecimalText.int64(parts[1])
            guard let bits, (0...Int64(most)).contains(bits) else { throw HostRule.wrong(text) }
            // A mapped network is an IPv4 network, however its addresses are written.
            if bits >= 96, let unmapped = address.unmapped {
                kind = .network(unmapped, bits: Int(bits) - 96)
            } else {
                kind = .network(address, bits: Int(bits))
            }
            return
        }
        guard parts.count == 1 else { throw HostRule.wrong(text) }
        let isBelow = host.hasPrefix("*.") || host.hasPrefix(".")
        let name = HostRule.withoutRoot(isBelow ? host.drop { $0 == "*" || $0 == "." } : host[...])
        guard !name.isEmpty, let url = try? RemoteURL("http://\(name)/"), url.host == name, url.address == nil else {
            throw HostRule.wrong(text)
        }
        kind = isBelow ? .below(name) : .name(name)
    }

    private static func wrong(_ text: String) -> ScrubError {
        ScrubError.wrongRequest(
            "'\(text)' is neither a host nor a network",
            advice: "use a form like example.com, *.example.com, 192.0.2.7 or 10.0.0.0/8")
    }

    private static func withoutRoot(_ name: some StringProtocol) -> String {
        String(name.hasSuffix(".") ? name.dropLast() : name[...])
    }

    /// Whether the rule is for addresses rather than names.
    var isNetwork: Bool {
        if case .network = kind { true } else { false }
    }

    func matches(name: String) -> Bool {
        let name = HostRule.withoutRoot(name)
        return switch kind {
        case .name(let own): name == own
        case .below(let own): name.hasSuffix("." + own)
        case .network: false
        }
    }

    func matches(_ address: NetworkAddress) -> Bool {
        guard case .network(let own, let bits) = kind else { return false }
        return [address, address.unmapped].contains { $0?.begins(with: own, bits: bits) == true }
    }

    /// Returns whether the embedded address of this rule is among some addresses. A rule for `64:ff9b::127.0.0.2`
    /// applies to the final destination of its packets. IPv6 networks have no single embedded address.
    func matchesInside(_ faces: [NetworkAddress]) -> Bool {
        guard case .network(let own, let bits) = kind, bits == 128 else { return false }
        return own.embedded.contains { faces.contains($0) }
    }
}

extension NetworkAddress {
    /// Returns whether the first bits equal those of another address of the same version.
    func begins(with other: NetworkAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        for (index, pair) in zip(bytes, other.bytes).enumerated() {
            let left = bits - 8 * index
            guard left > 0 else { return true }
            let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(left))
            guard pair.0 & mask == pair.1 & mask else { return false }
        }
        return true
    }
}
