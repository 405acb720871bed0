package import ScrubBase

/// References to sheets as URLs (RFC 3986).
package enum SheetURL {
    /// Returns a sheet's path after the base, percent-encoded.
    ///
    /// - Parameter base: `nil` for a reference relative to the index file.
    package static func reference(_ path: String, base: String?) throws(ScrubError) -> String {
        guard let base, !base.isEmpty else { return encoded(path) }
        let isClean = base.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}#?".utf8.contains($0) }
        guard isClean else {
            throw ScrubError.wrongRequest(
                "'\(base)' is not a valid base URL",
                advice: "percent-encode it, and leave out any query or fragment")
        }
        return base + (base.hasSuffix("/") ? "" : "/") + encoded(path)
    }

    /// Returns the path of the file to which a URL refers while the set is on a disk, relative to the index file's
    /// folder. For a relative URL, it is the URL's own path; for a URL with a base, it is the last component.
    ///
    /// - Returns: `nil` if it does not name a file or its percent-encoding is invalid.
    package static func file(_ url: String) -> String? {
        let isRooted = url.hasPrefix("/")
        guard isRooted || url.hasPrefix("https://") || url.hasPrefix("http://") else { return decoded(url) }
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // Before the path come the scheme, an empty part and the host; a root-relative path begins with an empty part.
        guard parts.count > (isRooted && !url.hasPrefix("//") ? 1 : 3), let last = parts.last,
            let name = decoded(String(decoding: last, as: UTF8.self))
        else { return nil }
        // An escaped separator would lead out of the folder.
        return name.isEmpty || name == "." || name == ".." || name.utf8.contains(UInt8(ascii: "/")) ? nil : name
    }

    /// Returns the path with everything except unreserved characters and `/` percent-encoded as UTF-8.
    ///
    /// This includes the colon, which in the first component would end a scheme.
    static func encoded(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~", "/": text.unicodeScalars.append(scalar)
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Returns the text with its percent-encoding removed; `nil` if it is invalid or not UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        PercentEncoding.bytes(of: text, keepsBroken: false).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
