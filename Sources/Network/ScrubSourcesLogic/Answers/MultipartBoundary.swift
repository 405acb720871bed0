/// The boundary between the parts of a `multipart/byteranges` body (RFC 9110, 14.6; RFC 2046, 5.1.1).
package enum MultipartBoundary {
    /// Returns the boundary in a `Content-Type`, quoted or not; `nil` for another type, without a boundary, and for an
    /// invalid one.
    package static func named(by contentType: String) -> String? {
        var rest = Substring(contentType)
        let type = rest.prefix { $0 != ";" }
        guard trimmed(type).lowercased() == "multipart/byteranges" else { return nil }
        rest.removeFirst(type.count)
        var found: String?
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            if rest.isEmpty || rest.first == ";" { continue }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest.removeFirst(name.count)
            guard rest.first == "=" else { return nil }
            rest.removeFirst()
            guard let value = takeValue(&rest) else { return nil }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard trimmed(name).lowercased() == "boundary" else { continue }
            guard found == nil, isUsable(value) else { return nil }
            found = value
        }
        return rest.isEmpty ? found : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    /// Parses a token, or a quoted string in which a backslash precedes the character that it escapes.
    private static func takeValue(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != ";" }
            rest.removeFirst(value.count)
            return trimmed(value)
        }
        rest.removeFirst()
        var value = ""
        while let next = rest.popFirst() {
            switch next {
            case "\"": return value
            case "\\":
                guard let quoted = rest.popFirst() else { return nil }
                value.append(quoted)
            default: value.append(next)
            }
        }
        return nil
    }

    /// Returns whether a boundary has 1 to 70 visible bytes, possibly with spaces inside.
    private static func isUsable(_ value: String) -> Bool {
        (1...70).contains(value.utf8.count) && value.utf8.allSatisfy { (0x20...0x7E).contains($0) } && value.last != " "
    }
}
