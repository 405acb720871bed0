/// A server's mark that tells one version of some content from another (RFC 9110, 8.8).
package struct Validator: Hashable, Sendable, Codable {
    /// The entity tag as it was sent, with its quotation marks and a `W/` in front when it is weak. `nil` without one
    /// or for a broken one.
    package let entityTag: String?
    /// The time of the last change as it was sent.
    package let lastModified: String?
    /// Whether the content cannot have changed twice within the time that ``lastModified`` names: it is at least a
    /// second before the answer's own date.
    package let isTimeStrong: Bool

    /// Nothing is known.
    package static let none = Validator(entityTag: nil, lastModified: nil, date: nil)

    /// - Parameter date: the `Date` of the answer.
    package init(entityTag: String?, lastModified: String?, date: String?) {
        self.entityTag = entityTag.flatMap { Validator.isEntityTag($0) ? $0 : nil }
        self.lastModified = lastModified
        let changed = lastModified.flatMap(HTTPDate.seconds)
        let answered = date.flatMap(HTTPDate.seconds)
        if let changed, let answered { isTimeStrong = answered > changed } else { isTimeStrong = false }
    }

    /// Whether the tag is there and proves equal bytes.
    package var hasStrongTag: Bool { entityTag.map { !$0.hasPrefix("W/") } ?? false }

    /// The value of `If-Range`: a strong tag, or without any tag a strong time; `nil` without both.
    package var ifRange: String? {
        if let entityTag { return hasStrongTag ? entityTag : nil }
        return isTimeStrong ? lastModified : nil
    }

    /// Whether equal validators prove equal bytes.
    package var isStrong: Bool { ifRange != nil }

    /// Whether two answers are of one version, as far as they tell.
    package enum Agreement: Hashable, Sendable {
        /// Everything that both say is equal, and it is something.
        case same
        /// A tag or time that both give differs.
        case different
        /// The tags differ, but the times are there and equal: pools of servers that make tags of their own look so.
        case tagsAlone
        /// They have nothing in common to compare.
        case unknown
    }

    /// Compares the validators of two answers. Totals are compared apart.
    package func agreement(with other: Validator) -> Agreement {
        let tags = entityTag.flatMap { tag in other.entityTag.map { $0 == tag } }
        let times = lastModified.flatMap { time in other.lastModified.map { $0 == time } }
        switch (tags, times) {
        case (nil, nil): return .unknown
        // A strong tag is the bytes' own; copies of a file on several machines have times of their own.
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
