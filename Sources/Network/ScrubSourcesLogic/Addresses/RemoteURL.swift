package import ScrubBase

/// The address of a network resource: `http` or `https` only.
///
/// Its parts can be sent as they are. There are no control characters, spaces or bytes beyond ASCII, and the path
/// begins with a slash and has no dot segments. A fragment is dropped. User name and password are stored separately and
/// are in no text that this type produces.
package struct RemoteURL: Hashable, Sendable {
    /// A server's protocol.
    package enum Scheme: String, Hashable, Sendable {
        case http, https

        /// The default port: 80 or 443.
        package var port: Int { self == .http ? 80 : 443 }
    }

    /// A user name and password, without percent escapes.
    package struct UserInfo: Hashable, Sendable {
        package var user: String
        package var password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// A server's origin. Credentials and headers of a request belong to one origin.
    package struct Origin: Hashable, Sendable {
        package let scheme: Scheme
        package let host: String
        package let port: Int
    }

    package let scheme: Scheme
    /// A name in lower case, or an address in its usual notation (without brackets).
    package let host: String
    /// The address, if the host is spelled as one.
    package let address: NetworkAddress?
    /// The port, from 1 to 65,535; the scheme's default if none is given.
    package let port: Int
    /// The path, which begins with a slash; percent escapes are as written.
    package let path: String
    /// The text after the question mark; `nil` without one.
    package let query: String?
    package var userInfo: UserInfo?

    /// The maximum size of an address: 16 KiB.
    package static let byteLimit = 16 * 1024

    /// Parses an address.
    ///
    /// Spaces and characters beyond ASCII in path and query become percent escapes.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if it is not an address, or not one that can be fetched safely.
    package init(_ text: String) throws(ScrubError) {
        let reference = try URLReference(text)
        guard let scheme = reference.scheme else {
            throw RemoteURL.wrong("it has no scheme", "add http:// or https:// at the beginning")
        }
        guard let authority = reference.authority else { throw RemoteURL.wrong("it has no host") }
        try self.init(
            scheme: scheme, authority: authority, path: RemoteURL.withoutDotSegments(reference.path),
            query: reference.query)
        try checkLength()
    }

    /// Checks the length. Escapes make an address longer than it was written, and a reference is joined to its base.
    private func checkLength() throws(ScrubError) {
        let count = key.utf8.count
        guard count <= RemoteURL.byteLimit else {
            throw RemoteURL.wrong("its escaped form has \(count) bytes, but the limit is \(RemoteURL.byteLimit)")
        }
    }

    private init(scheme: String, authority: String, path: String, query: String?) throws(ScrubError) {
        guard let known = Scheme(rawValue: scheme.lowercased()) else {
            throw RemoteURL.wrong("the scheme is \(scheme)", "only http and https are supported")
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
        ScrubError(.usage, "not a usable address: \(cause)", advice: advice)
    }
}

extension RemoteURL {
    /// Returns the address of a reference in a resource at this address (RFC 3986, 5.2), such as a line of a playlist
    /// or the `Location` of a redirect.
    ///
    /// User name and password are this address's if the reference does not name a host.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if the result is not an `http` or `https` address.
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
        // The base always has a path, so merging keeps everything up to its last slash.
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

    /// The origin of the address.
    package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// The host as written in an address, with IPv6 in brackets.
    package var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The whole address without user name, password and fragment, and with the port only if it is not the scheme's
    /// default.
    ///
    /// It is the key of fetched bytes: equal for different spellings of scheme, host, port and dot segments.
    package var key: String {
        var text = "\(scheme.rawValue)://\(bracketedHost)"
        if port != scheme.port { text += ":\(port)" }
        text += path
        if let query { text += "?\(query)" }
        return text
    }

    /// The path's last component, with percent escapes of text decoded: the name of a file that is saved from here.
    package var lastPathComponent: String {
        let name = String(path.split(separator: "/").last ?? "")
        return PercentEscapes.decoded(name) ?? name
    }
}

extension RemoteURL: CustomStringConvertible {
    /// The address in a form that may be shown, without user name and password.
    package var description: String { key }
}
