internal import ScrubBase

/// A scanner of XML text. It rejects text that is not well-formed.
struct XMLScanner {
    private let bytes: [UInt8]
    private var place = 0
    /// The names of the open elements, as ranges of `bytes`. Recursion is avoided because nesting may be as deep as the
    /// text is long.
    private var open: [Range<Int>] = []
    private var hasRoot = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func tags() throws(ScrubError) -> [XMLTag] {
        var tags: [XMLTag] = []
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        let beginning = place
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                try skipText()
                continue
            }
            if starts(with: "<!--") {
                try skipComment()
            } else if starts(with: "<![CDATA[") {
                guard !open.isEmpty else { throw XMLTag.fault(place, "there is text outside the root element") }
                try skip(past: "]]>", of: "<![CDATA[")
            } else if starts(with: "<?") {
                let isDeclaration = starts(with: "<?xml") && place + 5 < bytes.count && isSpace(bytes[place + 5])
                guard !isDeclaration || place == beginning else {
                    throw XMLTag.fault(place, "an XML declaration must be at the start")
                }
                try skip(past: "?>", of: "<?")
            } else if starts(with: "<!") {
                try skipDoctype()
            } else {
                tags.append(try tag())
            }
        }
        if let name = open.last {
            throw XMLTag.fault(name.lowerBound - 1, "the element '\(text(name))' is not closed")
        }
        guard hasRoot else { throw XMLTag.fault(beginning, "there is no root element") }
        return tags
    }

    /// Reads a tag, and opens or closes its element.
    private mutating func tag() throws(ScrubError) -> XMLTag {
        let start = place
        place += 1
        let isClosing = place < bytes.count && bytes[place] == UInt8(ascii: "/")
        if isClosing { place += 1 }
        let name = try name(or: "a tag has no name")
        var attributes: [String: String] = [:]
        var keys: Set<String> = []
        while true {
            let isSeparated = skipSpaces()
            guard place < bytes.count else { throw XMLTag.fault(start, "the tag '\(text(name))' is not closed") }
            let isEmpty = bytes[place] == UInt8(ascii: "/")
            if isEmpty { place += 1 }
            if place < bytes.count, bytes[place] == UInt8(ascii: ">") {
                guard !(isClosing && isEmpty) else {
                    throw XMLTag.fault(start, "the end tag '\(text(name))' ends with a slash")
                }
                place += 1
                try take(name, start, isClosing: isClosing, isEmpty: isEmpty)
                let full = text(name)
                return XMLTag(
                    name: full.split(separator: ":").last.map(String.init) ?? full,
                    isOpening: !isClosing && !isEmpty, isClosing: isClosing, attributes: attributes, place: start)
            }
            let broken = "the tag '\(text(name))' has a malformed attribute"
            guard !isEmpty, !isClosing, isSeparated else { throw XMLTag.fault(start, broken) }
            let key = text(try self.name(or: broken))
            guard keys.insert(key).inserted else {
                throw XMLTag.fault(start, "the attribute '\(key)' occurs twice")
            }
            attributes[key] = try value(of: key, start)
        }
    }

    /// Opens or closes an element.
    private mutating func take(
        _ name: Range<Int>, _ start: Int, isClosing: Bool, isEmpty: Bool
    ) throws(ScrubError) {
        if isClosing {
            guard let own = open.popLast() else {
                throw XMLTag.fault(start, "the end tag '\(text(name))' has no start tag")
            }
            guard bytes[own] == bytes[name] else {
                throw XMLTag.fault(start, "the element '\(text(own))' is closed by '\(text(name))'")
            }
        } else {
            guard !open.isEmpty || !hasRoot else { throw XMLTag.fault(start, "a second root element") }
            hasRoot = true
            if !isEmpty { open.append(name) }
        }
    }

    /// Reads ` = "value"`.
    private mutating func value(of key: String, _ start: Int) throws(ScrubError) -> String {
        _ = skipSpaces()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else {
            throw XMLTag.fault(start, "the attribute '\(key)' has no value")
        }
        place += 1
        _ = skipSpaces()
        guard place < bytes.count, "\"'".utf8.contains(bytes[place]),
            let end = bytes[(place + 1)...].firstIndex(where: { $0 == bytes[place] || $0 == UInt8(ascii: "<") }),
            bytes[end] == bytes[place]
        else { throw XMLTag.fault(start, "the attribute '\(key)' has no value") }
        let value = place + 1..<end
        try checkCharacters(value)
        place = end + 1
        return PlainText.text(ofMarkup: text(value))
    }

    /// Reads a name. Its first character cannot be a digit, a dot or a dash.
    private mutating func name(or cause: String) throws(ScrubError) -> Range<Int> {
        let start = place
        place = bytes[place...].firstIndex { isSpace($0) || "/>=<\"'&!?;#".utf8.contains($0) } ?? bytes.endIndex
        guard start < place, !"-.0123456789".utf8.contains(bytes[start]),
            !bytes[start..<place].contains(where: isControl)
        else { throw XMLTag.fault(start, cause) }
        return start..<place
    }

    private mutating func skipText() throws(ScrubError) {
        let start = place
        place = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
        guard open.isEmpty else { return try checkCharacters(start..<place) }
        guard bytes[start..<place].allSatisfy(isSpace) else {
            throw XMLTag.fault(start, "there is text outside the root element")
        }
    }

    /// Checks text or an attribute's value. Control characters are not allowed. References may only refer to a
    /// character or one of XML's five predefined entities.
    private func checkCharacters(_ range: Range<Int>) throws(ScrubError) {
        for place in range {
            if isControl(bytes[place]) { throw XMLTag.fault(place, "a control character") }
            guard bytes[place] == UInt8(ascii: "&") else { continue }
            // Known references are resolved; all others stay unchanged.
            let end = bytes[place..<min(range.upperBound, place + 12)].firstIndex(of: UInt8(ascii: ";"))
            let reference = end.map { text(place..<$0 + 1) }
            guard let reference, PlainText.text(ofMarkup: reference) != reference else {
                throw XMLTag.fault(place, "an undeclared entity")
            }
        }
    }

    private mutating func skipComment() throws(ScrubError) {
        let start = place
        place += 4
        try skip(past: "--", of: "<!--", at: start)
        guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else {
            throw XMLTag.fault(start, "'--' inside a comment")
        }
        place += 1
    }

    private mutating func skipDoctype() throws(ScrubError) {
        guard starts(with: "<!DOCTYPE"), open.isEmpty, !hasRoot else { throw XMLTag.fault(place, "a tag has no name") }
        let start = place
        try skip(past: ">", of: "<!DOCTYPE")
        guard !bytes[start..<place].contains(UInt8(ascii: "[")) else {
            throw XMLTag.fault(start, "the document type contains declarations, which manifests do not have")
        }
    }

    private mutating func skip(past end: String, of name: String, at start: Int? = nil) throws(ScrubError) {
        let first = start ?? place
        var next = place
        while let found = bytes[next...].firstIndex(where: { $0 == end.utf8.first }) {
            if bytes[found...].starts(with: end.utf8) {
                place = found + end.utf8.count
                return
            }
            next = found + 1
        }
        throw XMLTag.fault(first, "'\(name)' is not closed")
    }

    private mutating func skipSpaces() -> Bool {
        let start = place
        place = bytes[place...].firstIndex { !isSpace($0) } ?? bytes.endIndex
        return start < place
    }

    private func starts(with text: String) -> Bool { bytes[place...].starts(with: text.utf8) }
    private func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !isSpace(byte) }
    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
