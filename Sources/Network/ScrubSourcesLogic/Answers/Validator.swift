/// A server's validator, which distinguishes versions of some content (RFC 9110, 8.8).
package struct Validator: Hashable, Sendable, Codable {
    /// The entity tag as sent, with its quotation marks and a `W/` prefix if it is weak; `nil` for a missing or invalid
    /// one.
    package let entityTag: String?
    /// The modification time as sent.
    package let lastModified: String?
    /// Whether the content cannot have changed twice within the time of ``lastModified``, because it is at least a
    /// second before the response's own date.
    package let isTimeStrong: Bool

    /// No validator.
    package static let none = Validator(entityTag: nil, lastModified: nil, date: nil)

    /// Creates a validator from header fields.
    ///
    /// - Parameter date: the `Date` of the response.
    package init(entityTag: String?, lastModified: String?, date: String?) {
        self.entityTag = entityTag.flatMap { Validator.isEntityTag($0) ? $0 : nil }
        self.lastModified = lastModified
        let changed = lastModified.flatMap(HTTPDate.seconds)
        let answered = date.flatMap(HTTPDate.seconds)
        if let changed, let answered { isTimeStrong = answered > changed } else { isTimeStrong = false }
    }

    /// Whether there is a tag that proves equal bytes.
    package var hasStrongTag: Bool { entityTag.map { !$0.hasPrefix("W/") } ?? false }

    /// The value of `If-Range`: a strong tag, or without any tag a strong time; `nil` if there is neither.
    package var ifRange: String? {
        if let entityTag { return hasStrongTag ? entityTag : nil }
        return isTimeStrong ? lastModified : nil
    }

    /// Whether equal validators prove equal bytes.
    package var isStrong: Bool { ifRange != nil }

    /// Whether two responses belong to the same version, as far as they tell.
    package enum Agreement: Hashable, Sendable {
        /// All values that both have are equal, and there is at least one.
        case same
        /// A tag or time that both have differs.
        case different
        /// The tags differ, but both have equal times, which is typical of server pools with different tags.
        case tagsAlone
        /// They have no values in common to compare.
        case unknown
    }

    /// Compares the validators of two responses. Sizes are compared separately.
    package func agreement(with other: Validator) -> Agreement {
        let tags = entityTag.flatMap { tag in other.entityTag.map { $0 == tag } }
        let times = lastModified.flatMap { time in other.lastModified.map { $0 == time } }
        switch (tags, times) {
        case (nil, nil): return .unknown
        // A strong tag depends on the bytes only; copies of a file on several machines have different times.
        case (true, false): return hasStrongTag ? .same : .different
        case (false, true): return .tagsAlone
        case (false, _), (_, false): return .different
        default: return .same
        }
    }

    private static func isEntityTag(_ text: String) -> Bool {
        let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        guard tag.utf8.count >= 2, tag.utf8.count <= 1024, tag.hasPrefix("\""), tag.hasSuffix("\"") else {
            return false
        }
        return tag.utf8.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7F }
    }
}
