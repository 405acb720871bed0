internal import ScrubFileIO
internal import ScrubPictures
public import ScrubStoryboards

extension ThumbnailStrip {
    /// Options for a thumbnail strip, which consists of sheets, a `thumbnails.vtt` for players, and a `manifest.json`
    /// for programs.
    public struct Options: Hashable, Sendable {
        /// The thumbnails to make.
        public var request: ThumbnailPlan.Request
        /// The options for making the thumbnails. If there are several sizes, the files for each size are in a separate
        /// subfolder named after the size, such as `160` or `160x90`.
        public var thumbnails = ThumbnailPlan.Options()
        /// The options for arranging the thumbnails on sheets.
        public var sheets = Storyboard.SheetOptions()
        /// The text to put before the sheets' names in the VTT file; `nil` for names relative to that file.
        public var baseURL: String?
        /// Whether to wait if another run, in this process or another one, is writing to the same folder. If false,
        /// such a run causes an error.
        public var waitsForOtherRuns = false
        /// Whether to replace existing files that have the same names as the strip's files but do not belong to an
        /// earlier strip. If false, such files cause an error. A file that is being read is never replaced.
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
    public let isUpToDate: Bool
    /// If requested, the MD5 of each shown frame's picture at full size, by frame number.
    public let hashes: [Int: String]
    /// Warnings about options that could not be applied, one sentence each.
    public let warnings: [Wording]
    /// The memory used by decoded pictures.
    public let memory: PictureMemory
}

extension VideoAsset {
    /// Writes a thumbnail strip.
    ///
    /// An existing strip is left unchanged if neither the video file nor the options have changed since it was made,
    /// and none of its files is missing or truncated. If hashes are requested, the strip is always recreated.
    ///
    /// Each sheet is encoded as soon as it is full, in the video's order, and stays in the subfolder
    /// `.scrub-thumbnails` until the strip is complete. After an error, the same call resumes from these sheets. Once
    /// all files are complete, they are renamed together, and replace those of an earlier strip. The folder is locked
    /// during this call.
    ///
    /// Cost: ``ThumbnailPlan`` reports it in advance. The call decodes on as many threads as the options specify. If
    /// its task is cancelled, it stops between two pictures. Memory: for each thread, a decoder's pictures and 8 MiB of
    /// thumbnails; for each size, one sheet.
    ///
    /// - Parameters:
    ///   - folder: the output folder, created if it does not exist.
    ///   - options: the thumbnails to make, and how to arrange them on sheets.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/thumbnails``, on one of the library's
    ///     threads.
    /// - Throws: `usage` for invalid ``ThumbnailStrip/Options``, for sizes that the format does not support, or if the
    ///   folder contains a file that has the name of one of the strip's files but must not be replaced. `badData` if no
    ///   picture can be decoded, `unavailable` if another run is writing to the folder or the disk is full,
    ///   `inputOutput` if reading or writing fails. `CancellationError` if the task was cancelled.
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
        // Do not start hours of decoding for a format that cannot be written.
        if options.sheets.format == .avif { try AVIF.checkIsAvailable() }
        let output = try OutputFolder(
            path: folder, replacesFiles: options.replacesFiles, waits: options.waitsForOtherRuns)
        let folders = options.thumbnails.sizes.map { size in
            options.thumbnails.sizes.count > 1 ? folder + "/" + size.name : folder
        }
        let identifier = options.sourceIdentifier(self)
        let mayBeFromPreviews = options.thumbnails.usesKeptPreviews
        if !options.thumbnails.computesMD5, let found = Storyboard.current(folders, identifier, of: self),
            mayBeFromPreviews || found.allSatisfy({ !$0.thumbnails.contains(where: \.isFromPreview) })
        {
            // These are finished pictures of another strip, or of this one if an earlier run could not remove them.
            Folder.removeTree(output.path + "/" + ResumableOutput.folderName)
            return ThumbnailStrip(
                storyboards: found, plan: plan, isUpToDate: true, hashes: [:],
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
                (storyboard.otherFiles, storyboard.sourceIdentifier) = (["thumbnails.vtt"], identifier)
                try storyboard.writeManifest("manifest.json", in: place, of: output)
                storyboards.append(storyboard)
            }
            try run.finish()
            return ThumbnailStrip(
                storyboards: storyboards, plan: plan, isUpToDate: false, hashes: run.hashes, warnings: run.warnings,
                memory: run.memory)
        } catch {
            throw run.explaining(error)
        }
    }
}
