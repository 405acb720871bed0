internal import ScrubFileIO
internal import ScrubPictures
public import ScrubStoryboards

extension ThumbnailStrip {
    /// Options for a thumbnail strip: sheets, `thumbnails.vtt` for players, `manifest.json` for programs.
    public struct Options: Hashable, Sendable {
        /// The thumbnails to make.
        public var request: ThumbnailPlan.Request
        /// The options for making the thumbnails. With several sizes, each has a separate folder, named after the size:
        /// `160`, `160x90`.
        public var thumbnails = ThumbnailPlan.Options()
        /// The options for arranging the thumbnails on sheets.
        public var sheets = Storyboard.SheetOptions()
        /// The prefix of the sheets' names in the VTT file; `nil` for names relative to it.
        public var baseURL: String?
        /// Whether to wait for another run that is writing to the same folder, in this process or another one.
        /// Otherwise such a run is an error.
        public var waitsForOtherRuns = false
        /// Whether to replace files with the strip's names that are not part of an earlier strip. Otherwise such files
        /// are an error. A file that is being read is never replaced.
        public var replacesFiles = false

        /// Creates options.
        public init(_ request: ThumbnailPlan.Request) { self.request = request }
    }
}

/// The result of making a strip.
public struct ThumbnailStrip: Sendable {
    /// The sets, one per size.
    public let storyboards: [Storyboard]
    /// The plan of the thumbnails.
    public let plan: ThumbnailPlan
    /// Whether this strip already existed and was left unchanged.
    public let isCurrent: Bool
    /// The MD5 of each shown frame's picture at full size, by frame number, if requested.
    public let hashes: [Int: String]
    /// Warnings about options that could not be applied, one sentence each.
    public let warnings: [Wording]
    /// The memory used by decoded pictures.
    public let memory: PictureMemory
}

extension VideoAsset {
    /// Writes a thumbnail strip.
    ///
    /// An existing strip is left unchanged if it was made from the same, unchanged file with the same options, and none
    /// of its files is missing or truncated. If hashes are requested, the strip is always made again.
    ///
    /// All files are renamed together when all are complete. They replace those of an earlier strip. Sheets are encoded
    /// in the video's order, each when it is full. Until all are complete, they are in the subfolder
    /// `.scrub-thumbnails`. After an error, the same call resumes from there. The folder is locked for this call.
    ///
    /// Cost: ``ThumbnailPlan`` reports it in advance. The call decodes on as many threads as the options specify. If
    /// its task is cancelled, it stops between two pictures. Memory: a decoder's own pictures and 8 MiB of thumbnails
    /// for each thread, and one sheet for each size.
    ///
    /// - Parameters:
    ///   - folder: the output folder, created if it does not exist.
    ///   - options: the thumbnails to make, and their arrangement on sheets.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/thumbnails``, on one of the library's own
    ///     threads.
    /// - Throws: `usage` for invalid ``ThumbnailStrip/Options``, for sizes that the format does not support, and if the
    ///   folder has a file with one of the strip's names that must not be replaced. `badData` if no picture can be
    ///   decoded, `unavailable` if another run is writing to the folder or the disk is full, `inputOutput` if reading or
    ///   writing fails. `CancellationError` if the task was cancelled.
    public func writeStrip(
        into folder: String, options: ThumbnailStrip.Options,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ThumbnailStrip {
        try await BlockingWork.run(.long) {
            try self.writeStrip(into: folder, options: options, progress: progress)
        }
    }

    /// Writes a strip synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two pictures if the work on this thread is cancelled.
    package func writeStrip(
        into folder: String, options: ThumbnailStrip.Options, progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> ThumbnailStrip {
        try options.thumbnails.check()
        try ImageFormat.check(quality: options.sheets.quality)
        try ScrubError.check("Storyboard.SheetOptions.nameDigits", options.sheets.nameDigits, least: 0)
        _ = try SheetURL.reference("", base: options.baseURL)
        let plan = try thumbnailPlan(for: options.request)
        // Hours of decoding must not begin for a format that cannot be written.
        if options.sheets.format == .avif { try AVIF.checkIsAvailable() }
        let output = try OutputFolder(
            path: folder, replacesFiles: options.replacesFiles, waits: options.waitsForOtherRuns)
        let folders = options.thumbnails.sizes.map { size in
            options.thumbnails.sizes.count > 1 ? folder + "/" + size.name : folder
        }
        let origin = options.origin(self)
        let mayBeFromPreviews = options.thumbnails.usesKeptPreviews
        if !options.thumbnails.makesHashes, let found = Storyboard.current(folders, origin, of: self),
            mayBeFromPreviews || found.allSatisfy({ !$0.thumbnails.contains(where: \.isFromPreview) })
        {
            // Finished pictures of another strip, or of this one from a run that could not remove them.
            Folder.removeTree(output.path + "/" + ResumableOutput.folderName)
            return ThumbnailStrip(
                storyboards: found, plan: plan, isCurrent: true, hashes: [:],
                warnings: output.warnings.map { Wording($0) },
                memory: PictureMemory())
        }
        let run = try ThumbnailRun(self, plan, options.thumbnails, into: output)
        for (size, place) in folders.enumerated() {
            let planned = try plan.storyboard(of: self, tile: run.sizes[size], options.sheets)
            try output.check(planned.sheets.map(\.name) + ["thumbnails.vtt"], manifest: "manifest.json", in: place)
        }
        do throws(ScrubError) {
            for size in run.sizes.indices { try run.addSheets(options.sheets, size: size) }
            try run.run(progress: progress)
            var storyboards: [Storyboard] = []
            for (size, wanted) in options.thumbnails.sizes.enumerated() {
                var place = (work: output.workPath, final: folder)
                if options.thumbnails.sizes.count > 1 { place = try output.makeFolder(wanted.name) }
                var storyboard = try run.writeSheets(options.sheets, size: size, folder: place.work)
                let vtt = try Storyboard.WebVTT(storyboard, baseURL: options.baseURL)
                try AtomicFile.write(Array(vtt.text.utf8), to: .staged(place.work + "/thumbnails.vtt"))
                (storyboard.companions, storyboard.origin) = (["thumbnails.vtt"], origin)
                try storyboard.writeManifest("manifest.json", in: place, of: output)
                storyboards.append(storyboard)
            }
            try run.finish()
            return ThumbnailStrip(
                storyboards: storyboards, plan: plan, isCurrent: false, hashes: run.hashes, warnings: run.warnings,
                memory: run.memory)
        } catch {
            throw run.explaining(error)
        }
    }
}
