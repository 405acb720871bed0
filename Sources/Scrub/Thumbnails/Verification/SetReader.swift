internal import FileIO
internal import ScrubPictures
internal import Storyboards

/// Finds thumbnail sets in a folder and reads their index files.
struct SetReader {
    let folder: String
    private(set) var sets: [FoundSet] = []
    private(set) var problems: [SetVerification.Problem] = []

    /// The longest index file that is believed; a day with a thumbnail each second has 20 MB.
    private static let indexLimit = 256 << 20

    init(folder: String) throws(ScrubError) {
        self.folder = folder
        let files = try Folder.files(in: folder)
        for file in files {
            do throws(ScrubError) {
                if let set = try read(file) { sets.append(set) }
            } catch {
                problems.append(.init(file: file, reason: error.cause))
            }
        }
        // A BIF file says when, its manifest which frame.
        for i in sets.indices where sets[i].format == "bif" {
            guard let text = try? text(sets[i].file + ".json"),
                let board = try? StoryboardJSON.storyboard(parsing: text), board.thumbnails.count == sets[i].tiles.count
            else { continue }
            for place in sets[i].tiles.indices { sets[i].tiles[place].frame = board.thumbnails[place].frame }
        }
    }

    private func read(_ file: String) throws(ScrubError) -> FoundSet? {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        if name == "manifest.json" { return try manifest(file) }
        if name.hasSuffix(".vtt") { return try webVTT(file) }
        if name.hasSuffix(".bif") { return try bif(file) }
        if name.hasSuffix(".m3u8") { return try hls(file) }
        if name.hasSuffix(".mpd") { return try dash(file) }
        return nil
    }

    private func text(_ file: String) throws(ScrubError) -> String {
        let bytes = try Folder.contents(of: folder + "/" + file, limit: SetReader.indexLimit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScrubError(.badData, "is not UTF-8")
        }
        return text
    }

    /// A file beside an index file.
    private func beside(_ file: String, _ name: String) -> String {
        let parts = file.split(separator: "/").dropLast()
        return (parts + [Substring(name)]).joined(separator: "/")
    }

    /// The sheet that a URL names.
    private func sheet(beside file: String, _ url: String) throws(ScrubError) -> String {
        guard let path = WebVTT.Cue(start: 0, end: 0, url: url, region: nil).path else {
            throw ScrubError(.badData, "'\(url)' is no file beside it")
        }
        return beside(file, path)
    }

    private func manifest(_ file: String) throws(ScrubError) -> FoundSet {
        let board = try StoryboardJSON.storyboard(parsing: try text(file))
        var set = FoundSet(file: file, format: "manifest", tiles: [])
        for (number, thumbnail) in board.thumbnails.enumerated() {
            let slot = board.slot(of: number)
            set.tiles.append(
                .init(
                    place: .sheet(
                        path: beside(file, board.sheets[thumbnail.sheet].name), x: thumbnail.x, y: thumbnail.y,
                        width: thumbnail.width, height: thumbnail.height),
                    start: slot.lowerBound, end: slot.upperBound, frame: thumbnail.frame))
        }
        for sheet in board.sheets { set.sheetSizes[beside(file, sheet.name)] = (sheet.width, sheet.height) }
        return set
    }

    private func webVTT(_ file: String) throws(ScrubError) -> FoundSet {
        let vtt = try WebVTT(parsing: try text(file))
        var set = FoundSet(file: file, format: "webvtt", tiles: [])
        var last = 0
        for (number, cue) in vtt.cues.enumerated() {
            guard cue.start == last else {
                throw ScrubError(
                    .badData, "cue \(number) begins at \(cue.start) ms, and the one before ends at \(last)")
            }
            last = cue.end
            guard let region = cue.region else {
                throw ScrubError(.badData, "cue \(number) names no place on its sheet")
            }
            set.tiles.append(
                .init(
                    place: .sheet(
                        path: try sheet(beside: file, cue.url), x: region.x, y: region.y, width: region.width,
                        height: region.height),
                    start: Rational(Int64(cue.start), 1000), end: Rational(Int64(cue.end), 1000)))
        }
        return set
    }

    private func bif(_ file: String) throws(ScrubError) -> FoundSet {
        let bytes = try Folder.contents(of: folder + "/" + file, limit: Int(UInt32.max))
        let bif = try BIF(parsing: bytes)
        var set = FoundSet(file: file, format: "bif", tiles: [])
        for (number, entry) in bif.entries.enumerated() {
            let range = entry.byteRange
            // Start and end of image (ITU-T T.81 B.2.1).
            guard bytes[range].starts(with: [0xFF, 0xD8]), bytes[range].suffix(2).elementsEqual([0xFF, 0xD9]) else {
                throw ScrubError(.badData, "picture \(number) at byte \(range.lowerBound) is no whole JPEG")
            }
            let start = Rational(Int64(bif.milliseconds(of: number)), 1000)
            let next = number + 1
            let end = next < bif.entries.count ? Rational(Int64(bif.milliseconds(of: next)), 1000) : start
            set.tiles.append(.init(place: .bytes(path: file, range), start: start, end: end))
        }
        return set
    }

    private func hls(_ file: String) throws(ScrubError) -> FoundSet? {
        let text = try text(file)
        guard text.contains("#EXT-X-IMAGES-ONLY") else { return nil }
        let playlist = try HLSImagePlaylist(parsing: text)
        var set = FoundSet(file: file, format: "hls-images", tiles: [])
        var start = Rational.zero
        for segment in playlist.segments where !segment.isGap {
            let tiles = segment.tiles
            let path = try sheet(beside: file, segment.uri)
            set.sheetSizes[path] = (tiles.width * tiles.columns, tiles.height * tiles.rows)
            guard let end = start.adding(segment.duration) else { throw ScrubError(.badData, "times beyond all films") }
            for tile in 0..<tiles.columns * tiles.rows {
                guard let offset = tiles.duration.multiplied(by: Rational(Int64(tile))),
                    let from = start.adding(offset),
                    from < end
                else { break }
                let until = min(end, from.adding(tiles.duration) ?? end)
                set.tiles.append(
                    .init(
                        place: .sheet(
                            path: path, x: tile % tiles.columns * tiles.width,
                            y: tile / tiles.columns * tiles.height, width: tiles.width, height: tiles.height),
                        start: from, end: until))
            }
            start = end
        }
        return set
    }

    private func dash(_ file: String) throws(ScrubError) -> FoundSet {
        var set = FoundSet(file: file, format: "dash-tiles", tiles: [])
        for tiles in try DASHTiles.sets(parsing: try text(file)) {
            let perSheet = tiles.columns * tiles.rows
            guard tiles.width % tiles.columns == 0, tiles.height % tiles.rows == 0,
                let step = tiles.sheetDuration.divided(by: Rational(Int64(perSheet)))
            else {
                throw ScrubError(
                    .badData, "\(tiles.width) x \(tiles.height) is no grid of \(tiles.columns) x \(tiles.rows)")
            }
            let (width, height) = (tiles.width / tiles.columns, tiles.height / tiles.rows)
            for sheet in 0..<tiles.sheetCount {
                let path = try self.sheet(beside: file, tiles.url(ofSheet: sheet))
                set.sheetSizes[path] = (tiles.width, tiles.height)
                for tile in 0..<perSheet {
                    let number = Int64(sheet * perSheet + tile)
                    guard let from = step.multiplied(by: Rational(number)), from < tiles.duration else { break }
                    set.tiles.append(
                        .init(
                            place: .sheet(
                                path: path, x: tile % tiles.columns * width, y: tile / tiles.columns * height,
                                width: width, height: height),
                            start: from, end: min(tiles.duration, from.adding(step) ?? tiles.duration)))
                }
            }
        }
        return set
    }
}
