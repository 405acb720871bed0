package import ScrubBase

/// A list of files to process, saved in a file so that every machine sees the same list.
///
/// There are two forms, and the first line that is not blank determines which: if it begins with `{`, the list is JSON
/// Lines, otherwise plain.
///
/// - Plain: a path on each line. LF or CR LF ends a line. Every other byte belongs to the name, including leading and
///   trailing blanks and bytes that are not UTF-8. Blank lines are ignored. There are no comments: `#1.mp4` is a name.
///   (A first name that begins with `{`, one with a line break and one that ends with CR need JSON Lines; the first can
///   also be written `./{…`.)
/// - JSON Lines: an object on each line, with `file` and, if known, `place` (of its results), `key`
///   (hexadecimal), `cost` (predicted processor seconds) and `bytes`. Other members are ignored. Names whose bytes are
///   not UTF-8 are written as in ``SystemName``.
///
/// In both forms, a UTF-8 byte order mark at the beginning is skipped, and UTF-16 and the byte 0 are rejected. So is
/// `..` in a path, because results have the same paths below their folder, and no path may lead out of it.
package struct BatchManifest: Sendable {
    /// A file of a manifest.
    package struct Entry: Sendable {
        /// The path as in the manifest, in the form of ``SystemName``: absolute, or relative to the manifest's folder.
        package let file: String
        /// The key of the file's content as lower-case hexadecimal digits, if the manifest has it.
        package let key: String?
        /// The predicted processor seconds, 0 or more and finite, if the manifest has them.
        package let cost: Double?
        /// The file's size, if the manifest has it.
        package let byteCount: Int64?
        /// Whether the manifest itself says where the results are; otherwise, their place is the path.
        package let isNamed: Bool
        /// Its line number, from 1; 0 if it is not from a manifest.
        package let line: Int
        /// The path below the folder of results: without a leading slash, `.` and empty names. No two entries have the
        /// same place.
        package let place: String

        package init(
            file: String, key: String? = nil, cost: Double? = nil, byteCount: Int64? = nil, place named: String? = nil,
            line: Int = 0
        ) {
            (self.file, self.key, self.cost, self.byteCount, self.line) = (file, key, cost, byteCount, line)
            place = Entry.plain(named ?? file)
            isNamed = named != nil
        }

        /// The file's path without a leading slash, `.` and empty names.
        var plainFile: String { isNamed ? Entry.plain(file) : place }

        private static func plain(_ path: String) -> String {
            hasOddNames(path) ? path.pathComponents.filter { $0 != "." }.joined(separator: "/") : path
        }

        /// Whether a path has a leading or trailing slash, or contains a name that is empty or begins with a dot; few
        /// do.
        static func hasOddNames(_ path: String) -> Bool {
            var last = UInt8(ascii: "/")
            for byte in path.utf8 {
                if last == UInt8(ascii: "/"), byte == last || byte == UInt8(ascii: ".") { return true }
                last = byte
            }
            return last == UInt8(ascii: "/")
        }
    }

    /// The files in the manifest's order, each once.
    package private(set) var entries: [Entry] = []
    /// Lines that repeated a file without other facts about it.
    package private(set) var repeatedCount = 0

    /// The maximum number of files in a manifest.
    package static let largestCount = 20_000_000

    /// Reads a manifest.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the line and its error. The caller adds the file's name.
    /// - Complexity: about 2 µs for each plain line and 5 µs for each object.
    package init(_ bytes: [UInt8]) throws(ScrubError) {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw ScrubError(.badData, "the list is UTF-16", place: "line 1", advice: "save it as UTF-8")
        }
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        var form: Form?
        var line = 0
        var places: [Place: Int] = [:]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            var text = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            line += 1
            if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
            guard text.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
            if text.contains(0) {
                throw ScrubError(
                    .badData, "a name contains a NUL byte", place: .line(line),
                    advice: "put each name on its own line: find -print, not -print0")
            }
            let known =
                form ?? (text.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") ? .objects : .paths)
            form = known
            let entry =
                try known == .objects ? Entry(object: text, line: line) : Entry(path: SystemName.text(text), line)
            try add(entry, &places)
        }
    }

    private enum Form { case paths, objects }

    /// A path as the system compares it: Swift considers two encodings of one letter equal.
    private struct Place: Hashable {
        let text: String

        // Equal bytes are equal strings, which have equal hashes.
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
        static func == (left: Place, right: Place) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    }

    private mutating func add(_ entry: Entry, _ places: inout [Place: Int]) throws(ScrubError) {
        if let known = places.updateValue(entries.count, forKey: Place(text: entry.place)) {
            let other = entries[known]
            guard Place(text: other.plainFile) == Place(text: entry.plainFile) else {
                throw ScrubError(
                    .badData, "'\(entry.file.shown)' has the same place as '\(other.file.shown)' on line \(other.line)",
                    place: .line(entry.line), advice: "give each film its own 'place', or omit 'place'")
            }
            guard other.isAbsolute == entry.isAbsolute, other.key == entry.key, other.cost == entry.cost,
                other.byteCount == entry.byteCount
            else {
                throw ScrubError(
                    .badData, "'\(entry.file.shown)' is also on line \(other.line), with different data",
                    place: .line(entry.line), advice: "remove one of the two lines")
            }
            places[Place(text: entry.place)] = known
            repeatedCount += 1
            return
        }
        guard entries.count < BatchManifest.largestCount else {
            throw ScrubError(
                .badData, "the list has more than \(BatchManifest.largestCount) files", place: .line(entry.line),
                advice: "divide the list, and give each part its own results folder")
        }
        entries.append(entry)
    }
}

extension BatchManifest.Entry {
    /// Whether the path is absolute.
    package var isAbsolute: Bool { file.utf8.first == UInt8(ascii: "/") }

    /// Checks a path.
    ///
    /// - Parameter named: the place of its results, if it is not the path itself.
    fileprivate init(
        path: String, place named: String? = nil, key: String? = nil, cost: Double? = nil, byteCount: Int64? = nil,
        _ line: Int
    ) throws(ScrubError) {
        self.init(file: path, key: key, cost: cost, byteCount: byteCount, place: named, line: line)
        func fault(_ cause: Wording, _ advice: Wording) -> ScrubError {
            ScrubError(.badData, "'\(path.shown)' \(cause)", place: .line(line), advice: advice)
        }
        guard !path.utf8.contains(0) else {
            throw fault("contains a NUL byte, which is not allowed in a name", "correct the name")
        }
        guard named?.utf8.contains(0) != true, named?.pathComponents.contains("..") != true else {
            throw fault("has a 'place' outside the results folder", "use a place without '..' or NUL bytes")
        }
        guard !BatchManifest.Entry.hasOddNames(path) || !path.pathComponents.contains("..") else {
            throw fault("contains '..'", "use a path without '..', either absolute or relative to the list's folder")
        }
        guard path.utf8.last != UInt8(ascii: "/"), !place.isEmpty else {
            throw fault("is a folder", "list the files in it, or specify the folder instead of a list")
        }
    }

    /// Reads a line of JSON Lines.
    fileprivate init(object text: some Collection<UInt8>, line: Int) throws(ScrubError) {
        func fault(_ cause: Wording, _ advice: Wording? = nil) -> ScrubError {
            ScrubError(
                .badData, cause, place: .line(line), advice: advice ?? "generate the list again, or correct the line")
        }
        let object: JSONObject
        // Bytes of a name that are not UTF-8 may occur as they are; characters that already stand for such bytes are
        // kept.
        let json = String(validating: text, as: UTF8.self) ?? SystemName.text(text)
        do throws(ScrubError) { object = try JSONObject(JSONReader.value(json)) } catch {
            throw fault(error.place.map { "\(error.causeWording) (\($0))" } ?? error.causeWording)
        }
        guard let file = try? object.string("file") else { throw fault("'file' is missing or is not a string") }
        var key: String?
        if object.has("key") {
            guard let digits = try? object.string("key"), !digits.isEmpty, digits.utf8.count <= 128,
                digits.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
            else { throw fault("'key' is not a string of up to 128 hexadecimal digits") }
            key = digits.lowercased()
        }
        var cost: Double?
        if object.has("cost") {
            guard let number = object.digits("cost").flatMap({ Double($0) }), number.isFinite, number >= 0 else {
                throw fault("'cost' is not a valid number of seconds")
            }
            cost = number
        }
        var byteCount: Int64?
        if object.has("bytes") {
            guard let number = object.digits("bytes").flatMap({ Int64($0) }), number >= 0 else {
                throw fault("'bytes' is not a valid number of bytes")
            }
            byteCount = number
        }
        var place: String?
        if object.has("place") {
            guard let text = try? object.string("place") else { throw fault("'place' is not a string") }
            place = text
        }
        try self.init(path: file, place: place, key: key, cost: cost, byteCount: byteCount, line)
    }

    /// The entry as a line of JSON Lines, without the line break.
    package var text: String {
        var object = JSONText()
        object.add("file", file)
        if isNamed { object.add("place", place) }
        if let key { object.add("key", key) }
        if let cost { object.add("cost", cost) }
        if let byteCount { object.add("bytes", byteCount) }
        return object.text
    }
}
