internal import ScrubFileIO
internal import ScrubBase
internal import ScrubPictures
internal import ScrubStoryboards

/// Writes a set in another format into a folder.
struct ConversionWriter {
    let set: ConvertibleSet
    let format: ThumbnailSets.Conversion.Format
    let baseURL: String?
    let output: OutputFolder
    /// The number of picture files that were re-encoded.
    private(set) var encodedCount = 0
    /// The most recently decoded sheet of the old set.
    private var last: (number: Int, image: RasterImage)?

    init(set: ConvertibleSet, format: ThumbnailSets.Conversion.Format, baseURL: String?, output: OutputFolder) {
        (self.set, self.format, self.baseURL, self.output) = (set, format, baseURL, output)
    }

    private var folder: String { output.workPath }
    private var place: (work: String, final: String) { (output.workPath, output.path) }

    /// Writes the set.
    ///
    /// - Returns: the files, with the index last.
    mutating func write(_ fitted: AdaptedSet) throws(ScrubError) -> [String] {
        var board = fitted.board
        (board.otherFiles, board.sourceIdentifier) = ([], nil)
        // Jellyfin's sheets are two levels down.
        let names = board.sheets.map(\.name.lastPathComponent)
        if Set(names).count == names.count { for i in names.indices { board.sheets[i].name = names[i] } }
        var files: [String] = []
        switch format {
        case .bif:
            var file = try BIFWriter(path: folder + "/" + Storyboard.BIF.plexName, count: board.sheets.count)
            for number in board.sheets.indices {
                try Cancellation.check()
                if let old = fitted.copies[number] {
                    let picture = try set.picture(old)
                    try file.append(picture)
                    board.sheets[number].byteCount = picture.range.count
                } else {
                    let bytes = try sheet(number, fitted)
                    try file.append(bytes)
                    board.sheets[number].byteCount = bytes.count
                }
            }
            try file.commit(board)
            files = [Storyboard.BIF.plexName]
        case .jellyfin:
            let media = Storyboard.JellyfinTrickplay.mediaFolderName(base: set.baseName)
            let name = media + "/" + (try Storyboard.JellyfinTrickplay(board).folderName)
            // The name comes from a file. It must not contain a path, or anything at which the system would cut it off.
            guard try ConfinedFolder.components(of: name).count == 2 else {
                throw ScrubError(.badData, "'\(set.baseName)' is not a valid folder name", file: set.source)
            }
            _ = try output.makeFolder(media)
            _ = try output.makeFolder(name)
            for number in board.sheets.indices {
                board.sheets[number].name = name + "/" + Storyboard.JellyfinTrickplay.fileName(sheet: number)
            }
            files = try writePictures(&board, fitted)
        case .vtt:
            files = try writePictures(&board, fitted)
            try text(try Storyboard.WebVTT(board, baseURL: baseURL).text, "thumbnails.vtt", &board)
        case .json:
            files = try writePictures(&board, fitted)
            let json = try JSONIndexes(board, baseURL: baseURL)
            try json.write(into: folder)
            board.otherFiles = json.names
        case .hls:
            files = try writePictures(&board, fitted)
            try text(try Storyboard.HLSImagePlaylist(board).text, "images.m3u8", &board)
            var streams = [try Storyboard.HLSStream(board, playlist: "images.m3u8")]
            if let track = try thumbnailTrack(board) {
                board.otherFiles += [ThumbnailTrack.playlistName, ThumbnailTrack.movieName]
                streams.append(track.stream(of: board))
            }
            try text(Storyboard.HLSStream.master(streams), "master.m3u8", &board)
        case .dash:
            files = try writePictures(&board, fitted)
            try text(Storyboard.DASHTiles.presentation([try Storyboard.DASHTiles(board)]), "manifest.mpd", &board)
        }
        if set.board != nil, format != .bif {
            // Other videos' folders may be next to this video's Jellyfin folder.
            let media =
                format == .jellyfin ? Storyboard.JellyfinTrickplay.mediaFolderName(base: set.baseName) + "/" : ""
            try board.writeManifest(
                "manifest.json", in: place, of: output, lacking: format == .json ? JSONIndexes.allNames : [],
                files: { $0.sheets.map(\.name).filter { $0.hasPrefix(media) } })
            files.append("manifest.json")
        }
        try set.checkIsUnchanged()
        try output.commit()
        return files + board.otherFiles
    }

    /// Writes single JPEG pictures as an I-frame track as well.
    ///
    /// - Returns: the track; `nil` for sheets with several thumbnails and for formats other than JPEG, which would have
    ///   to be re-encoded, and for values that do not fit in the boxes.
    private func thumbnailTrack(_ board: Storyboard) throws(ScrubError) -> ThumbnailTrack? {
        let (width, height) = (board.tileWidth, board.tileHeight)
        guard board.columns == 1, board.rows == 1, board.format == .jpeg,
            board.sheets.allSatisfy({ $0.width == width && $0.height == height })
        else { return nil }
        do throws(ScrubError) {
            return try ThumbnailTrack(board, into: folder) { (number) throws(ScrubError) in
                let file = try FileSource(path: folder + "/" + board.sheets[board.thumbnails[number].sheet].name)
                return ParsedPicture(file: file, range: 0..<file.byteCount)
            }
        } catch  where error.code == .unavailable {
            return nil
        }
    }

    /// Writes the pictures of a BIF file unchanged, with the index of their times.
    func write(_ vtt: Storyboard.WebVTT) throws(ScrubError) -> [String] {
        var files: [String] = []
        for number in vtt.cues.indices {
            try Cancellation.check()
            let name = ConvertibleSet.name(number)
            try set.picture(number).copy(to: folder + "/" + name)
            files.append(name)
        }
        let isJSON = format == .json
        let index = isJSON ? JSONIndexes.imagesName : "thumbnails.vtt"
        try AtomicFile.write(
            Array((isJSON ? Storyboard.JSONImages(vtt).text : vtt.text).utf8), to: .staged(folder + "/" + index))
        try output.commit()
        return files + [index]
    }

    private func text(_ text: String, _ name: String, _ board: inout Storyboard) throws(ScrubError) {
        try AtomicFile.write(Array(text.utf8), to: .staged(folder + "/" + name))
        board.otherFiles.append(name)
    }

    private mutating func writePictures(_ board: inout Storyboard, _ fitted: AdaptedSet) throws(ScrubError) -> [String]
    {
        for number in board.sheets.indices {
            try Cancellation.check()
            let path = folder + "/" + board.sheets[number].name
            if let old = fitted.copies[number] {
                let picture = try set.picture(old)
                try picture.copy(to: path)
                board.sheets[number].byteCount = picture.range.count
            } else {
                let bytes = try sheet(number, fitted)
                try AtomicFile.write(bytes, to: .staged(path))
                board.sheets[number].byteCount = bytes.count
            }
        }
        return board.sheets.map(\.name)
    }

    /// Returns a sheet assembled from pieces of the old sheets.
    private mutating func sheet(_ number: Int, _ fitted: AdaptedSet) throws(ScrubError) -> [UInt8] {
        let board = fitted.board
        let extent = board.sheets[number]
        guard let quality = fitted.quality, extent.width * extent.height <= StillFile.byteLimit / 3,
            let encoder = ImageFormat(rawValue: board.format.rawValue)
        else {
            throw ScrubError(
                .unavailable, "a sheet of \(extent.width) x \(extent.height) pixels is too large", file: set.source)
        }
        var canvas = SheetCanvas(width: extent.width, height: extent.height)
        for (thumbnail, piece) in zip(board.thumbnails, fitted.pieces) where thumbnail.sheet == number {
            let image = try self.image(piece.sheet)
            var tile = image
            if !set.isSingles {
                guard piece.x <= image.width - piece.width, piece.y <= image.height - piece.height else {
                    throw ScrubError(
                        .badData,
                        "sheet \(piece.sheet) has only \(image.width) x \(image.height) pixels, too few for its thumbnails",
                        file: set.source)
                }
                tile = image.cropped(x: piece.x, y: piece.y, width: piece.width, height: piece.height)
            }
            tile = tile.fitted(width: board.tileWidth, height: board.tileHeight)
            canvas.paste(
                tile, x: thumbnail.x + (board.tileWidth - tile.width) / 2,
                y: thumbnail.y + (board.tileHeight - tile.height) / 2)
        }
        encodedCount += 1
        let sampling: JPEG.Sampling = extent.height > board.tileHeight ? .halfAcross : .half
        return try encoder.encode(canvas.image, quality: quality, sampling: sampling)
    }

    private mutating func image(_ number: Int) throws(ScrubError) -> RasterImage {
        if let last, last.number == number { return last.image }
        guard let image = try set.picture(number).image() else {
            throw ScrubError(.badData, "picture \(number) cannot be decoded", file: set.source)
        }
        last = (number, image)
        return image
    }
}

extension RasterImage {
    /// Returns the image, reduced to fit into a box if necessary. The aspect ratio is kept.
    fileprivate func fitted(width: Int, height: Int) -> RasterImage {
        guard self.width > width || self.height > height else { return self }
        let isWide = self.width * height > self.height * width
        return reduced(
            width: isWide ? width : max(1, self.width * height / self.height),
            height: isWide ? max(1, self.height * width / self.width) : height)
    }
}
