internal import ScrubFileIO
internal import ScrubDecoding

extension VideoAsset {
    /// Reads thumbnail sets from a folder and verifies them against the video. Index files must be well formed and
    /// agree with the files next to them. Pictures must match their stated times, which is verified by decoding the
    /// video at a sample of those times.
    ///
    /// All formats that Scrub writes are supported, whichever program wrote the set: `manifest.json`, WebVTT, JSON
    /// image arrays and storyboards, BIF, HLS image and I-frame playlists (copied pictures and JPEG), DASH tiles and
    /// key pictures. Jellyfin's folders, contact sheets, moving previews, posters and file managers' thumbnails are
    /// supported too. If an index refers to its sheets by a base URL, the sheets are looked up next to the index by the
    /// last component of their path. If an index names frames, its pictures must show these frames. If an index has
    /// only times, a picture must show a frame from its slot or from up to half a slot earlier, a key picture near its
    /// slot, or the frame that a manifest names for the same picture. Copied key pictures must decode to exactly the
    /// video's pictures. A name that leads outside the folder, directly or through a link, is a fault, and the file is
    /// not read. A picture that has neither a frame number nor a time is compared with the video's best poster and with
    /// key pictures, and the result names the most similar one.
    ///
    /// - Parameters:
    ///   - folder: the folder to search, including its subfolders.
    ///   - sample: the number of thumbnails to compare in each set, 1 or more. They are evenly spaced and include the
    ///     first and the last. To keep the spacing even, up to twice as many are compared.
    ///   - interval: the number of seconds between thumbnails in Jellyfin's folders, which do not contain this value.
    ///     If it is `nil`, it is taken from a manifest, or else deduced from the number of pictures.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/sets``, on one of the library's threads.
    /// - Throws: `usage` if `sample` is below 1, `noInput` if the folder cannot be read, `inputOutput` if reading the
    ///   video fails; `CancellationError` if the task was cancelled. Faults in sets are not thrown; the result contains
    ///   them.
    public func verifyThumbnailSets(
        in folder: String, sample: Int = 24, jellyfinInterval interval: Rational? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ThumbnailSets.Verification {
        try await BlockingWork.run(.long) {
            try self.verifyThumbnailSets(in: folder, sample: sample, jellyfinInterval: interval, progress: progress)
        }
    }

    /// Verifies sets synchronously, on the calling thread. See the asynchronous method.
    package func verifyThumbnailSets(
        in folder: String, sample: Int = 24, jellyfinInterval interval: Rational? = nil,
        progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> ThumbnailSets.Verification {
        try ScrubError.check("sample", sample)
        let scope = try ConfinedFolder(path: folder)
        let reader = try SetReader(scope)
        let proof = SetVerifier(asset: self, folder: scope)
        var sets = reader.sets
        for jellyfin in reader.jellyfin {
            sets.append(try jellyfin.set(proof, interval: interval, manifests: sets))
        }
        ParsedThumbnailSet.compareWithManifests(&sets)
        var result = ThumbnailSets.Verification()
        result.problems = reader.problems
        let count = sets.count + reader.keyPictures.count + reader.caches.count
        var done = 0
        func add(_ file: String, _ format: String, _ thumbnails: Int, _ note: String?, _ found: SetVerifier.Finding) {
            result.problems += found.problems.prefix(SetVerifier.mostProblems).map { .init(file: file, reason: $0) }
            if found.problems.count > SetVerifier.mostProblems {
                let more = found.problems.count - SetVerifier.mostProblems
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
            progress(WorkProgress(done, of: count, .sets))
            add(set.file, set.format, set.tiles.count, set.note, try proof.check(set, sample: max(2, sample)))
        }
        for movie in reader.keyPictures {
            try Cancellation.check()
            progress(WorkProgress(done, of: count, .sets))
            add(movie.file, movie.format, movie.pictures.count, nil, try proof.check(movie, sample: max(2, sample)))
        }
        for cache in reader.caches {
            try Cancellation.check()
            progress(WorkProgress(done, of: count, .sets))
            add(cache.folder, "freedesktop", cache.files.count, nil, try proof.check(cache))
        }
        progress(WorkProgress(count, of: count, .sets))
        return result
    }
}
