package import ScrubBase

/// A list of files to work over, frozen in a file so that every machine sees the same one.
///
/// Two forms, and the first line that is not blank says which: one that begins with `{` makes it JSON Lines, anything
/// else plain.
///
/// - Plain: a path on each line. LF ends a line, and CR LF too. Every other byte belongs to the name, also blanks at
///   its ends and bytes that are not UTF-8. Blank lines count for nothing. There are no comments: `#1.mp4` is a name.
///   (A first name that begins with `{`, one with a line break and one that ends with CR need JSON Lines; the first can
///   also be written `./{…`.)
/// - JSON Lines: an object on each line, with `file` and, where they are known, `place` (of its results), `key`
///   (hexadecimal), `cost` (predicted processor seconds) and `bytes`. Other members are ignored. Names whose bytes are
///   not UTF-8 are written as ``SystemName`` has them.
///
/// In both a UTF-8 byte order mark at the beginning is skipped, and UTF-16 and the byte 0 are refused. So is `..` in a
/// path: results have the same paths below their folder, and nothing may lead out of it.
package struct BatchManifest: Sendable {
    /// A file of a manifest.
    package struct Entry: Sendable {
        /// The path as the manifest has it, by ``SystemName``: absolute, or relative to the manifest's folder.
        package let file: String
        /// The key of the file's content as lower-case hexadecimal digits, where the manifest has it.
        package let key: String?
        /// Predicted processor seconds, 0 or more and finite, where the manifest has them.
        package let cost: Double?
        /// The file's size, where the manifest has it.
        package let byteCount: Int64?
        /// Whether the manifest itself says where the results are; else it is the path.
        package let isNamed: Bool
        /// The line on which it stands, from 1; 0 where it comes from no manifest.
        package let line: Int
        /// The path below the folder of results: without a first slash, `.` and empty names. No two entries have the
        /// same.
        package let place: String

        package init(
            file: String, key: String? = nil, cost: Double? = nil, byteCount: Int64? = nil, place named: String? = nil,
            line: Int = 0
        ) {
            (self.file, self.key, self.cost, self.byteCount, self.line) = (file, key, cost, byteCount, line)
            place = Entry.plain(named ?? file)
            isNamed = named != nil
        }

        /// The file's path without a first slash, `.` and empty names.
        var plainFile: String { isNamed ? Entry.plain(file) : place }

        private static func plain(_ path: String) -> String {
            hasOddNames(path) ? path.pathComponents.filter { $0 != "." }.joined(separator: "/") : path
        }

        /// Whether a path has a slash at an end, or a name in it that is empty or begins with a point: few have.
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
    /// Lines that named a file again, and said nothing else of it.
    package private(set) var repeatedCount = 0

    /// The most files of one manifest.
    package static let largestCount = 20_000_000

    /// Reads a manifest.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the line and its fault. The file's name is the caller's to add.
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
                    .badData, "a name has a byte 0", place: .line(line),
                    advice: "put one name on each line: find -print, not -print0")
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

    /// A path as the system compares it: to Swift, two spellings of one letter are equal.
    private struct Place: Hashable {
        let text: String

        // Equal bytes are equal texts, and these have equal hashes.
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
        static func == (left: Place, right: Place) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    }

    private mutating func add(_ entry: Entry, _ places: inout [Place: Int]) throws(ScrubError) {
        if let known = places.updateValue(entries.count, forKey: Place(text: entry.place)) {
            let other = entries[known]
            guard Place(text: other.plainFile) == Place(text: entry.plainFile) else {
                throw ScrubError(
                    .badData, "'\(entry.file.shown)' has the same place as '\(other.file.shown)' of line \(other.line)",
                    place: .line(entry.line), advice: "give each film a 'place' of its own, or none")
            }
            guard other.isAbsolute == entry.isAbsolute, other.key == entry.key, other.cost == entry.cost,
                other.byteCount == entry.byteCount
            else {
                throw ScrubError(
                    .badData, "'\(entry.file.shown)' is on line \(other.line) too, with different facts",
                    place: .line(entry.line), advice: "take one of the two lines away")
            }
            places[Place(text: entry.place)] = known
            repeatedCount += 1
            return
        }
        guard entries.count < BatchManifest.largestCount else {
            throw ScrubError(
                .badData, "more than \(BatchManifest.largestCount) files", place: .line(entry.line),
                advice: "divide the list, and give each part a folder of results")
        }
        entries.append(entry)
    }
}

extension BatchManifest.Entry {
    /// Whether the path begins at the root.
    package var isAbsolute: Bool { file.utf8.first == UInt8(ascii: "/") }

    /// Checks a path.
    ///
    /// - Parameter named: the place of its results, where it is not the path itself.
    fileprivate init(
        path: String, place named: String? = nil, key: String? = nil, cost: Double? = nil, byteCount: Int64? = nil,
        _ line: Int
    ) throws(ScrubError) {
        self.init(file: path, key: key, cost: cost, byteCount: byteCount, place: named, line: line)
        func fault(_ cause: Wording, _ advice: Wording) -> ScrubError {
            ScrubError(.badData, "'\(path.shown)' \(cause)", place: .line(line), advice: advice)
        }
        guard !path.utf8.contains(0) else { throw fault("has a byte 0, which a name cannot have", "correct the name") }
        guard named?.utf8.contains(0) != true, named?.pathComponents.contains("..") != true else {
            throw fault("has a 'place' that leads out of the folder of results", "write places without '..' and byte 0")
        }
        guard !BatchManifest.Entry.hasOddNames(path) || !path.pathComponents.contains("..") else {
            throw fault("has '..' in it", "write paths without it, relative to the list's folder or from the root on")
        }
        guard path.utf8.last != UInt8(ascii: "/"), !place.isEmpty else {
            throw fault("is a folder", "name the files in it, or give the folder itself in the place of a list")
        }
    }

    /// Reads a line of JSON Lines.
    fileprivate init(object text: some Collection<UInt8>, line: Int) throws(ScrubError) {
        func fault(_ cause: Wording, _ advice: Wording? = nil) -> ScrubError {
            ScrubError(
                .badData, cause, place: .line(line), advice: advice ?? "make the list again, or correct the line")
        }
        let object: JSONObject
        // Bytes of a name that are not UTF-8 may occur as they are; characters that already stand for such bytes are
        // kept.
        let json = String(validating: text, as: UTF8.self) ?? SystemName.text(text)
        do throws(ScrubError) { object = try JSONObject(JSONReader.value(json)) } catch {
            throw fault(error.place.map { "\(error.causeWording) (\($0))" } ?? error.causeWording)
        }
        guard let file = try? object.string("file") else { throw fault("no text 'file' in the object") }
        var key: String?
        if object.has("key") {
            guard let digits = try? object.string("key"), !digits.isEmpty, digits.utf8.count <= 128,
                digits.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
            else { throw fault("'key' has other than up to 128 hexadecimal digits") }
            key = digits.lowercased()
        }
        var cost: Double?
        if object.has("cost") {
            guard let number = object.digits("cost").flatMap({ Double($0) }), number.isFinite, number >= 0 else {
                throw fault("'cost' is not a number of seconds")
            }
            cost = number
        }
        var byteCount: Int64?
        if object.has("bytes") {
            guard let number = object.digits("bytes").flatMap({ Int64($0) }), number >= 0 else {
                throw fault("'bytes' is not a number of bytes")
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
