internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension VideoAsset {
    /// Writes thumbnail sets for several players and servers, each into a folder named after its profile. The video is
    /// decoded once for all of them.
    ///
    /// Every set except the one for file managers also has a `manifest.json`, from which its pictures can be verified.
    /// All files are renamed together when all are complete, and replace those of an earlier set. If a video begins
    /// later than 0 in its players' time, the sets that count from its first frame (`hls`, `dash`) need a second
    /// decoding. Their files are renamed after the others. An interrupted run changes none of the sets. It leaves its
    /// finished sheets and pictures in `.scrub-thumbnails` in the folder, and the same call resumes from there.
    ///
    /// - Parameters:
    ///   - folder: the output folder, created if it does not exist.
    ///   - options: the profiles, and the thumbnails to make.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/thumbnails``, on one of the library's own
    ///     threads.
    /// - Throws: `usage` if a profile cannot store the requested set, for example because of an uneven interval, if the
    ///   base URL is not a URL, or if a file with one of the set's names must not be replaced. Otherwise as thrown by
    ///   ``writeStrip(into:options:progress:)``.
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
            warnings.append("no set for freedesktop: file managers' thumbnails need a file")
        }
        // Profiles with the same time origin share one decoding. They differ only in where the video begins.
        var groups = [profiles.filter { !$0.widths.isEmpty }]
        if playerStart > .zero {
            groups = [false, true].map { side in groups[0].filter { $0.countsFromFirstFrame == side } }
        }
        let plans = try groups.filter { !$0.isEmpty }.map { (profiles) throws(ScrubError) in
            (
                profiles,
                try thumbnailPlan(for: options.request, isForPlayers: !profiles.allSatisfy(\.countsFromFirstFrame))
            )
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
