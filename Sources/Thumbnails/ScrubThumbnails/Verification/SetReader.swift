internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

/// Finds thumbnail sets in a folder and reads their index files.
///
/// No name in them can lead out of the folder: ``ConfinedFolder``.
struct SetReader {
    let folder: ConfinedFolder
    private(set) var sets: [ParsedThumbnailSet] = []
    private(set) var keyPictures: [ParsedKeyPictures] = []
    private(set) var jellyfin: [JellyfinFolder] = []
    private(set) var caches: [ParsedThumbnailCache] = []
    private(set) var problems: [ThumbnailSets.Verification.Problem] = []
    /// The number of tiles that may still be made from numbers: a file contains no bytes for each of them, and a folder
    /// may have many files.
    private var tilesLeft = 2 * Storyboard.mostThumbnails

    /// The maximum size of an index file; a day with a thumbnail per second has 20 MB.
    private static let indexLimit = 256 << 20

    init(_ folder: ConfinedFolder) throws(ScrubError) {
        self.folder = folder
        // Files that a run is writing, or has left to resume from, are not a set.
        let files = try Folder.files(in: folder.path).filter {
            !$0.pathComponents.contains(where: OutputFolder.isTransient)
        }
        for file in files {
            do throws(ScrubError) {
                if let set = try read(file) { sets.append(set) }
            } catch {
                problems.append(.init(file: file, reason: error.place.map { "\($0): \(error.cause)" } ?? error.cause))
            }
        }
        jellyfin = JellyfinFolder.all(files)
        for folder in JellyfinFolder.impossible(files) {
            problems.append(.init(file: folder, reason: "has numbers in its name that do not fit any sheet"))
        }
        caches = ParsedThumbnailCache.all(files)
        sets += PosterFiles.sets(files)
    }

    private mutating func read(_ file: String) throws(ScrubError) -> ParsedThumbnailSet? {
        let name = file.lastPathComponent
        if name == "manifest.json" || name.hasSuffix(".trickplay.json") { return try manifest(file) }
        if name.hasSuffix(".vtt") { return try webVTT(file) }
        if name.hasSuffix(".bif") { return try bif(file) }
        if name.hasSuffix(".m3u8") { return try hls(file) }
        if name.hasSuffix(".mpd") { return try dash(file) }
        if name.hasSuffix(".svg") { return try ContactSheetFile.set(file, try bytes(file)) }
        if name == "index.html" { return try ThumbnailPageFile.set(file, try text(file)) }
        // A file with a single picture is an ordinary WebP.
        if name == "preview.webp" { return try preview(file) }
        return try JSONSets.set(
            file, text: { () throws(ScrubError) in try text(file) },
            sheet: { (url) throws(ScrubError) in try sheet(beside: file, url) })
    }

    /// Takes a tile from the total allowed for all index files of the folder.
    private mutating func reserveTile() throws(ScrubError) {
        guard tilesLeft > 0 else {
            throw ScrubError(
                .badData, "including this set, the sets have more than \(2 * Storyboard.mostThumbnails) thumbnails")
        }
        tilesLeft -= 1
    }

    private func bytes(_ file: String) throws(ScrubError) -> [UInt8] {
        try folder.contents(of: file, limit: SetReader.indexLimit)
    }

    private func text(_ file: String) throws(ScrubError) -> String {
        guard let text = String(validating: try bytes(file), as: UTF8.self) else {
            throw ScrubError(.badData, "is not UTF-8")
        }
        return text
    }

    /// Returns a file next to an index file, as a path relative to the searched folder, which it must not leave.
    private func beside(_ file: String, _ name: String) throws(ScrubError) -> String {
        // An absolute name would become a relative one here.
        guard name.utf8.first != UInt8(ascii: "/") else {
            throw ScrubError(.badData, "'\(name)' is outside the set's folder")
        }
        let parts = file.pathComponents.dropLast()
        return try ConfinedFolder.components(of: (parts + [name]).joined(separator: "/")).joined(separator: "/")
    }

    /// Returns the sheet at a URL; one behind a base URL is looked up by its name.
    private func sheet(beside file: String, _ url: String) throws(ScrubError) -> String {
        guard let path = SheetURL.file(url) else {
            throw ScrubError(.badData, "'\(url)' is not a file in the same folder")
        }
        return try beside(file, path)
    }

    private func manifest(_ file: String) throws(ScrubError) -> ParsedThumbnailSet {
        let board = try Storyboard.JSON.storyboard(parsing: try text(file))
        var set = ParsedThumbnailSet(file: file, format: "manifest")
        set.playerStart = board.playerStart
        for (number, thumbnail) in board.thumbnails.enumerated() {
            let slot = board.slot(of: number)
            set.tiles.append(
                .init(
                    place: .sheet(
                        path: try beside(file, board.sheets[thumbnail.sheet].name), x: thumbnail.x, y: thumbnail.y,
                        width: thumbnail.width, height: thumbnail.height),
                    start: slot.lowerBound, end: slot.upperBound, frame: thumbnail.frameNumber, time: thumbnail.time,
                    exactFor: thumbnail.verdict == "exact" ? thumbnail.requestedTime : nil))
        }
        set.film = (board.frameCount, board.duration)
        for sheet in board.sheets { set.sheetSizes[try beside(file, sheet.name)] = (sheet.width, sheet.height) }
        return set
    }

    private func webVTT(_ file: String) throws(ScrubError) -> ParsedThumbnailSet {
        let vtt = try Storyboard.WebVTT(parsing: try text(file))
        var set = ParsedThumbnailSet(file: file, format: "webvtt")
        set.filmEnd = vtt.filmEnd.map { Rational(Int64($0), 1000) }
        var last = 0
        for (number, cue) in vtt.cues.enumerated() {
            guard cue.start == last else {
                throw ScrubError(
                    .badData, "cue \(number) begins at \(cue.start) ms, but the previous one ends at \(last) ms")
            }
            last = cue.end
            guard let region = cue.region else {
                throw ScrubError(.badData, "cue \(number) does not state its position on the sheet")
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

    private func bif(_ file: String) throws(ScrubError) -> ParsedThumbnailSet {
        let source = try folder.open(file)
        let bif = try Storyboard.BIF(readingHeadOf: source)
        var set = ParsedThumbnailSet(file: file, format: "bif")
        for (number, entry) in bif.entries.enumerated() {
            let range = entry.byteRange
            // Start and end of image (ITU-T T.81 B.2.1).
            guard range.count >= 4, try source.read(at: Int64(range.lowerBound), count: 2) == [0xFF, 0xD8],
                try source.read(at: Int64(range.upperBound - 2), count: 2) == [0xFF, 0xD9]
            else {
                throw ScrubError(.badData, "picture \(number) at byte \(range.lowerBound) is not a complete JPEG")
            }
            let start = Rational(Int64(bif.milliseconds(of: number)), 1000)
            let next = number + 1
            let end = next < bif.entries.count ? Rational(Int64(bif.milliseconds(of: next)), 1000) : start
            set.tiles.append(.init(place: .bytes(path: file, range), start: start, end: end))
        }
        // A BIF file has the times, its manifest the frames.
        guard let text = (try? text(file + ".json")) ?? manifestOfTwin(of: source, file) else { return set }
        let board = try Storyboard.JSON.storyboard(parsing: text)
        guard board.thumbnails.count == set.tiles.count else {
            throw ScrubError(
                .badData, "has \(set.tiles.count) pictures, but its manifest has \(board.thumbnails.count) thumbnails")
        }
        set.film = (board.frameCount, board.duration)
        for (number, thumbnail) in board.thumbnails.enumerated() {
            let start = set.tiles[number].start
            if (start.subtracting(thumbnail.start)?.magnitude ?? .one) > ParsedThumbnailSet.millisecond {
                set.problems.append(
                    "thumbnail \(number) begins at \(start.secondsText) s, but at \(thumbnail.start.secondsText) s in its manifest"
                )
            }
            (set.tiles[number].frame, set.tiles[number].time) = (thumbnail.frameNumber, thumbnail.time)
            set.tiles[number].exactFor = thumbnail.verdict == "exact" ? thumbnail.requestedTime : nil
        }
        return set
    }

    /// Returns the manifest of Plex's BIF file for Emby's, which is the same file under another name, with one manifest
    /// for both.
    private func manifestOfTwin(of source: FileSource, _ file: String) -> String? {
        guard let plex = try? beside(file, Storyboard.BIF.plexName), let other = try? folder.open(plex),
            source.hasBytes(of: other)
        else { return nil }
        return try? text(plex + ".json")
    }

    /// Returns a moving preview, which has some of the thumbnails of the set next to it.
    private func preview(_ file: String) throws(ScrubError) -> ParsedThumbnailSet? {
        guard let text = try? text(try beside(file, "manifest.json")) else { return nil }
        let board = try Storyboard.JSON.storyboard(parsing: text)
        let shown = PreviewSelection.numbers(board.thumbnails.map(\.frameNumber)).map { board.thumbnails[$0] }
        let frames = try WebPAnimation.frames(of: try bytes(file))
        // Consecutive equal pictures are one with their total time; if all are equal, it is a still picture.
        var pictures: [WebPAnimation.Frame] = []
        for (number, frame) in frames.enumerated() {
            let milliseconds = frame.end - (number > 0 ? frames[number - 1].end : 0)
            let count = frame.end == 0 ? shown.count : max(1, milliseconds / PreviewSelection.milliseconds)
            pictures += Array(repeating: frame, count: min(count, shown.count))
        }
        guard pictures.count == shown.count else {
            throw ScrubError(.badData, "has \(pictures.count) pictures, but the set next to it implies \(shown.count)")
        }
        var set = ParsedThumbnailSet(file: file, format: "preview")
        for (frame, thumbnail) in zip(pictures, shown) {
            if frame.image.width != board.tileWidth || frame.image.height != board.tileHeight {
                throw ScrubError(
                    .badData,
                    "has pictures of \(frame.image.width) x \(frame.image.height) pixels, unlike the set next to it")
            }
            set.tiles.append(
                .init(
                    place: .pixels(width: frame.image.width, height: frame.image.height, rgb: frame.image.bytes),
                    start: thumbnail.start, end: thumbnail.start, frame: thumbnail.frameNumber))
        }
        return set
    }

    private mutating func hls(_ file: String) throws(ScrubError) -> ParsedThumbnailSet? {
        let text = try text(file)
        if text.contains("#EXT-X-I-FRAMES-ONLY") {
            let playlist = try Storyboard.HLSIFramePlaylist(parsing: text)
            var pictures: [ParsedKeyPictures.Picture] = []
            var start = Rational.zero
            for segment in playlist.segments {
                guard let end = start.adding(segment.duration) else {
                    throw ScrubError(.badData, "its times are too large to be valid")
                }
                pictures.append(.init(byteRange: segment.byteRange, start: start, end: end))
                start = end
            }
            var movie = ParsedKeyPictures(
                file: file, format: "hls-iframes", media: try sheet(beside: file, playlist.uri),
                initialization: playlist.initialization, pictures: pictures)
            movie.findJPEG(in: folder)
            if movie.jpegSize != nil {
                movie.format = "hls-mjpg"
                let manifest = try beside(file, "manifest.json")
                if let text = try? self.text(manifest), let board = try? Storyboard.JSON.storyboard(parsing: text) {
                    movie.compare(with: board, calledIn: manifest)
                }
            }
            keyPictures.append(movie)
            return nil
        }
        if text.contains("-STREAM-INF") { return try master(file, text) }
        guard text.contains("#EXT-X-IMAGES-ONLY") else { return nil }
        let playlist = try Storyboard.HLSImagePlaylist(parsing: text)
        var set = ParsedThumbnailSet(file: file, format: "hls-images")
        set.playerStart = .zero
        var start = Rational.zero
        for segment in playlist.segments {
            let tiles = segment.tiles
            guard let end = start.adding(segment.duration) else {
                throw ScrubError(.badData, "its times are too large to be valid")
            }
            // A gap has no sheet, but takes time.
            guard !segment.isGap else {
                start = end
                continue
            }
            let path = try sheet(beside: file, segment.uri)
            set.sheetSizes[path] = (tiles.width * tiles.columns, tiles.height * tiles.rows)
            for tile in 0..<tiles.columns * tiles.rows {
                guard let offset = tiles.duration.multiplied(by: Rational(Int64(tile))),
                    let from = start.adding(offset), SetReader.isShown(from: from, until: end, after: tile)
                else { break }
                try reserveTile()
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

    /// Returns whether a tile has a nonzero time before the end. Times are written to the nanosecond, so rounded steps
    /// may end that much before their sum.
    private static func isShown(from: Rational, until end: Rational, after steps: Int) -> Bool {
        guard let rounding = Rational(reducing: Int128(steps) + 1, 1_000_000_000),
            let latest = from.adding(rounding)
        else { return false }
        return latest < end
    }

    /// Checks that a master playlist names existing playlists, and declares at least their bandwidth.
    private func master(_ file: String, _ text: String) throws(ScrubError) -> ParsedThumbnailSet? {
        let streams = try Storyboard.HLSStream.streams(parsing: text)
        guard !streams.isEmpty else { return nil }
        // Each of them is read again: a line is cheap to write, but a playlist is expensive to read.
        guard streams.count <= 256 else {
            throw ScrubError(.badData, "has \(streams.count) playlists, which is not plausible")
        }
        var set = ParsedThumbnailSet(file: file, format: "hls-master")
        set.isDirectory = true
        for stream in streams {
            let path = try sheet(beside: file, stream.uri)
            let playlist = try self.text(path)
            var (bandwidth, average): (Int, Int?) = (1, nil)
            switch stream.kind {
            case .iFrame:
                let frames = try Storyboard.HLSIFramePlaylist(parsing: playlist)
                let own = Storyboard.HLSStream(
                    frames, codecs: stream.codecs, width: stream.width, height: stream.height, playlist: stream.uri)
                (bandwidth, average) = (own.bandwidth, own.averageBandwidth)
            case .image:
                let images = try Storyboard.HLSImagePlaylist(parsing: playlist)
                var segments: [(byteCount: Int, duration: Rational)] = []
                for segment in images.segments where !segment.isGap {
                    let sheet = try folder.open(try sheet(beside: path, segment.uri))
                    segments.append((Int(clamping: sheet.byteCount), segment.duration))
                    if (segment.tiles.width, segment.tiles.height) != (stream.width, stream.height) {
                        set.problems.append(
                            "says \(stream.width) x \(stream.height) pixels, but \(path) says \(segment.tiles.width) x \(segment.tiles.height)"
                        )
                        break
                    }
                }
                bandwidth = Storyboard.HLSStream.bandwidth(of: segments)
            }
            // Durations are written in decimals: slightly more than a thousandth is rounding.
            if bandwidth / 1000 * 999 > stream.bandwidth {
                set.problems.append(
                    "declares \(stream.bandwidth) bits per second for \(path), which needs \(bandwidth)")
            }
            if let promised = stream.averageBandwidth, let average, average / 1000 * 999 > promised {
                set.problems.append(
                    "declares \(promised) bits per second on average for \(path), which needs \(average)")
            }
        }
        set.note = streams.count == 1 ? "1 playlist" : "\(streams.count) playlists"
        return set
    }

    private mutating func dash(_ file: String) throws(ScrubError) -> ParsedThumbnailSet? {
        var set = ParsedThumbnailSet(file: file, format: "dash-tiles")
        set.playerStart = .zero
        let text = try text(file)
        let movies = try Storyboard.DASHKeyPictures.sets(parsing: text)
        for keys in movies {
            var pictures: [ParsedKeyPictures.Picture] = []
            for segment in keys.segments {
                guard let start = Rational(checked: Int64(segment.time), Int64(keys.timescale)),
                    let end = Rational(checked: Int64(segment.time + segment.duration), Int64(keys.timescale))
                else { throw ScrubError(.badData, "its times are too large to be valid") }
                pictures.append(.init(byteRange: segment.byteRange, start: start, end: end))
            }
            keyPictures.append(
                ParsedKeyPictures(
                    file: file, format: "dash-trickmode", media: try sheet(beside: file, keys.url),
                    initialization: keys.initialization, pictures: pictures, isOnFilmClock: true))
        }
        for tiles in try Storyboard.DASHTiles.sets(parsing: text) {
            let perSheet = tiles.columns * tiles.rows
            guard tiles.width % tiles.columns == 0, tiles.height % tiles.rows == 0,
                let step = tiles.sheetDuration.divided(by: Rational(Int64(perSheet)))
            else {
                throw ScrubError(
                    .badData,
                    "\(tiles.width) x \(tiles.height) pixels cannot be a grid of \(tiles.columns) x \(tiles.rows) tiles"
                )
            }
            let (width, height) = (tiles.width / tiles.columns, tiles.height / tiles.rows)
            for sheet in 0..<tiles.sheetCount {
                let path = try self.sheet(beside: file, tiles.url(ofSheet: sheet))
                set.sheetSizes[path] = (tiles.width, tiles.height)
                for tile in 0..<perSheet {
                    let number = Int64(sheet * perSheet + tile)
                    guard let from = step.multiplied(by: Rational(number)),
                        SetReader.isShown(from: from, until: tiles.duration, after: sheet * perSheet + tile)
                    else { break }
                    try reserveTile()
                    set.tiles.append(
                        .init(
                            place: .sheet(
                                path: path, x: tile % tiles.columns * width, y: tile / tiles.columns * height,
                                width: width, height: height),
                            start: from, end: min(tiles.duration, from.adding(step) ?? tiles.duration)))
                }
            }
        }
        return set.tiles.isEmpty && !movies.isEmpty ? nil : set
    }
}
