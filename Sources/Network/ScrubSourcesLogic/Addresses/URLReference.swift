internal import ScrubBase

/// The parts of an address or of a relative reference as written (RFC 3986, appendix B), made safe to send.
struct URLReference {
    var scheme: String?
    var authority: String?
    var path = ""
    var query: String?

    init(_ text: String) throws(ScrubError) {
        guard text.utf8.count <= RemoteURL.byteLimit else {
            throw RemoteURL.wrong("it has \(text.utf8.count) bytes, but the limit is \(RemoteURL.byteLimit)")
        }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw RemoteURL.wrong("it contains a line break or another control character")
        }
        // Bytes are compared, because to Swift a combining mark joins the character before it.
        var rest = text.utf8[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = try PercentEscapes.encoded(rest[mark...].dropFirst())
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), URLReference.isScheme(rest[..<colon]) {
            scheme = String(decoding: rest[..<colon], as: UTF8.self)
            rest = rest[colon...].dropFirst()
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        }
        path = try PercentEscapes.encoded(rest)
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, PercentEscapes.isLetter(first) else { return false }
        return text.allSatisfy {
            PercentEscapes.isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
        }
    }
}

/// The part between `//` and the path: user name and password, host, port.
struct URLAuthority {
    var host: String
    var address: NetworkAddress?
    var port: Int?
    var userInfo: RemoteURL.UserInfo?

    init(host: String, address: NetworkAddress?, port: Int?, userInfo: RemoteURL.UserInfo?) {
        self.host = host
        self.address = address
        self.port = port
        self.userInfo = userInfo
    }

    init(_ text: String) throws(ScrubError) {
        var rest = text[...]
        if let at = rest.utf8.firstIndex(of: UInt8(ascii: "@")) {
            guard rest.utf8.lastIndex(of: UInt8(ascii: "@")) == at else {
                // Programs disagree about which one ends the password, and thus about the host.
                throw RemoteURL.wrong(
                    "it has more than one @ before the path", "write %40 for an @ in a name or password")
            }
            userInfo = try URLAuthority.userInfo(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        // A host contains only ASCII, so from here on bytes are characters.
        guard rest.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw RemoteURL.wrong("the host has non-ASCII characters", "write it in its registered form, xn--…")
        }
        let portText: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw RemoteURL.wrong("a bracket is not closed") }
            let inside = String(rest[rest.index(after: rest.startIndex)..<end])
            guard !inside.contains("%") else {
                throw RemoteURL.wrong("the IPv6 address has a zone", "use the host name instead")
            }
            guard inside.contains(":"), let address = NetworkAddress(inside) else {
                throw RemoteURL.wrong("[\(inside)] is not an IPv6 address")
            }
            self.address = address
            host = address.description
            let after = rest[rest.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw RemoteURL.wrong("text follows the bracket") }
            portText = after.isEmpty ? nil : after.dropFirst()
        } else {
            let colon = rest.firstIndex(of: ":")
            (host, address) = try URLAuthority.host(rest[..<(colon ?? rest.endIndex)])
            portText = colon.map { rest[rest.index(after: $0)...] }
        }
        if let portText, !portText.isEmpty {
            guard portText.utf8.count <= 5, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(portText), (1...65535).contains(number)
            else { throw RemoteURL.wrong("\(portText) is not a port") }
            port = number
        }
    }

    private static func userInfo(_ text: Substring) throws(ScrubError) -> RemoteURL.UserInfo {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        guard let user = PercentEscapes.decoded(text[..<(colon ?? text.endIndex)]),
            let password = PercentEscapes.decoded(colon.map { text[text.utf8.index(after: $0)...] } ?? ""),
            !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), !user.utf8.contains(UInt8(ascii: ":"))
        else { throw RemoteURL.wrong("the user name or password is invalid") }
        return RemoteURL.UserInfo(user: user, password: password)
    }

    private static func host(_ text: Substring) throws(ScrubError) -> (String, NetworkAddress?) {
        guard !text.isEmpty else { throw RemoteURL.wrong("it has no host") }
        guard text.utf8.count <= 253, text.utf8.allSatisfy(isHostByte) else {
            throw RemoteURL.wrong("\(text.prefix(64)) is not a host")
        }
        let name = text.lowercased()
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // The trailing dot of the root is rarely written and means the same name.
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        guard labels.allSatisfy({ (1...63).contains($0.utf8.count) }), let last = labels.last else {
            throw RemoteURL.wrong("\(text.prefix(64)) is not a host")
        }
        // A host that ends in a number is always an address, however it is spelled.
        guard last.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
            last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x")
        else { return (name, nil) }
        guard let address = NetworkAddress(labels.joined(separator: ".")) else {
            throw RemoteURL.wrong("\(text) is not an IPv4 address")
        }
        return (address.description, address)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        PercentEscapes.isLetter(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
    }
}
