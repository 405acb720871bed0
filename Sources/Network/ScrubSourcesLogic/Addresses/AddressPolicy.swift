package import ScrubBase

/// Which hosts and addresses may be connected to.
///
/// It judges the host as it is spelled in an address (the first, each redirect's, each line's of a playlist). Then it
/// judges the very address of a connection, after the name was resolved.
package struct AddressPolicy: Hashable, Sendable {
    /// Hosts or networks that alone are allowed; empty for all.
    private var allowed: [HostRule]
    /// Hosts or networks that are not allowed, whatever else says so.
    private var denied: [HostRule]
    /// Whether addresses that are not of the public internet are refused unless a rule of `allowed` names their
    /// network.
    package var isPublicOnly: Bool

    /// No limits: for addresses that a person types at the command line.
    package static let everything = AddressPolicy(allowed: [], denied: [], isPublicOnly: false)
    /// Public addresses only: the right choice for a service.
    package static let publicOnly = AddressPolicy(allowed: [], denied: [], isPublicOnly: true)

    private init(allowed: [HostRule], denied: [HostRule], isPublicOnly: Bool) {
        self.allowed = allowed
        self.denied = denied
        self.isPublicOnly = isPublicOnly
    }

    /// - Parameters:
    ///   - allow: `example.com`, `*.example.com` (all names below it), `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. With
    ///     any, only these are allowed; a connection whose host matches no name needs an address that matches a
    ///     network.
    ///   - deny: the same spellings.
    ///   - publicOnly: whether addresses of private and local networks are refused. Only a network in `allow` opens
    ///     them, never a name: the owner of a name decides its address.
    /// - Throws: ``ScrubError/Code/usage`` for an invalid rule.
    package init(allow: [String], deny: [String], publicOnly: Bool = false) throws(ScrubError) {
        var allowed: [HostRule] = []
        for text in allow { allowed.append(try HostRule(text)) }
        var denied: [HostRule] = []
        for text in deny { denied.append(try HostRule(text)) }
        self.init(allowed: allowed, denied: denied, isPublicOnly: publicOnly)
    }

    /// Judges a host before it is resolved.
    ///
    /// - Returns: why it is refused; `nil` when it is not, as far as its spelling tells.
    package func refusal(of url: RemoteURL) -> AddressRefusal? {
        if let address = url.address { return refusal(of: address, host: url.host) }
        if denied.contains(where: { $0.matches(name: url.host) }) { return AddressPolicy.denied(url.host) }
        // A name that no rule has may still have an address that one has.
        guard allowed.isEmpty || allowed.contains(where: { $0.matches(name: url.host) || $0.isNetwork }) else {
            return AddressPolicy.missing(url.host)
        }
        return nil
    }

    private static func denied(_ host: String) -> AddressRefusal {
        AddressRefusal(
            "the host \(host) is denied",
            remedy: "if you trust it, take it out of what is denied (\(term: .deniedHosts))")
    }

    private static func missing(_ host: String) -> AddressRefusal {
        AddressRefusal(
            "the host \(host) is not one of those allowed",
            remedy: "if you trust it, add it to them (\(term: .allowedHosts(nil)))")
    }

    /// Judges an address that is about to be connected to.
    ///
    /// - Parameter host: the host as the address spells it.
    /// - Returns: why it is refused; `nil` when it is not.
    package func refusal(of address: NetworkAddress, host: String) -> AddressRefusal? {
        // A packet to an address that has another one inside may end at either.
        let faces = [address] + address.embedded
        let spelled = address.description == host ? host : "\(host) (\(address))"
        let isDenied = denied.contains { rule in
            rule.matches(name: host) || rule.matchesInside(faces) || faces.contains { rule.matches($0) }
        }
        if isDenied {
            return AddressPolicy.denied(spelled)
        }
        let isOfAllowedNetwork =
            faces.allSatisfy { face in allowed.contains { $0.matches(face) } }
            || allowed.contains { $0.matches(address) }
        guard allowed.isEmpty || isOfAllowedNetwork || allowed.contains(where: { $0.matches(name: host) }) else {
            return AddressPolicy.missing(spelled)
        }
        if isPublicOnly, !isOfAllowedNetwork, let kind = faces.lazy.compactMap(\.innerKind).first {
            return AddressRefusal(
                "\(spelled) is \(kind)",
                remedy:
                    "if you trust it, allow the address itself (\(term: .allowedHosts(address.description))): a host's name is not enough"
            )
        }
        return nil
    }
}
