package import ScrubBase
internal import ScrubFileIO
package import ScrubMedia
package import ScrubThumbnails

/// Writes posters: into one file, into files numbered by rank, or into a folder with `posters.json`.
package struct PosterWriter {
    /// How posters are written.
    package struct Options: Sendable {
        /// The format; `nil` for the format of the path's suffix, or JPEG in a folder.
        package var format: ImageFormat?
        /// The width in pixels; `nil` for the video's own.
        package var width: Int?
        /// The maximum length of the longer side in pixels; `nil` for no limit.
        package var side: Int?
        /// The encoder's quality, 1 to 100.
        package var quality = 90
        /// The color under transparent pixels.
        package var background = RGBColor.black
        /// Whether the missing rows of interlaced pictures are interpolated.
        package var deinterlaces = false
        /// Whether a folder also gets the scores of all candidates, as JSON and as a drawing.
        package var explains = false
        /// Whether to replace files that no earlier run wrote.
        package var replacesFiles = false
        /// Whether to wait for another run that is writing to the folder.
        package var waits = false

        /// Creates options.
        package init() {}
    }

    private let target: PosterTarget
    private let options: Options

    /// Checks the names of `count` posters.
    ///
    /// - Parameter path: a file; or a folder, which ends with a slash or has no suffix.
    /// - Throws: `usage` for a path that is neither, and for a file that must not be replaced.
    package init(_ path: String, count: Int, _ options: Options) throws(ScrubError) {
        target = try PosterTarget(path, isShared: count > 1, format: options.format)
        self.options = options
        guard target.folder == nil else { return }
        for rank in 0..<count { _ = try output(rank) }
    }

    /// The folder; `nil` for files.
    package var folder: String? { target.folder }

    /// Writes posters.
    ///
    /// - Parameters:
    ///   - covers: the file's own covers, for the explanation.
    ///   - film: the film's name in `explanation.json` and `posters.json`, which contain only the part of it that may be published.
    ///   - warn: receives each instruction that could not be followed.
    /// - Returns: the path of each poster's file, by its frame's number.
    package func write(
        _ report: Poster.Report, covers: [CoverArt], of asset: VideoAsset, film: String, warn: (Wording) -> Void
    ) throws(ScrubError) -> [Int: String] {
        guard let path = target.folder else {
            return try write(report.posters, asset, warn) { (rank, _, bytes) throws(ScrubError) in
                try PlaceholderFile.write(bytes, to: try output(rank))
                return target.path(rank: rank)
            }
        }
        let folder = try PosterFolder(path: path, replacesFiles: options.replacesFiles, waits: options.waits)
        try folder.check(
            report.posters.enumerated().map { target.name(rank: $0, frame: $1.frame.number) },
            explains: options.explains)
        for warning in folder.warnings { warn(Wording(warning)) }
        var names: [Int: String] = [:]
        let files = try write(report.posters, asset, warn) { (rank, frame, bytes) throws(ScrubError) in
            let name = target.name(rank: rank, frame: frame)
            try folder.write(bytes, name)
            names[frame] = name
            return folder.path(of: name)
        }
        var list = JSONText()
        list.add("file", film.publicName)
        list.add("posters", .array(report.posters.map { .object($0.json(names)) }))
        if options.explains {
            try folder.write(Array(report.sheet.utf8), "explanation.svg")
            let text = report.json(files, covers: covers, of: asset, film: film.publicName, face: .command)
            try folder.write(Array((text.text + "\n").utf8), "explanation.json")
            list.add("explanation", PosterFolder.explanations)
        }
        try folder.commit(list: list.text)
        return files
    }

    /// Decodes the posters again at the requested size.
    ///
    /// - Parameter deliver: writes a poster and returns its path.
    private func write(
        _ posters: [Poster], _ asset: VideoAsset, _ warn: (Wording) -> Void,
        _ deliver: (_ rank: Int, _ frame: Int, _ bytes: [UInt8]) throws(ScrubError) -> String
    ) throws(ScrubError) -> [Int: String] {
        var files: [Int: String] = [:]
        let ranks = Dictionary(uniqueKeysWithValues: posters.enumerated().map { ($1.frame.number, $0) })
        try asset.pictures(of: posters) { (poster, picture) throws(ScrubError) in
            let frame = poster.frame.number
            guard let rank = ranks[frame] else { return }
            let encoded = try picture.posterFile(
                as: target.format, width: options.width, fittingSide: options.side, quality: options.quality,
                background: options.background, deinterlaces: options.deinterlaces)
            files[frame] = try deliver(rank, frame, encoded.bytes)
            for warning in encoded.warnings { warn(warning) }
        }
        return files
    }

    private func output(_ rank: Int) throws(ScrubError) -> OutputFile {
        try OutputFile(target.path(rank: rank), .picture, replacesFiles: options.replacesFiles)
    }
}
