internal import ScrubFileIO
internal import ScrubBase
internal import ScrubPictures
internal import ScrubStoryboards

/// A picture at its location in a file.
struct ParsedPicture {
    let file: FileSource
    let range: Range<Int64>

    func copy(to path: String) throws(ScrubError) {
        guard range.count <= StillFile.fileLimit else {
            throw ScrubError(
                .badData, "a picture has \(range.count) bytes, more than the limit of \(StillFile.fileLimit)",
                file: file.path,
                advice: "generate the set again")
        }
        try AtomicFile.copy(file, range, to: .staged(path))
    }

    /// Returns its pixels, 8-bit RGB; `nil` if it cannot be decoded.
    ///
    /// - Throws: `inputOutput` if reading fails.
    func image() throws(ScrubError) -> RasterImage? {
        guard range.lowerBound > 0 || range.upperBound < file.byteCount else { return try StillFile.image(file) }
        guard range.count <= StillFile.fileLimit else { return nil }
        return StillFile.image(ofJPEG: try file.read(at: range.lowerBound, count: Int(range.count)))
    }
}

/// A set to be converted.
struct ConvertibleSet {
    /// The content of its manifest, if it has one.
    let board: Storyboard?
    let source: String
    private let folder: ConfinedFolder
    /// The text from which ``board`` was parsed.
    private let manifest: String?
    private let bif: (head: Storyboard.BIF, file: FileSource)?

    init(_ source: String) throws(ScrubError) {
        self.source = source
        guard source.hasSuffix(".bif") else {
            bif = nil
            folder = try ConfinedFolder(path: source)
            let text: String
            do throws(ScrubError) {
                text = try ConvertibleSet.text("manifest.json", in: folder)
            } catch  where error.code == .noInput {
                throw ScrubError(
                    .noInput, "is not a thumbnail set: it contains no manifest.json", file: source,
                    advice: "specify \(term: .setFolder) or a .bif file")
            }
            do throws(ScrubError) {
                (board, manifest) = (try Storyboard.JSON.storyboard(parsing: text), text)
            } catch {
                throw error.inFile(source + "/manifest.json")
            }
            return
        }
        // The file is the caller's choice; files read next to it are not.
        let file = try FileSource(path: source)
        let head = try Storyboard.BIF(readingHeadOf: file)
        bif = (head, file)
        folder = try ConfinedFolder(path: source.pathOfFolder ?? ".")
        let name = source.lastPathComponent
        let text: String?
        do throws(ScrubError) {
            text = try ConvertibleSet.text(name + ".json", in: folder)
        } catch  where error.code != .inputOutput {
            text = nil
        }
        let known = text.flatMap { try? Storyboard.JSON.storyboard(parsing: $0) }
        board = known.flatMap { $0.sheets.count == head.entries.count ? $0 : nil }
        manifest = nil
    }

    private static func text(_ name: String, in folder: ConfinedFolder) throws(ScrubError) -> String {
        let bytes = try folder.contents(of: name, limit: 256 << 20, saysFolder: true)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScrubError(.badData, "is not UTF-8", file: folder.path + "/" + name)
        }
        return text
    }

    /// Checks that the set has not been replaced since it was read.
    ///
    /// - Throws: `badData` if another run has replaced it.
    func checkIsUnchanged() throws(ScrubError) {
        guard let manifest else { return }
        guard try ConvertibleSet.text("manifest.json", in: folder) == manifest else {
            throw ScrubError(.badData, "the set was replaced while it was being read", file: source)
        }
    }

    /// The name of the video, without an extension.
    var baseName: String {
        let name = (board?.file ?? source).mediumName
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Returns the set of a BIF file for which only the times are known. It is for formats that contain nothing but
    /// times. Its frame numbers have no meaning.
    func boardWithoutFrames() throws(ScrubError) -> Storyboard? {
        guard let vtt = try bif.map({ _ throws(ScrubError) in try cues(baseURL: nil) }),
            let first = vtt.cues.first?.region,
            let end = vtt.cues.last?.end, end > 0
        else { return nil }
        var board = Storyboard(
            file: source, frameCount: vtt.cues.count, duration: Rational(Int64(end), 1000), tileWidth: first.width,
            tileHeight: first.height, columns: 1, rows: 1, format: .jpeg, sheets: [], thumbnails: [])
        for (number, cue) in vtt.cues.enumerated() {
            let start = Rational(Int64(cue.start), 1000)
            board.sheets.append(
                .init(name: ConvertibleSet.name(number), width: first.width, height: first.height, byteCount: 1))
            board.thumbnails.append(
                .init(
                    index: number, start: start, requestedTime: start, time: start, frameNumber: number,
                    verdict: Verdict.approximate("").name, sheet: number, x: 0, y: 0, width: first.width,
                    height: first.height))
        }
        return board
    }

    /// Whether each picture is a separate file, of any size.
    var isSingles: Bool { bif != nil }

    /// The numbers of its pictures.
    var pictureIndices: Range<Int> { bif?.head.entries.indices ?? board?.sheets.indices ?? 0..<0 }

    /// Returns a sheet's file unchanged.
    func picture(_ number: Int) throws(ScrubError) -> ParsedPicture {
        if let (head, file) = bif {
            let range = head.entries[number].byteRange
            return ParsedPicture(file: file, range: Int64(range.lowerBound)..<Int64(range.upperBound))
        }
        guard let board else { preconditionFailure("a set without a manifest is a BIF file") }
        let file = try folder.open(board.sheets[number].name, saysFolder: true)
        return ParsedPicture(file: file, range: 0..<file.byteCount)
    }

    /// Returns the name of a BIF file's picture after extraction.
    static func name(_ number: Int) -> String { "\(number).jpg" }

    /// Returns the cues of a BIF file's pictures. The last picture is shown for as long as the one before it.
    func cues(baseURL: String?) throws(ScrubError) -> Storyboard.WebVTT {
        guard let bif = bif?.head, let file = self.bif?.file, let range = bif.entries.first?.byteRange,
            range.count <= StillFile.fileLimit,
            let first = try? JPEG.size(of: try file.read(at: Int64(range.lowerBound), count: range.count))
        else { throw ScrubError(.badData, "the first picture cannot be decoded", file: source) }
        var cues: [Storyboard.WebVTT.Cue] = []
        for number in bif.entries.indices {
            let start = bif.milliseconds(of: number)
            let next = number + 1
            let length = cues.last.map { $0.end - $0.start } ?? Int(bif.multiplier)
            // Both times are at most a quarter of the maximum integer.
            let end = next < bif.entries.count ? bif.milliseconds(of: next) : start + length
            cues.append(
                Storyboard.WebVTT.Cue(
                    start: start, end: end,
                    url: try SheetURL.reference(ConvertibleSet.name(number), base: baseURL),
                    region: .init(x: 0, y: 0, width: first.width, height: first.height)))
        }
        return Storyboard.WebVTT(cues: cues)
    }
}
