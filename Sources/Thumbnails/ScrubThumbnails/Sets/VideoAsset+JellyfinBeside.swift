internal import ScrubFileIO
internal import ScrubBase
internal import ScrubStoryboards

extension VideoAsset {
    /// Writes Jellyfin's trickplay folder (`NAME.trickplay/320 - 10x10/0.jpg`) next to the video, for a server that
    /// keeps trickplay pictures with its media. If the video is narrower than 320 pixels, the thumbnails are as wide as
    /// the video, like those that the server makes. The manifest is `NAME.trickplay.json`, next to the folder.
    ///
    /// The server uses these pictures if it has no other trickplay pictures for the video. The requested interval must
    /// match the one that is set on the server.
    ///
    /// - Parameters:
    ///   - options: the same options as for ``writeThumbnailSets(into:options:progress:)``. The profiles are ignored.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/thumbnails``, on one of the library's
    ///     threads.
    /// - Throws: `usage` if the video is not in a file, or if the interval is not a whole number of seconds. Also the
    ///   errors of ``writeStrip(into:options:progress:)``.
    public func writeJellyfinTrickplay(
        options: ThumbnailSets.Options,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ThumbnailSets {
        try await BlockingWork.run(.long) {
            try self.writeJellyfinTrickplay(options: options, progress: progress)
        }
    }

    /// Writes the folder synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two pictures if the work on this thread is cancelled.
    package func writeJellyfinTrickplay(
        options: ThumbnailSets.Options, progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> ThumbnailSets {
        guard file.file != nil else {
            throw ScrubError(
                .usage, "is not a file, so no folder can be created next to it", file: path,
                advice: "specify an output folder for Jellyfin's folder")
        }
        var sheets = ThumbnailSets.Profile.jellyfin.sheets
        sheets.quality = options.quality
        var thumbnails = ThumbnailPlan.Options()
        (thumbnails.threadCount, thumbnails.background) = (options.threadCount, options.background)
        (thumbnails.usesKeptPreviews, thumbnails.deinterlaces) = (options.usesKeptPreviews, options.deinterlaces)
        thumbnails.sizes = if let size = options.size { [size] } else { [.standard(try trickplayWidth())] }
        let plan = try thumbnailPlan(for: options.request, isForPlayers: true)
        let media = Storyboard.JellyfinTrickplay.mediaFolderName(base: baseName)
        let beside = path.pathOfFolder ?? "./"
        let identifier = options.sourceIdentifier(self, .jellyfin)
        func report(
            _ byteCount: Int, _ warnings: [Wording], isUpToDate: Bool, previewCount: Int = 0
        ) -> ThumbnailSets {
            ThumbnailSets(
                sets: [
                    .init(
                        profile: .jellyfin, folder: beside + media, thumbnailCount: plan.slots.count,
                        byteCount: byteCount,
                        isUpToDate: isUpToDate)
                ], plan: plan, warnings: warnings, previewCount: previewCount)
        }
        let manifest = media + ".json"
        let output = try OutputFolder(
            path: beside + media, replacesFiles: options.replacesFiles, waits: options.waitsForOtherRuns)
        if options.skipsUpToDateSets, let byteCount = Storyboard.current(beside, manifest, identifier) {
            return report(byteCount, output.warnings.map { Wording($0) }, isUpToDate: true)
        }
        let run = try ThumbnailRun(self, plan, thumbnails, into: output)
        // The server relies on what this checks, and hours of decoding must not start for something that it rejects.
        let planned = try plan.storyboard(of: self, tile: run.sizes[0], sheets)
        let name = try Storyboard.JellyfinTrickplay(planned).folderName
        let earlier = Storyboard.earlier(at: beside + manifest)
        // Only sheets in this method's naming scheme may be removed.
        let earlierNames = (earlier?.sheets.map(\.name) ?? []).filter { $0.hasPrefix(media + "/") }
            .map { String(decoding: $0.utf8.dropFirst(media.utf8.count + 1), as: UTF8.self) }
        output.recognize(earlierNames, in: output.path)
        try output.check(planned.sheets.map { name + "/" + $0.name }, in: output.path)
        let manifestFile = try OutputFile(
            beside + manifest, .set, replacesFiles: options.replacesFiles || earlier != nil)
        do throws(ScrubError) {
            try run.addSheets(sheets, size: 0)
            try run.run(progress: progress)
            var board = try run.writeSheets(sheets, size: 0, folder: try output.makeFolder(name).work)
            for i in board.sheets.indices { board.sheets[i].name = media + "/" + name + "/" + board.sheets[i].name }
            board.sourceIdentifier = identifier
            output.replace(earlierNames, in: output.path)
            try run.finish()
            // In the video's folder, which does not belong to this run alone: written separately, after everything that
            // it names exists.
            try AtomicFile.write(Array((try Storyboard.JSON.manifest(board) + "\n").utf8), to: manifestFile)
            return report(
                board.sheets.reduce(0) { $0 + $1.byteCount }, run.warnings, isUpToDate: false,
                previewCount: run.previewCount)
        } catch {
            throw run.explaining(error)
        }
    }
}
