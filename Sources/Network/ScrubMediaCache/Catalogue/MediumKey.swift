package import ScrubSourcesLogic
internal import ScrubHashing
internal import ScrubBase

/// The key of a medium in the cache: its address, its owner, and the credentials with which it was fetched.
///
/// Two callers with different credentials never see each other's bytes. The credentials themselves are never written.
/// The catalogue has a SHA-256 of the whole key with a random salt of its own, and its address without the values that
/// look like a signature or a token.
package struct MediumKey: Hashable, Sendable {
    /// The address without user information and fragment, as `RemoteURL.key` spells it.
    package let url: String
    /// A name that the caller wants kept apart, such as a tenant; nil for no such name.
    package let identity: String?
    /// User information, authorization header and the like, in an order that is always the same; empty for none.
    package let credentials: [String]

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - url: canonical, without user information and without fragment.
    ///   - credentials: everything that decides about a server's answers to this caller.
    package init(url: String, identity: String? = nil, credentials: [String] = []) {
        self.url = url
        self.identity = identity
        self.credentials = credentials
    }

    /// Creates the key of an address; a name and password in it are one of the credentials.
    package init(_ url: RemoteURL, identity: String? = nil, credentials: [String] = []) {
        let own = url.userInfo.map { ["\($0.user)", "\($0.password)"] } ?? []
        self.init(url: url.key, identity: identity, credentials: own + credentials)
    }

    /// Returns the digest that the catalogue has: 64 hexadecimal digits.
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
