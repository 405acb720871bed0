package import ScrubBase

/// The address of something on the network: `http` or `https`, and nothing else.
///
/// Its parts can be sent as they are. There are no control characters, no spaces and no bytes beyond ASCII, the path
/// begins with a slash and has no dot segments. A fragment is dropped. Name and password are kept apart and are in no
/// text that this type makes.
package struct RemoteURL: Hashable, Sendable {
    /// The protocol of a server.
    package enum Scheme: String, Hashable, Sendable {
        case http, https

        /// 80 or 443.
        package var port: Int { self == .http ? 80 : 443 }
    }

    /// Name and password, without percent escapes.
    package struct UserInfo: Hashable, Sendable {
        package var user: String
        package var password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Whom one speaks to. Credentials and headers of a request belong to one origin.
    package struct Origin: Hashable, Sendable {
        package let scheme: Scheme
        package let host: String
        package let port: Int
    }

    package let scheme: Scheme
    /// A name in lower case, or an address in its usual spelling (without brackets).
    package let host: String
    /// The address, where the host is spelled as one.
    package let address: NetworkAddress?
    /// From 1 to 65,535; the scheme's own where none is written.
    package let port: Int
    /// Begins with a slash; percent escapes as they were written.
    package let path: String
    /// The text after the question mark; `nil` without one.
    package let query: String?
    package var userInfo: UserInfo?

    /// The most bytes that an address may have: 16 KiB.
    package static let byteLimit = 16 * 1024

    /// Reads an address.
    ///
    /// Spaces and characters beyond ASCII in path and query become percent escapes.
    ///
    /// - Throws: ``ScrubError/Code/usage`` when it is not an address, or not one that can be fetched safely.
    package init(_ text: String) throws(ScrubError) {
        let reference = try URLReference(text)
        guard let scheme = reference.scheme else {
            throw RemoteURL.wrong("no scheme", "write http:// or https:// in front")
        }
        guard let authority = reference.authority else { throw RemoteURL.wrong("no host") }
        try self.init(
            scheme: scheme, authority: authority, path: RemoteURL.withoutDotSegments(reference.path),
            query: reference.query)
        try checkLength()
    }

    /// Escapes make an address longer than it was written, and a reference is joined to its base.
    private func checkLength() throws(ScrubError) {
        let count = key.utf8.count
        guard count <= RemoteURL.byteLimit else {
            throw RemoteURL.wrong("it has \(count) bytes of at most \(RemoteURL.byteLimit) with its escapes")
        }
    }

    private init(scheme: String, authority: String, path: String, query: String?) throws(ScrubError) {
        guard let known = Scheme(rawValue: scheme.lowercased()) else {
            throw RemoteURL.wrong("the scheme \(scheme):", "only http and https are asked")
        }
        let parts = try URLAuthority(authority)
        self.init(scheme: known, parts: parts, path: path, query: query)
    }

    private init(scheme: Scheme, parts: URLAuthority, path: String, query: String?) {
        self.scheme = scheme
        host = parts.host
        address = parts.address
        port = parts.port ?? scheme.port
        self.path = path.isEmpty ? "/" : path
        self.query = query
        userInfo = parts.userInfo
    }

    private init(base: RemoteURL, path: String, query: String?) {
        self = base
        self.init(
            scheme: base.scheme,
            parts: URLAuthority(
                host: base.host, address: base.address, port: base.port, userInfo: base.userInfo),
            path: path, query: query)
    }

    static func wrong(_ cause: String, _ advice: String? = nil) -> ScrubError {
        ScrubError(.usage, "not an address that can be asked: \(cause)", advice: advice)
    }
}

extension RemoteURL {
    /// Returns the address that a reference in a resource at this address names (RFC 3986, 5.2). Examples are a line of
    /// a playlist, and the `Location` of a redirect.
    ///
    /// Name and password are this one's when the reference names no host.
    ///
    /// - Throws: ``ScrubError/Code/usage`` when the result is no `http` or `https` address.
    package func resolving(_ text: String) throws(ScrubError) -> RemoteURL {
        let found = try resolved(text)
        try found.checkLength()
        return found
    }

    private func resolved(_ text: String) throws(ScrubError) -> RemoteURL {
        let reference = try URLReference(text)
        if reference.scheme != nil { return try RemoteURL(text) }
        if let authority = reference.authority {
            return try RemoteURL(
                scheme: scheme.rawValue, authority: authority, path: RemoteURL.withoutDotSegments(reference.path),
                query: reference.query)
        }
        guard !reference.path.isEmpty else {
            return RemoteURL(base: self, path: path, query: reference.query ?? query)
        }
        if reference.path.hasPrefix("/") {
            return RemoteURL(
                base: self, path: RemoteURL.withoutDotSegments(reference.path), query: reference.query)
        }
        // The base always has a path, so merging is everything up to its last slash.
        let folder = path.prefix(upTo: path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)
        return RemoteURL(
            base: self, path: RemoteURL.withoutDotSegments(folder + reference.path), query: reference.query)
    }

    /// Returns a path without `.` and `..` (RFC 3986, 5.2.4); never above the root.
    static func withoutDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        let text = kept.joined(separator: "/")
        return text.hasPrefix("/") ? text : "/" + text
    }

    /// Whom one speaks to.
    package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// The host as it is in an address: version 6 in brackets.
    package var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The whole address without name, password and fragment; the port only where it is not the scheme's own.
    ///
    /// The key of fetched bytes: equal for different spellings of scheme, host, port and dot segments.
    package var key: String {
        var text = "\(scheme.rawValue)://\(bracketedHost)"
        if port != scheme.port { text += ":\(port)" }
        text += path
        if let query { text += "?\(query)" }
        return text
    }

    /// The path's last part, without percent escapes that spell text: the name of a file that is saved from here.
    package var lastPathComponent: String {
        let name = String(path.split(separator: "/").last ?? "")
        return PercentEscapes.decoded(name) ?? name
    }
}

extension RemoteURL: CustomStringConvertible {
    /// The address as a message may show it: without name and password.
    package var description: String { key }
}
