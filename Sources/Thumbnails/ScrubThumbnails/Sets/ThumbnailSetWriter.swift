internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards
internal import ScrubStripElement

/// Writes a run's thumbnails in the formats of players.
struct ThumbnailSetWriter {
    let run: ThumbnailRun
    /// The positions of sizes in the run's list of sizes.
    let sizes: [ThumbnailPlan.Size: Int]
    /// The width of Jellyfin's pictures; `nil` for the profile's own.
    let trickplayWidth: Int?
    let quality: Int
    let baseURL: String?
    let options: ThumbnailSets.Options
    /// Warnings about parts that a set lacks because the video does not allow them, one sentence each.
    private(set) var warnings: [Wording] = []
    /// The pictures of the moving preview, and of the contact sheet, if there is one.
    private var previews: SelectedThumbnails<RasterImage>?
    private var cells: SelectedThumbnails<[UInt8]>?
    /// The result of copying the key pictures for the first set that needed them.
    private var keyMovie: Result<ThumbnailSets.KeyframeMovie, ScrubError>?

    init(
        run: ThumbnailRun, sizes: [ThumbnailPlan.Size: Int], trickplayWidth: Int? = nil, options: ThumbnailSets.Options
    ) {
        (self.run, self.sizes, self.trickplayWidth, self.options) = (run, sizes, trickplayWidth, options)
        (quality, baseURL) = (options.quality, options.baseURL)
    }

    static func sizes(
        _ profile: ThumbnailSets.Profile, _ options: ThumbnailSets.Options, trickplayWidth: Int?
    ) -> [ThumbnailPlan.Size] {
        if profile == .jellyfin, options.size == nil, let trickplayWidth { return [.standard(trickplayWidth)] }
        return profile.sizes(options.size)
    }

    /// Returns the positions of a profile's sizes in the run's list.
    func sizeNumbers(of profile: ThumbnailSets.Profile) -> [Int] {
        ThumbnailSetWriter.sizes(profile, options, trickplayWidth: trickplayWidth).compactMap { sizes[$0] }
    }

    /// Checks that a profile's formats can represent the plan.
    ///
    /// - Throws: `usage` with the reason.
    func check(_ profile: ThumbnailSets.Profile) throws(ScrubError) {
        // Sets whose files are named after the video.
        if [.jellyfin, .roku].contains(profile), !Storyboard.isInside(run.asset.baseName) {
            throw ScrubError(
                .usage, "the film's name has characters that a set's file names cannot contain, such as a line break",
                advice: "rename the film, or omit this profile")
        }
        for size in sizeNumbers(of: profile) {
            let board = try run.plan.storyboard(of: run.asset, tile: run.sizes[size], profile.sheets)
            switch profile {
            case .web: _ = (try Storyboard.WebVTT(board, baseURL: baseURL), try JSONIndexes(board, baseURL: baseURL))
            case .jellyfin: _ = try Storyboard.JellyfinTrickplay(board)
            case .plex, .roku: _ = try Storyboard.BIF(board)
            case .hls: _ = try Storyboard.HLSImagePlaylist(board)
            case .dash: _ = try Storyboard.DASHTiles(board)
            case .contact, .freedesktop: break
            }
        }
    }

    /// Creates and writes the sets of profiles.
    ///
    /// - Parameter warnings: receives the profiles that are skipped.
    /// - Throws: `usage` if a profile cannot store the plan and must not be skipped, or if a file must not be replaced.
    ///   Otherwise as the run.
    mutating func write(
        _ profiles: [ThumbnailSets.Profile], warnings: inout [Wording],
        progress: (WorkProgress) -> Void
    ) throws(ScrubError) -> [ThumbnailSets.Entry] {
        var entries: [ThumbnailSets.Entry] = []
        // A set that cannot be written must not cause hours of decoding first.
        var wanted: [ThumbnailSets.Profile] = []
        for profile in profiles {
            do throws(ScrubError) {
                try check(profile)
                if options.skipsUpToDateSets, let found = current(profile) {
                    entries.append(found)
                } else {
                    wanted.append(profile)
                }
            } catch  where options.skipsUnsupportedProfiles {
                warnings.append("no set for \(profile.rawValue): \(error.causeWording)")
            }
        }
        for profile in wanted { try checkNames(profile) }
        for profile in wanted { try prepare(profile) }
        if !wanted.isEmpty { try run.run(progress: progress) }
        for profile in wanted {
            let byteCount = try write(profile)
            entries.append(
                .init(
                    profile: profile, folder: run.output.path + "/" + profile.rawValue,
                    thumbnailCount: run.plan.slots.count, byteCount: byteCount))
        }
        try run.finish()
        return entries
    }

    private func sheetOptions(_ profile: ThumbnailSets.Profile) -> Storyboard.SheetOptions {
        var options = profile.sheets
        (options.quality, options.makesPlaceholderHashes) = (quality, profile == .web)
        return options
    }

    /// Requests the parts of a profile's set from the run.
    mutating func prepare(_ profile: ThumbnailSets.Profile) throws(ScrubError) {
        let (total, quality) = (run.plan.slots.count, quality)
        for size in sizeNumbers(of: profile) {
            switch profile {
            case .web:
                try run.addSheets(sheetOptions(profile), size: size)
                let picked = SelectedThumbnails(PreviewSelection.spread(PreviewSelection.most, over: total), size: size)
                { $0 }
                run.add(picked)
                previews = picked
            case .jellyfin, .dash: try run.addSheets(sheetOptions(profile), size: size)
            case .hls:
                try run.addSheets(sheetOptions(profile), size: size)
                run.addPictures(size: size, quality: quality)
            case .plex, .roku: run.addPictures(size: size, quality: quality)
            case .contact:
                let picked = SelectedThumbnails(cellNumbers, size: size) { (image) throws(ScrubError) in
                    try ImageFormat.jpeg.encode(image, quality: quality)
                }
                run.add(picked)
                cells = picked
            case .freedesktop: continue
            }
        }
    }

    /// Writes the set of a profile for which the run was prepared.
    ///
    /// - Returns: the size of the pictures in bytes.
    mutating func write(_ profile: ThumbnailSets.Profile) throws(ScrubError) -> Int {
        let folder = try run.output.makeFolder(profile.rawValue)
        let options = sheetOptions(profile)
        var byteCount = 0
        for (place, size) in sizeNumbers(of: profile).enumerated() {
            let board: Storyboard
            switch profile {
            case .web: board = try web(options, size, folder)
            case .jellyfin: board = try jellyfin(options, size, folder)
            case .plex, .roku: board = try bif(profile, bifName(profile, place: place), options, size, folder)
            case .hls: board = try hls(options, size, folder)
            case .dash: board = try dash(options, size, folder)
            case .contact:
                byteCount += try contact(size, folder.work)
                continue
            case .freedesktop: continue
            }
            byteCount += board.sheets.reduce(0) { $0 + $1.byteCount }
        }
        return byteCount
    }

    private func sourceIdentifier(_ profile: ThumbnailSets.Profile) -> String {
        options.sourceIdentifier(run.asset, profile)
    }

    /// Returns the video's address relative to a page in a folder, if the video is next to that folder or above it;
    /// otherwise `nil`, because links in moved pages would break and reveal where people keep their videos.
    private func film(from folder: String) -> String? {
        guard run.asset.file.file != nil, let root = Folder.resolved(run.output.path),
            let film = Folder.resolved(run.asset.path)
        else {
            return nil
        }
        let below = folder.dropFirst(run.output.path.count)
        let (from, to) = ((root + below).pathComponents, film.pathComponents)
        guard let name = to.last, from.starts(with: to.dropLast()), from.count - to.count < 4,
            let address = try? SheetURL.reference(name, base: nil)
        else { return nil }
        let up = from.count - to.count + 1
        return up > 0 ? String(repeating: "../", count: up) + address : "./" + address
    }

    /// The folder in which a set is written, and its final one.
    private typealias Place = (work: String, final: String)

    private func text(_ text: String, _ path: String) throws(ScrubError) {
        try AtomicFile.write(Array(text.utf8), to: .staged(path))
    }

    private func web(_ options: Storyboard.SheetOptions, _ size: Int, _ place: Place) throws(ScrubError) -> Storyboard {
        let folder = place.work
        var board = try run.writeSheets(options, size: size, folder: folder)
        board.sourceIdentifier = sourceIdentifier(.web)
        try text(try Storyboard.WebVTT(board, baseURL: baseURL).text, folder + "/thumbnails.vtt")
        let json = try JSONIndexes(board, baseURL: baseURL)
        try json.write(into: folder)
        try text(try ThumbnailPage(board, asset: run.asset, film: film(from: place.final)).html, folder + "/index.html")
        try AtomicFile.write(StripElement.bytes, to: .staged(folder + "/" + StripElement.fileName))
        try AtomicFile.write(try preview(size, quality: options.quality), to: .staged(folder + "/preview.webp"))
        board.otherFiles = ["thumbnails.vtt", "index.html", StripElement.fileName, "preview.webp"] + json.names
        try board.writeManifest("manifest.json", in: place, of: run.output, lacking: JSONIndexes.allNames)
        return board
    }

    /// Returns some of the thumbnails as a moving picture, half a second each, to show when a pointer is over a video.
    private func preview(_ size: Int, quality: Int) throws(ScrubError) -> [UInt8] {
        let tile = run.sizes[size]
        var animation = try WebPAnimation(width: tile.width, height: tile.height, quality: quality)
        for number in PreviewSelection.numbers(run.finished.shown.map(\.frame)) {
            guard let image = previews?.values[number] else { continue }
            try animation.append(image, milliseconds: PreviewSelection.milliseconds)
        }
        return try animation.finish()
    }

    /// The thumbnails of a contact sheet: at most 60, evenly spread.
    private var cellNumbers: [Int] { PreviewSelection.spread(60, over: run.plan.slots.count) }

    /// Writes a contact sheet, without repeating a thumbnail.
    ///
    /// - Returns: the size of the pictures in bytes.
    private func contact(_ size: Int, _ folder: String) throws(ScrubError) -> Int {
        var cells: [ContactSheetDrawing.Cell] = []
        var last: Int?
        for number in cellNumbers {
            let frame = run.finished.shown[number].frame
            guard last != frame, let jpeg = self.cells?.values[number] else { continue }
            last = frame
            cells.append(.init(jpeg: jpeg, label: run.asset.frames[frame].timeText, note: "\(frame)"))
        }
        let facts = try run.asset.facts()
        let title = run.asset.path.mediumName
        try text(
            ContactSheetDrawing(title: title, facts: facts, cells: cells, size: run.sizes[size]).svg
                + "<!-- \(sourceIdentifier(.contact)) -->\n",
            folder + "/contact.svg")
        return cells.reduce(0) { $0 + $1.jpeg.count }
    }

    private func jellyfin(_ options: Storyboard.SheetOptions, _ size: Int, _ place: Place) throws(ScrubError)
        -> Storyboard
    {
        let media = place.work + "/" + Storyboard.JellyfinTrickplay.mediaFolderName(base: run.asset.baseName)
        try Folder.make(media)
        let tile = run.sizes[size]
        let name = "\(tile.width) - \(options.columns)x\(options.rows)"
        try Folder.make(media + "/" + name)
        var board = try run.writeSheets(options, size: size, folder: media + "/" + name)
        board.sourceIdentifier = sourceIdentifier(.jellyfin)
        // The server relies on what this checks.
        _ = try Storyboard.JellyfinTrickplay(board)
        let prefix = Storyboard.JellyfinTrickplay.mediaFolderName(base: run.asset.baseName) + "/" + name + "/"
        for i in board.sheets.indices { board.sheets[i].name = prefix + board.sheets[i].name }
        // Other videos' folders may be next to this one's.
        let own = Storyboard.JellyfinTrickplay.mediaFolderName(base: run.asset.baseName) + "/"
        try board.writeManifest(
            "manifest.json", in: place, of: run.output,
            files: { $0.sheets.map(\.name).filter { $0.hasPrefix(own) } })
        return board
    }

    private func bif(
        _ profile: ThumbnailSets.Profile, _ name: String, _ options: Storyboard.SheetOptions, _ size: Int,
        _ place: Place
    ) throws(ScrubError) -> Storyboard {
        let folder = place.work
        var board = try run.writeBIF(options, size: size, path: folder + "/" + name)
        board.sourceIdentifier = sourceIdentifier(profile)
        if profile == .plex, let emby = embyName(board) {
            try AtomicFile.copy(folder + "/" + name, to: .staged(folder + "/" + emby))
        }
        try board.writeManifest(name + ".json", in: place, of: run.output, files: bifFiles(profile, name))
        return board
    }

    private mutating func hls(_ options: Storyboard.SheetOptions, _ size: Int, _ place: Place) throws(ScrubError)
        -> Storyboard
    {
        let folder = place.work
        var board = try run.writeSheets(options, size: size, folder: folder)
        (board.otherFiles, board.sourceIdentifier) = (["images.m3u8", "master.m3u8"], sourceIdentifier(.hls))
        try text(try Storyboard.HLSImagePlaylist(board).text, folder + "/images.m3u8")
        var streams = [try Storyboard.HLSStream(board, playlist: "images.m3u8")]
        if let movie = try keyPictures(folder, "HLS") {
            let playlist = try Storyboard.HLSIFramePlaylist(movie, path: "keyframes.mp4")
            try text(playlist.text, folder + "/iframes.m3u8")
            board.otherFiles += ["iframes.m3u8", "keyframes.mp4"]
            streams.append(
                Storyboard.HLSStream(
                    playlist, codecs: movie.codec, width: movie.width, height: movie.height, playlist: "iframes.m3u8"))
        }
        if let track = try thumbnailTrack(board, size, folder) {
            board.otherFiles += [ThumbnailTrack.playlistName, ThumbnailTrack.movieName]
            streams.append(track.stream(of: board))
        }
        try text(Storyboard.HLSStream.master(streams), folder + "/master.m3u8")
        try board.writeManifest(
            "manifest.json", in: place, of: run.output,
            lacking: ["iframes.m3u8", "keyframes.mp4", ThumbnailTrack.playlistName, ThumbnailTrack.movieName])
        return board
    }

    /// Writes the thumbnails as an I-frame track, for players that show neither tiles nor coded pictures.
    ///
    /// - Returns: the track; `nil`, with a warning, if the values do not fit its boxes.
    private mutating func thumbnailTrack(
        _ board: Storyboard, _ size: Int, _ folder: String
    ) throws(ScrubError) -> ThumbnailTrack? {
        do throws(ScrubError) {
            let pictures = try run.pictures(size: size, quality: quality)
            return try ThumbnailTrack(board, into: folder) { pictures[$0] }
        } catch  where error.code == .unavailable {
            warnings.append("the HLS set has no I-frame thumbnails: \(error.causeWording)")
            return nil
        }
    }

    /// Copies the key pictures, at most one per second, for players that show no tiles. A second set gets the first
    /// one's file.
    ///
    /// - Parameter name: the set's name in a warning.
    /// - Returns: the movie; `nil`, with a warning, if the video cannot be copied to MP4.
    private mutating func keyPictures(_ folder: String, _ name: String) throws(ScrubError) -> ThumbnailSets
        .KeyframeMovie?
    {
        let path = folder + "/keyframes.mp4"
        do throws(ScrubError) {
            if let movie = try keyMovie?.get() {
                try AtomicFile.copy(movie.path, to: .staged(path))
                return movie.copied(to: path)
            }
            let movie = try run.asset.writeKeyframeMovie(staged: path, every: .one)
            keyMovie = .success(movie)
            return movie
        } catch  where error.code == .unavailable || error.code == .badData {
            keyMovie = keyMovie ?? .failure(error)
            let advice: Wording = error.adviceWording.map { " (\($0))" } ?? ""
            warnings.append("the \(name) set has no key pictures: \(error.causeWording)\(advice)")
            return nil
        }
    }

    private mutating func dash(_ options: Storyboard.SheetOptions, _ size: Int, _ place: Place) throws(ScrubError)
        -> Storyboard
    {
        let folder = place.work
        var board = try run.writeSheets(options, size: size, folder: folder)
        (board.otherFiles, board.sourceIdentifier) = (["manifest.mpd"], sourceIdentifier(.dash))
        var keys: Storyboard.DASHKeyPictures?
        if let movie = try keyPictures(folder, "DASH") {
            keys = try Storyboard.DASHKeyPictures(
                movie, path: "keyframes.mp4", frameCount: run.asset.frames.count, duration: run.asset.duration)
            board.otherFiles.append("keyframes.mp4")
        }
        try text(
            Storyboard.DASHTiles.presentation([try Storyboard.DASHTiles(board)], keyPictures: keys),
            folder + "/manifest.mpd")
        try board.writeManifest("manifest.json", in: place, of: run.output, lacking: ["keyframes.mp4"])
        return board
    }
}
