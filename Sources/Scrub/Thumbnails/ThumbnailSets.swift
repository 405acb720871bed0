internal import FileIO
internal import ScrubPictures
internal import Storyboards

extension VideoAsset {
    /// Writes thumbnail sets for several players and servers, each into a folder named by its profile; all of them come
    /// from one decoding.
    ///
    /// Every set but the one for file managers also has a `manifest.json`, from which its pictures can be proven. Files appear
    /// under their names when they are whole, indexes last; a run that was broken off goes on where it was.
    ///
    /// - Parameters:
    ///   - folder: made if it is not there.
    ///   - options: for whom, and which thumbnails.
    ///   - isCancelled: asked between pictures, on the calling thread.
    ///   - progress: told how many pictures of how many are done, on the calling thread.
    /// - Throws: `usage` when a profile cannot say what was asked for, such as an uneven interval; else as
    ///   ``writeStrip(into:_:isCancelled:progress:)``.
    public func writeThumbnailSets(
        into folder: String, _ options: ThumbnailSetOptions, isCancelled: () -> Bool = { false },
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> ThumbnailSetReport {
        try Folder.make(folder)
        var thumbnails = ThumbnailOptions()
        thumbnails.threadCount = options.threadCount
        thumbnails.widths = Array(Set(options.profiles.flatMap(\.widths))).sorted()
        var entries: [ThumbnailSetReport.Entry] = []
        var (plan, warnings): (ThumbnailPlan?, [String]) = (nil, [])
        if !thumbnails.widths.isEmpty {
            let made = try thumbnailPlan(for: options.request)
            plan = made
            let run = try ThumbnailRun(self, made, thumbnails, folder: folder)
            try run.run(isCancelled: isCancelled, progress: progress)
            var writer = ThumbnailSetWriter(run: run, widths: thumbnails.widths, quality: options.quality)
            for profile in options.profiles where !profile.widths.isEmpty {
                let place = folder + "/" + profile.rawValue
                try Folder.make(place)
                let boards = try writer.write(profile, into: place)
                entries.append(
                    .init(
                        profile: profile, folder: place, thumbnailCount: made.slots.count,
                        byteCount: boards.reduce(0) { $0 + $1.sheets.reduce(0) { $0 + $1.byteCount } }))
            }
            run.finish()
            warnings = run.warnings + writer.warnings
        }
        if options.profiles.contains(.freedesktop) {
            let place = folder + "/" + ThumbnailProfile.freedesktop.rawValue
            let bytes = try writeFreedesktopThumbnails(into: place)
            entries.append(
                .init(profile: .freedesktop, folder: place, thumbnailCount: bytes.count, byteCount: bytes.reduce(0, +)))
        }
        return ThumbnailSetReport(sets: entries, plan: plan, warnings: warnings)
    }

    /// The file's name without its suffix.
    var baseName: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}

/// Writes a run's thumbnails in the formats of players.
struct ThumbnailSetWriter {
    let run: ThumbnailRun
    let widths: [Int]
    let quality: Int
    /// What a set lacks because the video does not allow it, a sentence each.
    private(set) var warnings: [String] = []

    init(run: ThumbnailRun, widths: [Int], quality: Int) {
        (self.run, self.widths, self.quality) = (run, widths, quality)
    }

    /// - Returns: the sets, one for each width.
    mutating func write(_ profile: ThumbnailProfile, into folder: String) throws(ScrubError) -> [Storyboard] {
        var options = profile.sheets
        options.quality = quality
        var boards: [Storyboard] = []
        for width in profile.widths {
            guard let size = widths.firstIndex(of: width) else { continue }
            switch profile {
            case .web: boards.append(try web(options, size, folder))
            case .jellyfin: boards.append(try jellyfin(options, size, folder))
            case .plex, .roku: boards.append(try bif(profile, options, size, folder))
            case .hls: boards.append(try hls(options, size, folder))
            case .dash: boards.append(try dash(options, size, folder))
            case .contact: boards.append(try contact(options, size, folder))
            case .freedesktop: break
            }
        }
        return boards
    }

    private func text(_ text: String, _ path: String) throws(ScrubError) {
        try AtomicFile.write(Array(text.utf8), to: path)
    }

    private func manifest(_ board: Storyboard, _ path: String) throws(ScrubError) {
        try text(try StoryboardJSON.manifest(board) + "\n", path)
    }

    private func web(_ options: SheetOptions, _ size: Int, _ folder: String) throws(ScrubError) -> Storyboard {
        var options = options
        options.makesBlurHashes = true
        let board = try run.writeSheets(options, size: size, folder: folder)
        try text(try WebVTT(board).text, folder + "/thumbnails.vtt")
        try text(try ThumbnailPage(board).html, folder + "/index.html")
        try AtomicFile.write(try preview(size, quality: options.quality), to: folder + "/preview.webp")
        try manifest(board, folder + "/manifest.json")
        return board
    }

    /// Some of the thumbnails as a moving picture, half a second each, for where a film is only pointed at.
    private func preview(_ size: Int, quality: Int) throws(ScrubError) -> [UInt8] {
        let tile = run.sizes[size]
        var animation = try WebPAnimation(width: tile.width, height: tile.height, quality: quality)
        let count = min(16, run.plan.slots.count)
        var last: Int?
        for place in 0..<count {
            let slot = run.plan.slots[(2 * place + 1) * run.plan.slots.count / (2 * count)]
            // The same picture for a second would look like a stop.
            guard run.shown(slot).frame != last else { continue }
            last = run.shown(slot).frame
            try animation.append(try run.image(slot, size: size), milliseconds: 500)
        }
        return try animation.finish()
    }

    /// At most 60 of the thumbnails, evenly, none twice.
    private func contact(_ options: SheetOptions, _ size: Int, _ folder: String) throws(ScrubError) -> Storyboard {
        let (board, pictures) = try run.encodeSingles(quality: options.quality, size: size)
        let count = min(60, pictures.count)
        var cells: [ContactSheet.Cell] = []
        var last: Int?
        for place in 0..<count {
            let number = (2 * place + 1) * pictures.count / (2 * count)
            let thumbnail = board.thumbnails[number]
            guard last != thumbnail.frame else { continue }
            last = thumbnail.frame
            cells.append(
                .init(
                    jpeg: pictures[number], label: ContactSheet.clock(thumbnail.time), note: "\(thumbnail.frame)"))
        }
        let info = try run.asset.info()
        let facts =
            "\(info.width) x \(info.height), \(info.codec), \(ContactSheet.clock(run.asset.duration)), \(info.frameCount) frames"
        let title = run.asset.path.split(separator: "/").last.map(String.init) ?? run.asset.path
        try text(
            ContactSheet(title: title, facts: facts, cells: cells, size: run.sizes[size]).svg,
            folder + "/contact.svg")
        return board
    }

    private func jellyfin(_ options: SheetOptions, _ size: Int, _ folder: String) throws(ScrubError) -> Storyboard {
        let media = folder + "/" + JellyfinTrickplay.mediaFolderName(base: run.asset.baseName)
        try Folder.make(media)
        let tile = run.sizes[size]
        let name = "\(tile.width) - \(options.columns)x\(options.rows)"
        try Folder.make(media + "/" + name)
        var board = try run.writeSheets(options, size: size, folder: media + "/" + name)
        // The server counts on what this proves.
        _ = try JellyfinTrickplay(board)
        let place = JellyfinTrickplay.mediaFolderName(base: run.asset.baseName) + "/" + name + "/"
        for i in board.sheets.indices { board.sheets[i].name = place + board.sheets[i].name }
        try manifest(board, folder + "/manifest.json")
        return board
    }

    private func bif(
        _ profile: ThumbnailProfile, _ options: SheetOptions, _ size: Int, _ folder: String
    ) throws(ScrubError) -> Storyboard {
        let base = run.asset.baseName
        let (board, pictures) = try run.encodeSingles(quality: options.quality, size: size)
        let bif = try BIF(board)
        var bytes = bif.header
        bytes.reserveCapacity(bif.byteCount)
        for picture in pictures { bytes += picture }
        var names: [String] = []
        if profile == .plex {
            names = [BIF.plexName]
            if bif.multiplier % 1000 == 0 {
                names.append(BIF.embyName(base: base, width: board.tileWidth, interval: Int(bif.multiplier / 1000)))
            }
        } else {
            names = [base + (board.tileWidth < 320 ? "-sd.bif" : "-hd.bif")]
        }
        for name in names { try AtomicFile.write(bytes, to: folder + "/" + name) }
        try manifest(board, folder + "/" + (names.first ?? "") + ".json")
        return board
    }

    private mutating func hls(_ options: SheetOptions, _ size: Int, _ folder: String) throws(ScrubError) -> Storyboard {
        let board = try run.writeSheets(options, size: size, folder: folder)
        try text(try HLSImagePlaylist(board).text, folder + "/images.m3u8")
        var streams = [try HLSStream(board, playlist: "images.m3u8")]
        if let frames = try keyPictures(folder) { streams.append(frames) }
        try text(HLSStream.master(streams), folder + "/master.m3u8")
        try manifest(board, folder + "/manifest.json")
        return board
    }

    /// Copies the key pictures, at most one each second, for players that show no tiles.
    ///
    /// - Returns: their line in the master playlist; nothing, and a warning, when the video cannot be copied into MP4.
    private mutating func keyPictures(_ folder: String) throws(ScrubError) -> HLSStream? {
        let movie: KeyframeMovieReport
        do throws(ScrubError) {
            movie = try run.asset.writeKeyframeMovie(to: folder + "/keyframes.mp4", every: .one)
        } catch  where error.code == .unavailable || error.code == .badData {
            warnings.append("the HLS set has no key pictures: \(error.cause)")
            return nil
        }
        let playlist = try HLSIFramePlaylist(movie, path: "keyframes.mp4")
        try text(playlist.text, folder + "/iframes.m3u8")
        return HLSStream(
            playlist, codecs: movie.codecs, width: movie.width, height: movie.height, playlist: "iframes.m3u8")
    }

    private func dash(_ options: SheetOptions, _ size: Int, _ folder: String) throws(ScrubError) -> Storyboard {
        let board = try run.writeSheets(options, size: size, folder: folder)
        try text(DASHTiles.presentation([try DASHTiles(board)]), folder + "/manifest.mpd")
        try manifest(board, folder + "/manifest.json")
        return board
    }
}
