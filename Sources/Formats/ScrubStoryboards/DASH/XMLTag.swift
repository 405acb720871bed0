internal import ScrubBase

/// A tag of an XML file with its attributes: as much of XML as a manifest needs, without text, entities of its own or
/// namespaces.
struct XMLTag {
    /// The name without a prefix.
    let name: String
    /// Whether elements can follow inside it.
    let isOpening: Bool
    /// Whether the tag is an end tag.
    let isClosing: Bool
    let attributes: [String: String]
    /// The place of its first byte.
    let place: Int

    /// Returns the tags of a text in their order; comments, declarations and the text between tags are passed over.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the place of a tag that is broken.
    static func tags(_ text: String) throws(ScrubError) -> [XMLTag] {
        let bytes = Array(text.utf8)
        var tags: [XMLTag] = []
        var place = 0
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = bytes[start...]
            if let ending = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")].first(where: {
                rest.starts(with: $0.0.utf8)
            }) {
                let end = Array(ending.1.utf8)
                guard let stop = rest.indices.first(where: { bytes[$0...].starts(with: end) }) else {
                    throw fault(start, "'\(ending.0)' has no end")
                }
                place = stop + end.count
            } else {
                let (tag, end) = try XMLTag.tag(bytes, start)
                tags.append(tag)
                place = end
            }
        }
        return tags
    }

    private static func tag(_ bytes: [UInt8], _ start: Int) throws(ScrubError) -> (XMLTag, end: Int) {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var place = start + 1
        func skip(while condition: (UInt8) -> Bool) -> Int {
            bytes[place...].firstIndex { !condition($0) } ?? bytes.endIndex
        }
        let isClosing = place < bytes.count && bytes[place] == UInt8(ascii: "/")
        if isClosing { place += 1 }
        let nameEnd = skip { !isSpace($0) && !"/>=<".utf8.contains($0) }
        let name = text(place..<nameEnd)
        guard !name.isEmpty else { throw fault(start, "a tag has no name") }
        place = nameEnd
        var attributes: [String: String] = [:]
        while true {
            place = skip(while: isSpace)
            guard place < bytes.count else { throw fault(start, "the tag '\(name)' has no end") }
            let isEmpty = bytes[place] == UInt8(ascii: "/")
            if isEmpty { place += 1 }
            if place < bytes.count, bytes[place] == UInt8(ascii: ">") {
                let local = name.split(separator: ":").last.map(String.init) ?? name
                let tag = XMLTag(
                    name: local, isOpening: !isClosing && !isEmpty, isClosing: isClosing, attributes: attributes,
                    place: start)
                return (tag, place + 1)
            }
            let keyEnd = skip { !isSpace($0) && !"/>=<\"'".utf8.contains($0) }
            let key = text(place..<keyEnd)
            place = keyEnd
            place = skip(while: isSpace)
            guard !isEmpty, !key.isEmpty, place < bytes.count, bytes[place] == UInt8(ascii: "=") else {
                throw fault(start, "the tag '\(name)' has a broken attribute")
            }
            place += 1
            place = skip(while: isSpace)
            guard place < bytes.count, "\"'".utf8.contains(bytes[place]),
                let end = bytes[(place + 1)...].firstIndex(of: bytes[place])
            else { throw fault(start, "the attribute '\(key)' has no value") }
            attributes[key] = PlainText.text(ofMarkup: text(place + 1..<end))
            place = end + 1
        }
    }

    static func fault(_ place: Int, _ cause: String) -> ScrubError {
        ScrubError(.badData, cause, place: "byte \(place)")
    }
}
