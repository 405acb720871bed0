internal import ScrubFileIO
internal import ScrubHashing

/// The finished parts of a run: encoded sheets and pictures, in a folder inside the set's until all files have their
/// names. An interrupted run resumes from them.
///
/// A list next to the files identifies their owner, and has the location, size and hash of every encoded picture. Bytes
/// that it does not list, or that differ from it, count as not written and are removed.
///
/// Memory: about 100 bytes for each thumbnail and each encoded picture. Use from one thread.
final class ResumableOutput {
    /// The picture that a thumbnail finally shows.
    struct Shown: Sendable {
        /// The frame, which may have been planned for another slot.
        var frame: Int
        /// The name of a ``Verdict``.
        var verdict: String
        /// The MD5 of the frame's picture, if requested.
        var hash: String?
        /// Whether the picture was made from a kept preview.
        var isFromPreview = false
        /// Blurred placeholders by size, if requested.
        var looks: [Int: Look] = [:]
    }

    /// A picture's blurred placeholders.
    struct Look: Hashable, Sendable {
        var blurHash: String?
        var thumbHash: String?
    }

    /// An encoded picture in a file.
    private struct Piece {
        let offset: Int
        let byteCount: Int
        let hash: UInt64

        var end: Int { offset + byteCount }
    }

    /// The folder's path.
    let path: String
    private let list: RecordFile
    /// The pictures that the first thumbnails show, in order.
    private(set) var shown: [Shown] = []
    private var pieces: [String: [Piece]] = [:]
    /// The file being written, which stays open for its next picture.
    private var current: (name: String, file: PrivateFile)?
    /// The first destinations of files.
    private var placed: [String: String] = [:]
    private static let listName = "list"
    /// The folder's name inside a set's folder.
    static let folderName = ".scrub-thumbnails"

    /// Opens the folder left by an earlier run, or starts with an empty one.
    ///
    /// - Parameters:
    ///   - path: the folder, which is created if it does not exist.
    ///   - plan: the thumbnails; a list's entries about others are not trusted.
    ///   - key: identifies the video and everything else on which the pictures depend. Files made for another key are
    ///     removed.
    /// - Throws: `inputOutput` if the folder or its list is a link or of another type, or cannot be written.
    init(path: String, plan: ThumbnailPlan, key: String) throws(ScrubError) {
        self.path = path
        let frames = Set(plan.slots.map(\.frameNumber))
        let isNew = try Folder.make(path, followsLinks: false)
        var (shown, pieces): ([Shown], [String: [Piece]]) = ([], [:])
        do throws(ScrubError) {
            list = try RecordFile(
                path: path + "/" + ResumableOutput.listName, head: Array("scrub-finished-1\n\(key)\n".utf8),
                checksum: { UInt32(truncatingIfNeeded: xxh3($0)) }
            ) { body in
                let words = String(decoding: body, as: UTF8.self)
                    .split(separator: "\u{0}", omittingEmptySubsequences: false).map(String.init)
                return ResumableOutput.read(words, plan.slots.count, frames, &shown, &pieces)
            }
        } catch {
            if isNew { Folder.removeEmpty(path) }
            throw error
        }
        self.shown = shown
        for (name, known) in pieces { self.pieces[name] = ResumableOutput.proven(known, in: path + "/" + name) }
        for name in Folder.list(path) where name != ResumableOutput.listName && self.pieces[name] == nil {
            Folder.removeTree(path + "/" + name)
        }
    }

    /// Whether there is nothing to resume from.
    var isEmpty: Bool { pieces.isEmpty }

    /// Removes the folder from disk, because everything is in its place, or nothing is worth keeping. ``shown`` stays
    /// valid.
    func remove() {
        (current, pieces) = (nil, [:])
        Folder.removeTree(path)
    }

    /// Returns the sizes in bytes of a file's encoded pictures, in order.
    func byteCounts(of name: String) -> [Int] { pieces[name, default: []].map(\.byteCount) }

    /// Returns the encoded pictures of a file with their locations, in order.
    ///
    /// - Throws: `inputOutput` if the file cannot be read.
    func pictures(of name: String) throws(ScrubError) -> [ParsedPicture] {
        let file = try FileSource(path: path + "/" + name)
        return pieces[name, default: []].map { ParsedPicture(file: file, range: Int64($0.offset)..<Int64($0.end)) }
    }

    /// Records the frame that the next thumbnail shows.
    func append(_ next: Shown) throws(ScrubError) {
        let kind = next.isFromPreview ? "preview" : "shown"
        var words = [kind, "\(shown.count)", "\(next.frame)", next.verdict, next.hash ?? ""]
        for (size, look) in next.looks.sorted(by: { $0.key < $1.key }) {
            words += ["\(size)", look.blurHash ?? "", look.thumbHash ?? ""]
        }
        try record(words)
        shown.append(next)
    }

    /// Forgets the frames of the thumbnails, but not their encoded pictures. The frames are determined again.
    func forgetShown() { shown = [] }

    /// Appends an encoded picture to a file.
    ///
    /// - Parameters:
    ///   - name: the file's name; a new name starts a file.
    ///   - headByteCount: the number of bytes to reserve at the beginning for the header that ``put(_:at:head:)``
    ///     writes.
    func append(_ bytes: [UInt8], to name: String, headByteCount: Int = 0) throws(ScrubError) {
        let offset = pieces[name]?.last?.end ?? headByteCount
        let file = try open(name)
        try file.write(bytes, at: Int64(offset))
        let piece = Piece(offset: offset, byteCount: bytes.count, hash: xxh3(bytes))
        try record(["piece", name, "\(offset)", "\(bytes.count)", "\(piece.hash)"])
        pieces[name, default: []].append(piece)
    }

    /// Places a finished file in a set; other sets with the same file get copies.
    ///
    /// - Parameter head: a header to write in the space reserved at the beginning.
    func put(_ name: String, at target: String, head: [UInt8]? = nil) throws(ScrubError) {
        if let first = placed[name] { return try AtomicFile.copy(first, to: .staged(target)) }
        if let head { try open(name).write(head, at: 0) }
        if current?.name == name { current = nil }
        // A hard link, so that a run that fails from here on loses nothing.
        try AtomicFile.link(path + "/" + name, to: .staged(target))
        placed[name] = target
    }

    private func open(_ name: String) throws(ScrubError) -> PrivateFile {
        if let current, current.name == name { return current.file }
        let file = try PrivateFile(path: path + "/" + name)
        // Bytes after the known ones were being written by a killed run.
        if pieces[name] == nil { try file.resize(to: 0) }
        current = (name, file)
        return file
    }

    private func record(_ words: [String]) throws(ScrubError) {
        try list.append(Array(words.joined(separator: "\u{0}").utf8))
    }

    /// Reads a record.
    ///
    /// - Returns: false for a record that it does not understand.
    private static func read(
        _ words: [String], _ count: Int, _ frames: Set<Int>, _ shown: inout [Shown], _ pieces: inout [String: [Piece]]
    ) -> Bool {
        if let kind = words.first, ["shown", "preview"].contains(kind), words.count >= 5, words.count % 3 == 2,
            let number = Int(words[1]), let frame = Int(words[2]), (0...shown.count).contains(number), number < count,
            frames.contains(frame)
        {
            var next = Shown(frame: frame, verdict: words[3], hash: words[4].isEmpty ? nil : words[4])
            next.isFromPreview = kind == "preview"
            for place in stride(from: 5, to: words.count, by: 3) {
                guard let size = Int(words[place]) else { return false }
                next.looks[size] = Look(
                    blurHash: words[place + 1].isEmpty ? nil : words[place + 1],
                    thumbHash: words[place + 2].isEmpty ? nil : words[place + 2])
            }
            // Later ones were determined again.
            shown.removeSubrange(number...)
            shown.append(next)
            return true
        }
        if words.first == "piece", words.count == 5, !words[1].isEmpty, !words[1].contains("/"), words[1] != listName,
            let offset = Int(words[2]), let byteCount = Int(words[3]), let hash = UInt64(words[4]),
            offset >= 0, (1...Int(Int32.max)).contains(byteCount), offset <= Int.max - byteCount
        {
            pieces[words[1], default: []].removeAll { $0.offset >= offset }
            pieces[words[1], default: []].append(Piece(offset: offset, byteCount: byteCount, hash: hash))
            return true
        }
        return false
    }

    /// Returns the first intact pieces of a file; the bytes after them are truncated.
    ///
    /// - Returns: `nil`, and no file, if there is none.
    private static func proven(_ known: [Piece], in path: String) -> [Piece]? {
        // A link, or a file with a second hard link, no longer belongs to this run alone.
        guard Folder.byteCount(of: path) != nil, let file = try? PrivateFile(path: path) else {
            Folder.removeTree(path)
            return nil
        }
        let good = known.prefix { piece in
            guard piece.end <= file.earlierByteCount,
                let bytes = try? file.bytes(at: Int64(piece.offset), count: piece.byteCount)
            else { return false }
            return xxh3(bytes) == piece.hash
        }
        guard let last = good.last, (try? file.resize(to: Int64(last.end))) != nil else {
            file.remove()
            return nil
        }
        return Array(good)
    }
}
