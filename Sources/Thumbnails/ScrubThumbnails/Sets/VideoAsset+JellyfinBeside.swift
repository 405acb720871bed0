internal import ScrubFileIO
internal import ScrubBase
internal import ScrubStoryboards

extension VideoAsset {
    /// Writes Jellyfin's trickplay folder beside the film, where a server looks that keeps trickplay pictures with its
    /// media: `NAME.trickplay/320 - 10x10/0.jpg`. Of a film that is narrower than 320 pixels they are as wide as the
    /// film, as the server's own. `NAME.trickplay.json` beside it is the manifest.
    ///
    /// The server takes the folder's pictures when it has none of its own for the film. Its interval must be the one
    /// asked for.
    ///
    /// - Parameters:
    ///   - options: as for ``writeThumbnailSets(into:options:progress:)``; the profiles are not looked at.
    ///   - progress: told how many pictures of how many are done, on a thread of the library's own.
    /// - Throws: `usage` when the interval is not whole seconds; else as
    ///   ``writeStrip(into:options:progress:)``.
    public func writeJellyfinTrickplay(
        _ options: ThumbnailSets.Options,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> ThumbnailSets {
        try await BlockingWork.run(.long) {
            try self.writeJellyfinTrickplay(options, progress: progress)
        }
    }

    /// As the asynchronous one, on the calling thread.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two pictures when the work on this thread is cancelled.
    package func writeJellyfinTrickplay(
        _ options: ThumbnailSets.Options, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> ThumbnailSets {
        guard file.file != nil else {
            throw ScrubError(
                .usage, "is not a file, so no folder can be made beside it", file: path,
                advice: "write Jellyfin's folder elsewhere, with an output folder")
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
        let origin = options.origin(self, .jellyfin)
        func report(
            _ byteCount: Int, _ warnings: [Wording], isCurrent: Bool, previewCount: Int = 0
        ) -> ThumbnailSets {
            ThumbnailSets(
                sets: [
                    .init(
                        profile: .jellyfin, folder: beside + media, thumbnailCount: plan.slots.count,
                        byteCount: byteCount,
                        isCurrent: isCurrent)
                ], plan: plan, warnings: warnings, previewCount: previewCount)
        }
        let manifest = media + ".json"
        let output = try OutputFolder(
            path: beside + media, replacesFiles: options.replacesFiles, waits: options.waitsForOtherRuns)
        if options.skipsCurrent, let byteCount = Storyboard.current(beside, manifest, origin) {
            return report(byteCount, output.warnings.map { Wording($0) }, isCurrent: true)
        }
        let run = try ThumbnailRun(self, plan, thumbnails, into: output)
        // The server counts on what this proves, and hours of decoding are not begun for what it does not take.
        let planned = try plan.storyboard(of: self, tile: run.sizes[0], sheets)
        let name = try Storyboard.JellyfinTrickplay(planned).folderName
        let earlier = Storyboard.earlier(at: beside + manifest)
        // Only sheets with the names that this method gives may be removed.
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
            board.origin = origin
            output.replace(earlierNames, in: output.path)
            try run.finish()
            // In the film's folder, which is not this run's alone: by itself, when all that it names is there.
            try AtomicFile.write(Array((try Storyboard.JSON.manifest(board) + "\n").utf8), to: manifestFile)
            return report(
                board.sheets.reduce(0) { $0 + $1.byteCount }, run.warnings, isCurrent: false,
                previewCount: run.previewCount)
        } catch {
            throw run.explaining(error)
        }
    }
}
