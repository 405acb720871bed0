/// The status and header fields of a response, in order, with names in lower case.
package struct HTTPHead: Hashable, Sendable {
    /// A header field.
    package struct Field: Hashable, Sendable {
        /// The name, in lower case.
        package let name: String
        /// The value, without surrounding space. Invalid UTF-8 is replaced.
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    /// The status, from 100 to 999.
    package let status: Int
    package let fields: [Field]
    /// The address that responded: the requested one, or the target of redirects. It is the base of relative references
    /// in the body.
    package let url: RemoteURL
    /// Whether redirects passed through another origin, after which the caller's header fields are not sent.
    package let hasLeftOrigin: Bool

    package init(status: Int, fields: [Field], url: RemoteURL, hasLeftOrigin: Bool = false) {
        self.status = status
        self.fields = fields
        self.url = url
        self.hasLeftOrigin = hasLeftOrigin
    }

    /// The first field with a name, which must be in lower case.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Returns all values of a name, which must be in lower case.
    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Returns the single value of a name; `nil` if there is none, or if fields with that name contradict each other.
    package func single(_ name: String) -> String? {
        let all = values(name)
        return all.allSatisfy { $0 == all.first } ? all.first : nil
    }
}

extension HTTPHead {
    /// The number of bytes of the body, if the header contains it exactly once.
    package var contentLength: Int64? { single("content-length").flatMap(DecimalText.int64) }

    /// The body's range in the whole.
    package var contentRange: ContentRange? { single("content-range").flatMap(ContentRange.init) }

    /// The size of the whole content: a whole body's length, or the total of a range.
    package var total: Int64? {
        switch status {
        case 206, 416: contentRange?.total
        case 200: contentLength
        default: nil
        }
    }

    /// The identifier of this version of the content.
    package var validator: Validator {
        Validator(
            entityTag: single("etag"), lastModified: single("last-modified"), date: single("date"))
    }

    /// A coding other than identity, in which case the bytes are not the file's.
    package var contentCoding: String? {
        values("content-encoding").first { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    /// The pause before retrying, in whole seconds, if the server gives it as a number.
    package var retryAfter: Int64? { single("retry-after").flatMap(DecimalText.int64) }

    /// Whether the server declares that it does not support ranges.
    package var refusesRanges: Bool { single("accept-ranges")?.lowercased() == "none" }
}

/// Decimal numbers in protocols: digits only.
package enum DecimalText {
    /// Returns the number; `nil` for anything but digits, and beyond 64 bits.
    package static func int64(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
