internal import ScrubBase

/// The names in a request's `Host` that mean this server.
///
/// A foreign page can make its own name lead to this machine (DNS rebinding), but it cannot make the browser send a
/// name other than its own. A request that names another host is rejected before anything else.
package struct HostNames: Sendable {
    private let names: Set<String>
    private let port: Int
    /// Whether any numeric address is accepted, because the server listens on all of them. Numeric addresses cannot be
    /// rebound.
    private let allowsNumbers: Bool

    package init(host: String, port: Int) {
        let own = host.lowercased()
        var names: Set = ["localhost", "localhost.", "127.0.0.1", "[::1]"]
        if !HostNames.isWildcard(own) { names.insert(own.contains(":") ? "[\(own)]" : own) }
        (self.names, self.port, allowsNumbers) = (names, port, HostNames.isWildcard(own))
    }

    /// Whether the name means this server.
    package func allows(_ authority: String) -> Bool {
        let text = authority.lowercased()
        guard let (name, said) = HostNames.split(text), (said ?? 80) == port else { return false }
        return names.contains(name) || allowsNumbers && HostNames.isNumbers(name)
    }

    /// Whether a page's origin is this server's.
    package func allows(origin: String) -> Bool {
        guard origin.hasPrefix("http://") else { return false }
        return allows(String(origin.dropFirst("http://".count)))
    }

    /// Whether it stands for every address of the machine.
    package static func isWildcard(_ host: String) -> Bool { ["0.0.0.0", "::", "*", ""].contains(host) }

    /// Whether only this machine can reach it.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumbers(host)
    }

    private static func split(_ text: String) -> (name: String, port: Int?)? {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let end =
            bytes.first == UInt8(ascii: "[")
            ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        guard let end, end < text.endIndex else {
            return bytes.first == UInt8(ascii: "[") && end == nil ? nil : (text, nil)
        }
        let digits = text[end...].dropFirst()
        guard text[end] == ":", !digits.isEmpty, digits.count <= 5,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits)
        else { return nil }
        return (String(text[..<end]), port)
    }

    /// Whether a name is an IPv4 address or, in brackets, an IPv6 address.
    private static func isNumbers(_ name: String) -> Bool {
        if name.hasPrefix("[") {
            return name.dropFirst().dropLast().utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
            }
    }
}
