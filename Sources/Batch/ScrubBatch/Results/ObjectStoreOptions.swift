internal import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubBase

/// An object store with the S3 protocol, and the part of it that belongs to a batch.
package struct ObjectStoreOptions: Sendable {
    /// `https://host/bucket`, without a trailing slash.
    package let base: String
    /// The prefix of keys, empty or with a trailing slash.
    package let prefix: String
    package let signer: StoreRequest.Signer

    /// Whether a folder of results names a place in an object store.
    package static func isName(_ text: String) -> Bool { text.hasPrefix("s3://") }

    /// - Parameters:
    ///   - name: `s3://BUCKET/PREFIX`.
    ///   - endpoint: the store's address; `nil` for the environment's, or else AWS's for the region. The bucket is in
    ///     the path.
    ///   - environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or
    ///     `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`.
    /// - Throws: `usage` if the name or the address is not valid, or credentials are missing.
    package init(_ name: String, endpoint: String?, environment: [String: String]) throws(ScrubError) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let parts = name.dropFirst("s3://".count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard ObjectStoreOptions.isName(name), let bucket = parts.first, !bucket.isEmpty,
            bucket.utf8.allSatisfy(ObjectStoreOptions.isOfBucket)
        else {
            throw ScrubError(.usage, "does not name a bucket", file: name, advice: "use s3://BUCKET/PREFIX")
        }
        let below = (parts.count > 1 ? parts[1] : "").split(separator: "/")
        guard !below.contains("."), !below.contains("..") else {
            throw ScrubError(.usage, "has '.' or '..' in its path", file: name, advice: "remove '.' and '..'")
        }
        prefix = below.map { $0 + "/" }.joined()
        guard let keyID = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") else {
            throw ScrubError(
                .usage, "no credentials are set for the object store", file: name,
                advice: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        }
        let region = value("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
        guard region.utf8.allSatisfy(ObjectStoreOptions.isOfBucket) else {
            throw ScrubError(.usage, "the region '\(region)' is not valid", advice: "set AWS_REGION")
        }
        signer = .init(region: region, keyID: keyID, secret: secret, token: value("AWS_SESSION_TOKEN"))
        let address =
            endpoint ?? value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? "https://s3.\(region).amazonaws.com"
        let url = try RemoteURL(address)
        guard url.userInfo == nil, url.query == nil else {
            throw ScrubError(
                .usage, "the store's address may contain only a host and a path", file: url.description,
                advice: "pass credentials in environment variables")
        }
        var root = url.key
        while root.hasSuffix("/") { root.removeLast() }
        base = root + "/" + bucket
    }

    private static func isOfBucket(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// Returns the address of an object, with the same escapes as in a signature.
    func url(_ key: String) throws(ScrubError) -> RemoteURL {
        var text = base + "/"
        for byte in SystemName.bytes(prefix + key) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F:
                text.append(Character(Unicode.Scalar(byte)))
            default: text += "%" + PlainText.hexadecimal([byte]).uppercased()
            }
        }
        return try RemoteURL(text)
    }
}
