internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension VideoAsset {
    /// Writes thumbnail sets for several players and servers, each into a folder named after its profile. Where
    /// possible, the video is decoded only once for all sets.
    ///
    /// Most sets also have a manifest in JSON, from which their pictures can be verified; `contact` and `freedesktop`
    /// do not. All files get their final names together, when all are complete, and replace those of earlier sets. If
    /// players show a time above 0 at the video's first frame, the video is decoded a second time for the sets that
    /// count from the first frame (`hls`, `dash`). The files of these sets get their names after the others. If a run
    /// is interrupted, sets that were not yet complete are not changed. Finished sheets and pictures stay in
    /// `.scrub-thumbnails` in the folder, and the same call resumes from there.
    ///
    /// - Parameters:
    ///   - folder: the output folder, created if it does not exist.
    ///   - options: the profiles, and the thumbnails to make.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/thumbnails``, on one of the library's
    ///     threads.
    /// - Throws: `usage` if a profile cannot represent the requested thumbnails, for example because they are not
    ///   evenly spaced; if the base URL is not a URL; or if an existing file with one of the names must not be
    ///   replaced. Also the errors of ``writeStrip(into:options:progress:)``.
    public func writeThumbnailSets(
        into folder: String, options: ThumbnailSets.Options,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ThumbnailSets {
        try await BlockingWork.run(.long) {
            try self.writeThumbnailSets(into: folder, options: options, progress: progress)
        }
    }

    /// Writes sets synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two pictures if the work on this thread is cancelled.
    package func writeThumbnailSets(
        into folder: String, options: ThumbnailSets.Options, progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> ThumbnailSets {
        // Thrown even if sets that cannot be written are skipped, because this is a typo.
        _ = try SheetURL.reference("", base: options.baseURL)
        try ImageFormat.check(quality: options.quality)
        var profiles = options.profiles
        // Hours of decoding must not start for something that requires a file.
        if profiles.contains(.freedesktop), file.file == nil {
            guard options.skipsUnsupportedProfiles else { throw notFile(advice: "omit the profile freedesktop") }
            profiles.removeAll { $0 == .freedesktop }
        }
        let output = try OutputFolder(
            path: folder, replacesFiles: options.replacesFiles, waits: options.waitsForOtherRuns)
        var thumbnails = ThumbnailPlan.Options()
        (thumbnails.threadCount, thumbnails.background) = (options.threadCount, options.background)
        (thumbnails.usesKeptPreviews, thumbnails.deinterlaces) = (options.usesKeptPreviews, options.deinterlaces)
        let trickplayWidth =
            options.fitsTrickplay && profiles.contains(.jellyfin) ? try self.trickplayWidth() : nil
        let wanted = profiles.flatMap { ThumbnailSetWriter.sizes($0, options, trickplayWidth: trickplayWidth) }
        let shape = wanted.isEmpty ? (width: 0, height: 0) : try uprightShape()
        // Sizes that are equal for this video are made once.
        var (sizes, fitted): ([ThumbnailPlan.Size: Int], [PictureSize]) = ([:], [])
        thumbnails.sizes = []
        for size in wanted {
            let own = try size.fitting(shape)
            sizes[size] = fitted.firstIndex(of: own) ?? fitted.count
            guard !fitted.contains(own) else { continue }
            fitted.append(own)
            thumbnails.sizes.append(size)
        }
        var entries: [ThumbnailSets.Entry] = []
        var (plan, warnings, previewCount): (ThumbnailPlan?, [Wording], Int) = (nil, [], 0)
        if profiles.count < options.profiles.count {
            warnings.append("no set for freedesktop: thumbnails for file managers require a file")
        }
        // Profiles with the same time origin share one decoding. They differ only in where the video begins.
        var groups = [profiles.filter { !$0.widths.isEmpty }]
        if playerStart > .zero {
            groups = [false, true].map { side in groups[0].filter { $0.countsFromFirstFrame == side } }
        }
        let plans = try groups.filter { !$0.isEmpty }.map { (profiles) throws(ScrubError) in
            (profiles, try thumbnailPlan(for: options.request, profiles: profiles).plan)
        }
        var (before, after) = (0, plans.reduce(0) { $0 + $1.1.slots.count })
        for (profiles, made) in plans {
            plan = plan ?? made
            after -= made.slots.count
            let run = try ThumbnailRun(self, made, thumbnails, into: output)
            run.name = options.subject?.name
            var writer = ThumbnailSetWriter(
                run: run, sizes: sizes, trickplayWidth: trickplayWidth, options: options)
            var last = 0
            do throws(ScrubError) {
                entries += try writer.write(profiles, warnings: &warnings) { part in
                    let count = Int(part.total ?? part.completed)
                    progress(
                        WorkProgress(before + Int(part.completed), of: before + count + after, .thumbnails))
                    last = count
                }
            } catch {
                throw run.explaining(error)
            }
            before += last
            warnings += (run.warnings + writer.warnings).filter { !warnings.contains($0) }
            previewCount += run.previewCount
        }
        if profiles.contains(.freedesktop) {
            let place = folder + "/" + ThumbnailSets.Profile.freedesktop.rawValue
            let bytes = try writeFreedesktopThumbnails(into: place)
            entries.append(
                .init(profile: .freedesktop, folder: place, thumbnailCount: bytes.count, byteCount: bytes.reduce(0, +)))
        }
        return ThumbnailSets(sets: entries, plan: plan, warnings: warnings, previewCount: previewCount)
    }

    /// The file's name without its extension.
    var baseName: String { path.mediumBaseName }

    /// Returns the width of Jellyfin's pictures as the server makes them: 320 pixels, or the video's width if that is
    /// smaller.
    ///
    /// - Throws: the errors of ``info()``.
    package func trickplayWidth() throws(ScrubError) -> Int { max(16, min(320, try info().width / 2 * 2)) }
}

extension String {
    /// The name of a medium without its extension, by which servers name a video's pictures.
    package var mediumBaseName: String {
        let name = mediumName
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}
