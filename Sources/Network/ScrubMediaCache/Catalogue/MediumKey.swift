package import ScrubSourcesLogic
internal import ScrubHashing
internal import ScrubBase

/// The key of a medium in the cache: its address, its owner, and the credentials with which it was fetched.
///
/// Two callers with different credentials never see each other's bytes. The credentials themselves are never written.
/// The catalogue contains a SHA-256 of the whole key with its own random salt, and the address without values that look
/// like a signature or a token.
package struct MediumKey: Hashable, Sendable {
    /// The address without user information and fragment, in the form of `RemoteURL.key`.
    package let url: String
    /// A name that the caller keeps separate, such as a tenant; `nil` for none.
    package let identity: String?
    /// User information, authorization header and similar values, in a fixed order; empty for none.
    package let credentials: [String]

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - url: the canonical address, without user information and fragment.
    ///   - credentials: everything that affects a server's responses to this caller.
    package init(url: String, identity: String? = nil, credentials: [String] = []) {
        self.url = url
        self.identity = identity
        self.credentials = credentials
    }

    /// Creates the key of an address. A user name and password in it are among the credentials.
    package init(_ url: RemoteURL, identity: String? = nil, credentials: [String] = []) {
        let own = url.userInfo.map { ["\($0.user)", "\($0.password)"] } ?? []
        self.init(url: url.key, identity: identity, credentials: own + credentials)
    }

    /// Returns the digest stored in the catalogue: 64 hexadecimal digits.
    func digest(salt: [UInt8]) -> String {
        // Each part is preceded by its length, so that no two lists of parts give the same bytes.
        var bytes = salt
        for part in [url, identity.map { "1" + $0 } ?? "0"] + credentials {
            unsafe withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { unsafe bytes += $0 }
            bytes += part.utf8
        }
        return PlainText.hexadecimal(sha256(bytes))
    }

    /// Words in the names of query items whose values are as sensitive as a password.
    private static let secrets = [
        "sig", "token", "secret", "key", "auth", "pass", "credential", "session", "policy", "hash", "hmac", "ticket",
        "jwt",
    ]

    /// The address in a form that may be shown and logged.
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
    /// The address in a form that may be shown.
    package var description: String { shownURL }
}
