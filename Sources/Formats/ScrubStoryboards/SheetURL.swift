package import ScrubBase

/// References to sheets as URLs (RFC 3986).
package enum SheetURL {
    /// Returns a sheet's path behind the base, percent-encoded.
    ///
    /// - Parameter base: `nil` for a reference relative to the index file.
    package static func reference(_ path: String, base: String?) throws(ScrubError) -> String {
        guard let base, !base.isEmpty else { return encoded(path) }
        let isClean = base.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}#?".utf8.contains($0) }
        guard isClean else {
            throw ScrubError.wrongRequest(
                "'\(base)' is not a base URL",
                advice: "percent-encode it, and leave out a query and a fragment")
        }
        return base + (base.hasSuffix("/") ? "" : "/") + encoded(path)
    }

    /// Returns the path, from the index file's folder, of the file that a URL names as long as the set lies on a disk.
    /// It is a relative URL's own path, and the last component of a URL behind a base.
    ///
    /// - Returns: `nil` when it names no file, or its percent sequences are broken.
    package static func file(_ url: String) -> String? {
        let isRooted = url.hasPrefix("/")
        guard isRooted || url.hasPrefix("https://") || url.hasPrefix("http://") else { return decoded(url) }
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // The scheme, nothing and the host come before a path; a root-relative one begins with nothing.
        guard parts.count > (isRooted && !url.hasPrefix("//") ? 1 : 3), let last = parts.last,
            let name = decoded(String(decoding: last, as: UTF8.self))
        else { return nil }
        // An escaped separator would lead out of the folder.
        return name.isEmpty || name == "." || name == ".." || name.utf8.contains(UInt8(ascii: "/")) ? nil : name
    }

    /// Returns the path with everything but unreserved characters and `/` as percent sequences of UTF-8.
    ///
    /// A colon too: in a first component it would end a scheme.
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

    /// Returns the text with its percent sequences resolved; `nil` when one is broken or they are not UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        PercentEncoding.bytes(of: text, keepsBroken: false).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
