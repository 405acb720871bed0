package import ScrubSourcesLogic
internal import ScrubHashing
internal import ScrubBase

/// What a medium is known by in the cache: its address, whose it is, and with which credentials it was fetched.
///
/// Two callers with different credentials never see each other's bytes. The credentials themselves are never written
/// down: the catalogue has a SHA-256 of all of it with a random salt of its own, and its address with the values of
/// what looks like a signature or a token left out.
package struct MediumKey: Hashable, Sendable {
    /// The address without user information and fragment, as `RemoteURL.key` spells it.
    package let url: String
    /// What the caller wants kept apart, such as a tenant; nil for nothing.
    package let identity: String?
    /// User information, authorization header and the like, in an order that is always the same; empty for none.
    package let credentials: [String]

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - url: canonical, without user information and without fragment.
    ///   - credentials: whatever decides what a server shows to this caller.
    package init(url: String, identity: String? = nil, credentials: [String] = []) {
        self.url = url
        self.identity = identity
        self.credentials = credentials
    }

    /// The key of an address; what it has of name and password is one of the credentials.
    package init(_ url: RemoteURL, identity: String? = nil, credentials: [String] = []) {
        let own = url.userInfo.map { ["\($0.user)", "\($0.password)"] } ?? []
        self.init(url: url.key, identity: identity, credentials: own + credentials)
    }

    /// What is in the catalogue: 64 hexadecimal digits.
    func digest(salt: [UInt8]) -> String {
        // Each part with its length before it, so that no two lists of parts give the same bytes.
        var bytes = salt
        for part in [url, identity.map { "1" + $0 } ?? "0"] + credentials {
            unsafe withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { unsafe bytes += $0 }
            bytes += part.utf8
        }
        return PlainText.hexadecimal(sha256(bytes))
    }

    /// Words in the names of query items whose values are as good as a password.
    private static let secrets = [
        "sig", "token", "secret", "key", "auth", "pass", "credential", "session", "policy", "hash", "hmac", "ticket",
        "jwt",
    ]

    /// The address as it may be shown and written down.
    package var shownURL: String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        let items = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let shown = items.map { item -> String in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals].lowercased()
            return Self.secrets.contains { name.contains($0) } ? item[...equals] + "..." : String(item)
        }
        return url[...mark] + shown.joined(separator: "&")
    }
}

extension MediumKey: CustomStringConvertible {
    /// The address as it may be shown.
    package var description: String { shownURL }
}
