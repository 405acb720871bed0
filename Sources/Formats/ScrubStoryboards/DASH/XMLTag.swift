internal import ScrubBase

/// A tag of an XML file with its attributes: only as much of XML as a manifest needs, without text, custom entities or
/// namespaces.
struct XMLTag {
    /// The name without a prefix.
    let name: String
    /// Whether elements can follow inside it.
    let isOpening: Bool
    /// Whether the tag is an end tag.
    let isClosing: Bool
    let attributes: [String: String]
    /// The position of the tag's first byte.
    let place: Int

    /// Returns the tags of a well-formed text in order. Skips comments, declarations and the text between tags.
    ///
    /// Cost: linear in the bytes of the text, whether it is well-formed or not.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the place where the text is not well-formed (XML 1.0, section 2.1):
    ///   an element without an end tag, an end tag without an element, a second root, a duplicate attribute, an
    ///   undeclared entity.
    static func tags(_ text: String) throws(ScrubError) -> [XMLTag] {
        var scanner = XMLScanner(bytes: Array(text.utf8))
        return try scanner.tags()
    }

    static func fault(_ place: Int, _ cause: String) -> ScrubError {
        ScrubError(.badData, cause, place: .byte(Int64(place)))
    }
}
