package import ScrubBase

/// The hosts and addresses to which connections are allowed.
///
/// It checks the host as spelled in an address (the first one, each redirect's, and each line's of a playlist). It then
/// checks the actual address of a connection, after resolving the name.
package struct AddressPolicy: Hashable, Sendable {
    /// The only hosts or networks that are allowed; empty for all.
    private var allowed: [HostRule]
    /// The hosts or networks that are denied, regardless of other rules.
    private var denied: [HostRule]
    /// Whether addresses outside the public internet are denied unless a rule of `allowed` contains their network.
    package var isPublicOnly: Bool

    /// No restrictions, for addresses that a person types on the command line.
    package static let everything = AddressPolicy(allowed: [], denied: [], isPublicOnly: false)
    /// Public addresses only, the right choice for a service.
    package static let publicOnly = AddressPolicy(allowed: [], denied: [], isPublicOnly: true)

    private init(allowed: [HostRule], denied: [HostRule], isPublicOnly: Bool) {
        self.allowed = allowed
        self.denied = denied
        self.isPublicOnly = isPublicOnly
    }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - allow: `example.com`, `*.example.com` (all names below it), `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. If
    ///     there are any, only these are allowed; a connection whose host matches no name needs an address that matches
    ///     a network.
    ///   - deny: rules in the same notation.
    ///   - publicOnly: whether addresses of private and local networks are denied. Only a network in `allow` permits
    ///     them, never a name, because the owner of a name chooses its address.
    /// - Throws: ``ScrubError/Code/usage`` for an invalid rule.
    package init(allow: [String], deny: [String], publicOnly: Bool = false) throws(ScrubError) {
        var allowed: [HostRule] = []
        for text in allow { allowed.append(try HostRule(text)) }
        var denied: [HostRule] = []
        for text in deny { denied.append(try HostRule(text)) }
        self.init(allowed: allowed, denied: denied, isPublicOnly: publicOnly)
    }

    /// Checks a host before it is resolved.
    ///
    /// - Returns: the reason why it is denied; `nil` if it is not, as far as its spelling shows.
    package func refusal(of url: RemoteURL) -> AddressRefusal? {
        if let address = url.address { return refusal(of: address, host: url.host) }
        if denied.contains(where: { $0.matches(name: url.host) }) { return AddressPolicy.denied(url.host) }
        // A name without a matching rule may still have an address that matches one.
        guard allowed.isEmpty || allowed.contains(where: { $0.matches(name: url.host) || $0.isNetwork }) else {
            return AddressPolicy.missing(url.host)
        }
        return nil
    }

    private static func denied(_ host: String) -> AddressRefusal {
        AddressRefusal(
            "the host \(host) is denied",
            remedy: "if you trust it, remove it from the denied hosts (\(term: .deniedHosts))")
    }

    private static func missing(_ host: String) -> AddressRefusal {
        AddressRefusal(
            "the host \(host) is not one of the allowed hosts",
            remedy: "if you trust it, add it to the allowed hosts (\(term: .allowedHosts(nil)))")
    }

    /// Checks an address before connecting to it.
    ///
    /// - Parameter host: the host as spelled in the address.
    /// - Returns: the reason why it is denied; `nil` if it is not.
    package func refusal(of address: NetworkAddress, host: String) -> AddressRefusal? {
        // A packet to an address with an embedded one may end up at either.
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
                    "if you trust it, allow the IP address itself (\(term: .allowedHosts(address.description))): a host name is not enough"
            )
        }
        return nil
    }
}
