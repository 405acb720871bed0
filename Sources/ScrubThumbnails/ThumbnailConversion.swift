internal import FileIO
internal import ScrubPictures
internal import Storyboards

/// Thumbnail sets in another format, without encoding a picture again.
public enum ThumbnailConversion {
    /// What a set can become.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// Sheets with WebVTT.
        case vtt
        /// Sheets with the JSON array that scripts and Vidstack take, and with Mux's storyboard where there is one sheet and
        /// an absolute base URL.
        case json
        /// Sheets with an HLS image playlist.
        case hls
        /// Sheets with a DASH presentation.
        case dash
        /// Jellyfin's trickplay folder.
        case jellyfin
        /// A BIF file.
        case bif
    }

    /// Makes another format of a set: pictures are copied byte for byte, only what tells their places and times is new.
    ///
    /// - Parameters:
    ///   - source: a folder with a `manifest.json`, or a BIF file. Of a BIF file without a manifest beside it (its name with
    ///     `.json`) only times are known, which is enough for WebVTT and JSON.
    ///   - format: what it becomes.
    ///   - baseURL: what stands before the sheets' names in WebVTT and JSON; `nil` for names relative to these.
    ///   - folder: made if it is not there.
    /// Names in the set are looked for in its folder and nowhere else: one that leads out of it, by itself or by a link, is
    /// refused before anything of it is read.
    ///
    /// Memory: the indexes, and a megabyte of the pictures.
    ///
    /// - Returns: the files that were written, relative to the folder; the index comes last.
    /// - Throws: `usage` when the other format cannot say what the set says without new pictures, such as sheets in a BIF file,
    ///   or takes no base URL; `noInput`, `badData` for a source that is none, `inputOutput` when a file cannot be written.
    public static func convert(
        _ source: String, to format: Format, into folder: String, baseURL: String? = nil
    ) throws(ScrubError) -> [String] {
        guard baseURL == nil || format == .vtt || format == .json else {
            throw ScrubError(
                .usage, "\(format.rawValue) is written with relative names", advice: "leave the base URL out")
        }
        _ = try SheetURL.reference("", base: baseURL)
        let set = try ConvertibleSet(source)
        // What is wrong with a name is known before anything is written.
        for number in set.pictureIndices { _ = try set.picture(number) }
        try Folder.make(folder)
        guard var board = set.board else {
            guard format == .vtt || format == .json else {
                throw ScrubError(
                    .usage,
                    "a BIF file without a manifest tells no frames, and \(format.rawValue) needs more than times",
                    file: source, advice: "convert it to vtt or json")
            }
            return try write(try set.cues(baseURL: baseURL), as: format, set, into: folder)
        }
        // Jellyfin's sheets are two folders down.
        let names = board.sheets.map(\.name.lastPathComponent)
        if Set(names).count == names.count { for i in names.indices { board.sheets[i].name = names[i] } }
        switch format {
        case .bif:
            // What cannot be said is known before anything is read.
            _ = try BIF(board)
            var file = try BIFWriter(path: folder + "/" + BIF.plexName, count: board.sheets.count)
            for number in board.sheets.indices {
                let picture = try set.picture(number)
                try file.append(picture)
                board.sheets[number].byteCount = picture.range.count
            }
            try file.commit(board)
            return [BIF.plexName]
        case .jellyfin:
            let trickplay = try JellyfinTrickplay(board)
            try Folder.make(folder + "/" + trickplay.folderName, followsLinks: false)
            for number in board.sheets.indices {
                board.sheets[number].name = trickplay.folderName + "/" + JellyfinTrickplay.fileName(sheet: number)
            }
            return try copy(board, set, into: folder)
        case .vtt:
            return try copy(board, set, into: folder, index: ("thumbnails.vtt", WebVTT(board, baseURL: baseURL).text))
        case .json:
            return try copy(board, set, into: folder, json: try JSONIndexes(board, baseURL: baseURL))
        case .hls:
            let images = try HLSImagePlaylist(board).text
            let files = try copy(board, set, into: folder, index: ("images.m3u8", images))
            let master = HLSStream.master([try HLSStream(board, playlist: "images.m3u8")])
            try AtomicFile.write(Array(master.utf8), to: folder + "/master.m3u8")
            return files + ["master.m3u8"]
        case .dash:
            let tiles = try DASHTiles(board)
            return try copy(board, set, into: folder, index: ("manifest.mpd", DASHTiles.presentation([tiles])))
        }
    }

    private static func copy(
        _ board: Storyboard, _ set: ConvertibleSet, into folder: String, index: (name: String, text: String)? = nil,
        json: JSONIndexes? = nil
    ) throws(ScrubError) -> [String] {
        var files: [String] = []
        for (number, sheet) in board.sheets.enumerated() {
            try set.picture(number).copy(to: folder + "/" + sheet.name)
            files.append(sheet.name)
        }
        // Before the manifest, by which an earlier set's are known.
        if let json { try json.write(into: folder) }
        let manifest = try StoryboardJSON.manifest(board) + "\n"
        try AtomicFile.write(Array(manifest.utf8), to: folder + "/manifest.json")
        files.append("manifest.json")
        guard let index else { return files + (json?.names ?? []) }
        try AtomicFile.write(Array(index.text.utf8), to: folder + "/" + index.name)
        return files + [index.name]
    }

    private static func write(
        _ vtt: WebVTT, as format: Format, _ set: ConvertibleSet, into folder: String
    ) throws(ScrubError) -> [String] {
        if format == .vtt { try vtt.checkTimes() }
        var files: [String] = []
        for number in vtt.cues.indices {
            let name = ConvertibleSet.name(number)
            try set.picture(number).copy(to: folder + "/" + name)
            files.append(name)
        }
        let isJSON = format == .json
        let index = isJSON ? JSONIndexes.imagesName : "thumbnails.vtt"
        try AtomicFile.write(Array((isJSON ? JSONImages(vtt).text : vtt.text).utf8), to: folder + "/" + index)
        return files + [index]
    }
}

/// A picture as it lies in a file.
struct FoundPicture {
    let file: FileSource
    let range: Range<Int64>

    func copy(to path: String) throws(ScrubError) { try AtomicFile.copy(file, range, to: path) }
}

/// A set that is read to be written otherwise.
private struct ConvertibleSet {
    /// What its manifest says, if it has one.
    let board: Storyboard?
    private let source: String
    private let folder: FolderScope
    private let bif: (head: BIF, file: FileSource)?

    init(_ source: String) throws(ScrubError) {
        self.source = source
        guard source.hasSuffix(".bif") else {
            bif = nil
            folder = try FolderScope(path: source)
            board = try StoryboardJSON.storyboard(parsing: try ConvertibleSet.text("manifest.json", in: folder))
            return
        }
        // The file is the caller's choice; what is read beside it is not.
        let file = try FileSource(path: source)
        let head = try BIF(readingHeadOf: file)
        bif = (head, file)
        folder = try FolderScope(path: source.pathOfFolder ?? ".")
        let name = source.lastPathComponent
        let text = try? ConvertibleSet.text(name + ".json", in: folder)
        let known = text.flatMap { try? StoryboardJSON.storyboard(parsing: $0) }
        board = known.flatMap { $0.sheets.count == head.entries.count ? $0 : nil }
    }

    private static func text(_ name: String, in folder: FolderScope) throws(ScrubError) -> String {
        let bytes = try folder.contents(of: name, limit: 256 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScrubError(.badData, "is not UTF-8", file: folder.path + "/" + name)
        }
        return text
    }

    /// The numbers of its pictures.
    var pictureIndices: Range<Int> { bif?.head.entries.indices ?? board?.sheets.indices ?? 0..<0 }

    /// A sheet's file, as it is.
    func picture(_ number: Int) throws(ScrubError) -> FoundPicture {
        if let (head, file) = bif {
            let range = head.entries[number].byteRange
            return FoundPicture(file: file, range: Int64(range.lowerBound)..<Int64(range.upperBound))
        }
        guard let board else { preconditionFailure("a set without a manifest is a BIF file") }
        let file = try folder.open(board.sheets[number].name)
        return FoundPicture(file: file, range: 0..<file.byteCount)
    }

    /// What a BIF file's picture is called when it is taken out.
    static func name(_ number: Int) -> String { "\(number).jpg" }

    /// The cues of a BIF file's pictures. The last one is shown as long as the one before it.
    func cues(baseURL: String?) throws(ScrubError) -> WebVTT {
        guard let bif = bif?.head, let file = self.bif?.file, let range = bif.entries.first?.byteRange,
            range.count <= StillFile.fileLimit,
            let first = try? JPEG.size(of: try file.read(at: Int64(range.lowerBound), count: range.count))
        else { throw ScrubError(.badData, "the first picture cannot be decoded", file: source) }
        var cues: [WebVTT.Cue] = []
        for number in bif.entries.indices {
            let start = bif.milliseconds(of: number)
            let next = number + 1
            let length = cues.last.map { $0.end - $0.start } ?? Int(bif.multiplier)
            // Both are at most a quarter of the greatest integer.
            let end = next < bif.entries.count ? bif.milliseconds(of: next) : start + length
            cues.append(
                WebVTT.Cue(
                    start: start, end: end,
                    url: try SheetURL.reference(ConvertibleSet.name(number), base: baseURL),
                    region: .init(x: 0, y: 0, width: first.width, height: first.height)))
        }
        return WebVTT(cues: cues)
    }
}
