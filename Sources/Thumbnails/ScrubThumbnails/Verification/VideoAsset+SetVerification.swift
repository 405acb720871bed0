internal import ScrubFileIO
internal import ScrubDecoding

extension VideoAsset {
    /// Reads thumbnail sets again and proves them against the video. Index files must be well formed and agree with the
    /// files beside them. Pictures must show the times they claim, which is proved by decoding a sample of those times
    /// again.
    ///
    /// Reads all formats that Scrub writes, from any program: `manifest.json`, WebVTT, JSON image arrays and
    /// storyboards, BIF, HLS image and I-frame playlists (copied pictures and JPEG), DASH tiles and key pictures. Also
    /// Jellyfin's folders, contact sheets, moving previews, posters and file managers' thumbnails. Sheets behind a base
    /// URL are looked for beside their index, by the last component. An index that names frames must show these. One
    /// that names times only must show some frame of that time's slot, a key picture near it, or the frame that a
    /// manifest has in its place. Copied key pictures must decode to the very picture of the video. A name that leads
    /// out of the folder, by itself or by a link, is wrong, and its file is not read. A picture that claims neither is
    /// compared with the video's posters and key pictures, and the result names the one it is like.
    ///
    /// - Parameters:
    ///   - folder: the folder that is looked through, with the folders in it.
    ///   - sample: the number of thumbnails of each set that are compared, 1 or more, spread evenly, the first and the
    ///     last among them.
    ///   - interval: seconds between thumbnails of Jellyfin's folders, which do not tell. `nil` takes it from a
    ///     manifest, or else deduces it from the number of pictures.
    ///   - progress: told how many sets of how many are done, on a thread of the library's own.
    /// - Throws: `usage` for a sample below 1, `noInput` when the folder cannot be read, `inputOutput` when reading the
    ///   video fails; `CancellationError` when the task was cancelled. Faults of sets are in the result.
    public func verifyThumbnailSets(
        in folder: String, sample: Int = 24, jellyfinInterval interval: Rational? = nil,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> ThumbnailSets.Verification {
        try await BlockingWork.run(.long) {
            try self.verifyThumbnailSets(in: folder, sample: sample, jellyfinInterval: interval, progress: progress)
        }
    }

    /// As the asynchronous one, on the calling thread.
    package func verifyThumbnailSets(
        in folder: String, sample: Int = 24, jellyfinInterval interval: Rational? = nil,
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> ThumbnailSets.Verification {
        try ScrubError.check("sample", sample)
        let scope = try FolderScope(path: folder)
        let reader = try SetReader(scope)
        let proof = SetProof(asset: self, folder: scope)
        var sets = reader.sets
        for jellyfin in reader.jellyfin {
            sets.append(try jellyfin.set(proof, interval: interval, manifests: sets))
        }
        FoundSet.compareWithManifests(&sets)
        var result = ThumbnailSets.Verification()
        result.problems = reader.problems
        let count = sets.count + reader.keyPictures.count + reader.caches.count
        var done = 0
        func add(_ file: String, _ format: String, _ thumbnails: Int, _ note: String?, _ found: SetProof.Finding) {
            result.problems += found.problems.prefix(SetProof.mostProblems).map { .init(file: file, reason: $0) }
            if found.problems.count > SetProof.mostProblems {
                let more = found.problems.count - SetProof.mostProblems
                result.problems.append(.init(file: file, reason: "and \(more) more"))
            }
            result.sets.append(
                .init(
                    file: file, format: format, thumbnailCount: thumbnails, comparedCount: found.compared,
                    note: found.note ?? note))
            done += 1
        }
        for set in sets {
            try Cancellation.check()
            progress(done, count)
            add(set.file, set.format, set.tiles.count, set.note, try proof.check(set, sample: max(2, sample)))
        }
        for movie in reader.keyPictures {
            try Cancellation.check()
            progress(done, count)
            add(movie.file, movie.format, movie.pictures.count, nil, try proof.check(movie, sample: max(2, sample)))
        }
        for cache in reader.caches {
            try Cancellation.check()
            progress(done, count)
            add(cache.folder, "freedesktop", cache.files.count, nil, try proof.check(cache))
        }
        progress(1, 1)
        return result
    }
}
