internal import ScrubFileIO
internal import ScrubHashing

/// The finished parts of a run: encoded sheets and pictures, in a folder inside the set's until all files have their
/// names. A run that was broken off goes on from it.
///
/// A list beside the files says whose they are, and the place, size and hash of every encoded picture. Bytes that it
/// does not list, or that differ from its words, count as not written and are removed.
///
/// Memory: some 100 bytes for each thumbnail and each encoded picture. Use from one thread.
final class FinishedPictures {
    /// The picture that a thumbnail shows in the end.
    struct Shown: Sendable {
        /// The frame, which another slot may have been planned for.
        var frame: Int
        /// The name of a ``Verdict``.
        var verdict: String
        /// The MD5 of the frame's picture, where it was asked for.
        var hash: String?
        /// Whether the picture was made of a kept preview.
        var isFromPreview = false
        /// Blurred stand-ins, where they were asked for, by the size that they are of.
        var looks: [Int: Look] = [:]
    }

    /// A picture's blurred stand-ins.
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
    /// The pictures that the first thumbnails show, in their order.
    private(set) var shown: [Shown] = []
    private var pieces: [String: [Piece]] = [:]
    /// The file that is written, which stays open for its next picture.
    private var current: (name: String, file: OwnedFile)?
    /// The places where files were put first.
    private var placed: [String: String] = [:]
    private static let listName = "list"
    /// The folder's name inside a set's folder.
    static let folderName = ".scrub-thumbnails"

    /// Opens the folder that a run has left, or begins with an empty one.
    ///
    /// - Parameters:
    ///   - path: the folder, which is made if it is not there.
    ///   - plan: the thumbnails; a list's entries about others are not believed.
    ///   - key: names the film and everything else that the pictures depend on. Files that were made for another key
    ///     go.
    /// - Throws: `inputOutput` when the folder or its list is a link, something else, or cannot be written.
    init(path: String, plan: ThumbnailPlan, key: String) throws(ScrubError) {
        self.path = path
        let frames = Set(plan.slots.map(\.frame))
        let isNew = try Folder.make(path, followsLinks: false)
        var (shown, pieces): ([Shown], [String: [Piece]]) = ([], [:])
        do throws(ScrubError) {
            list = try RecordFile(
                path: path + "/" + FinishedPictures.listName, head: Array("scrub-finished-1\n\(key)\n".utf8),
                checksum: { UInt32(truncatingIfNeeded: xxh3($0)) }
            ) { body in
                let words = String(decoding: body, as: UTF8.self)
                    .split(separator: "\u{0}", omittingEmptySubsequences: false).map(String.init)
                return FinishedPictures.read(words, plan.slots.count, frames, &shown, &pieces)
            }
        } catch {
            if isNew { Folder.removeEmpty(path) }
            throw error
        }
        self.shown = shown
        for (name, known) in pieces { self.pieces[name] = FinishedPictures.proven(known, in: path + "/" + name) }
        for name in Folder.list(path) where name != FinishedPictures.listName && self.pieces[name] == nil {
            Folder.removeTree(path + "/" + name)
        }
    }

    /// Whether nothing is there to go on from.
    var isEmpty: Bool { pieces.isEmpty }

    /// Removes all of it from the disk: everything is in its place, or nothing is worth keeping. ``shown`` is still
    /// told.
    func remove() {
        (current, pieces) = (nil, [:])
        Folder.removeTree(path)
    }

    /// Bytes of each encoded picture of a file, in order.
    func byteCounts(of name: String) -> [Int] { pieces[name, default: []].map(\.byteCount) }

    /// Returns the encoded pictures of a file, in order, where they lie.
    ///
    /// - Throws: `inputOutput` when the file cannot be read.
    func pictures(of name: String) throws(ScrubError) -> [FoundPicture] {
        let file = try FileSource(path: path + "/" + name)
        return pieces[name, default: []].map { FoundPicture(file: file, range: Int64($0.offset)..<Int64($0.end)) }
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

    /// Forgets the frames of the thumbnails, not their encoded pictures: the frames are found again.
    func forgetShown() { shown = [] }

    /// Writes an encoded picture at the end of a file.
    ///
    /// - Parameters:
    ///   - name: the file's; a new name begins a file.
    ///   - headByteCount: bytes at the beginning that are left for the head that ``put(_:at:head:)`` writes.
    func append(_ bytes: [UInt8], to name: String, headByteCount: Int = 0) throws(ScrubError) {
        let offset = pieces[name]?.last?.end ?? headByteCount
        let file = try open(name)
        try file.write(bytes, at: Int64(offset))
        let piece = Piece(offset: offset, byteCount: bytes.count, hash: xxh3(bytes))
        try record(["piece", name, "\(offset)", "\(bytes.count)", "\(piece.hash)"])
        pieces[name, default: []].append(piece)
    }

    /// Puts a finished file into a set; sets that have the same one get copies.
    ///
    /// - Parameter head: written over the beginning, which was left for that.
    func put(_ name: String, at target: String, head: [UInt8]? = nil) throws(ScrubError) {
        if let first = placed[name] { return try AtomicFile.copy(first, to: .staged(target)) }
        if let head { try open(name).write(head, at: 0) }
        if current?.name == name { current = nil }
        // A second name: a run that fails from here on loses nothing.
        try AtomicFile.link(path + "/" + name, to: .staged(target))
        placed[name] = target
    }

    private func open(_ name: String) throws(ScrubError) -> OwnedFile {
        if let current, current.name == name { return current.file }
        let file = try OwnedFile(path: path + "/" + name)
        // Behind what is known is what a killed run was writing.
        if pieces[name] == nil { try file.resize(to: 0) }
        current = (name, file)
        return file
    }

    private func record(_ words: [String]) throws(ScrubError) {
        try list.append(Array(words.joined(separator: "\u{0}").utf8))
    }

    /// - Returns: false for a record that this does not understand.
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
            // Those behind it were found out again.
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

    /// Returns the first pieces of a file that are as they were written; the bytes behind them are cut off.
    ///
    /// - Returns: `nil`, and no file, if there is not one.
    private static func proven(_ known: [Piece], in path: String) -> [Piece]? {
        // A link, or a file with a second name, is no longer this run's alone.
        guard Folder.byteCount(of: path) != nil, let file = try? OwnedFile(path: path) else {
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
