internal import Glibc
internal import ScrubDecoding
internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubPictures

extension VideoAsset {
    /// What ``VideoAsset/keepPreviews(longSide:threadCount:progress:)`` did.
    public struct PreviewReport: Sendable, Hashable {
        /// Frames that have a preview now.
        public let frameCount: Int
        /// Previews that were made now; the others were there.
        public let madeCount: Int
        /// Frames without a preview: damaged, undecodable, or in a format that has none.
        public let missingCount: Int
        /// Bytes of all previews on the disk.
        public let byteCount: Int64
        /// The longer side of a preview, in samples.
        public let longSide: Int
        /// Wall time.
        public let elapsed: Duration
        /// The path of their file.
        package let path: String
    }

    /// Makes previews of all frames of the video and keeps them beside its saved index, in the cache's limits. A
    /// ``ScrubSession`` on the same file finds them and shows them without decoding, today or at another time.
    ///
    /// What is there is not made again: a run that was stopped goes on. Previews are on the disk group by group. Cost:
    /// a decode of the whole film and a fifth more; some 60 MB for each minute of 1080p. As soon as the first ones tell
    /// that all of them have no room it ends; what is there stays. Cancelled with its task, between two packets.
    ///
    /// - Parameters:
    ///   - longSide: the longer side of a preview, in samples, 1 or more.
    ///   - threadCount: groups that are decoded side by side, 1 or more; `nil` for one for each processor.
    ///   - progress: told how far it is, from 0 to 1, on the working thread.
    /// - Throws: `unavailable` if no previews can be kept: without a cache directory, for content without an
    ///   identifier, while another process writes them, or when the disk or the cache is full. `inputOutput` when
    ///   reading fails, `usage` for options that are excluded, `CancellationError`.
    public func keepPreviews(
        longSide: Int = PreviewTrack.keptSide, threadCount: Int? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> VideoAsset.PreviewReport {
        try await BlockingWork.run(.long) {
            try self.keepPreviews(longSide: longSide, threadCount: threadCount, progress: progress)
        }
    }

    /// As the asynchronous one, on the calling thread.
    ///
    /// - Parameter removesOthers: whether other files of the cache are removed where its limits ask for room.
    /// - Throws: also `unavailable` with the system's `ENOSPC` where the cache or the disk has no room, and
    ///   ``ScrubError/cancelled`` between two packets when the work on this thread is cancelled.
    package func keepPreviews(
        longSide: Int = PreviewTrack.keptSide, threadCount: Int? = nil, removesOthers: Bool = true,
        progress: (Double) -> Void = { _ in }
    ) throws(ScrubError) -> VideoAsset.PreviewReport {
        try ScrubError.check("keepPreviews, longSide", longSide)
        if let threadCount { try ScrubError.check("keepPreviews, threadCount", threadCount) }
        let start = ContinuousClock.now
        let recipe = PreviewCoder.Recipe(longSide: longSide)
        guard let file = keptPreviews(recipe, removesOthers: removesOthers) else {
            throw ScrubError(
                .unavailable, "its previews cannot be kept: there is no cache directory for them", file: path,
                advice: "set SCRUB_CACHE_DIR to a folder that you may write to")
        }
        let kept = KeptPreviews(file, of: index)
        let missing = frames.indices.filter { !kept.contains($0) }
        var (pending, made, without): ([(frame: Int, bytes: [UInt8])], Int, Int) = ([], 0, 0)
        var forecast = PreviewForecast(count: missing.count)
        func bringToDisk() throws(ScrubError) {
            forecast.pendingCount = pending.count
            if file.isWriting, removesOthers || forecast.isDue() {
                let room = file.room
                if forecast.exceeds(room) {
                    // A preview is not larger than its picture.
                    let whole = index.facts.descriptions.map { Int(max($0.width, $0.height)) }.max() ?? longSide
                    var error = forecast.error(room, kept: kept.byteCount, side: min(longSide, whole))
                    (error.file, error.systemError) = (path, .errno(ENOSPC))
                    throw error
                }
            }
            guard kept.append(pending) else { throw noRoom(file) }
            made += pending.count
            pending = []
        }
        if !missing.isEmpty {
            guard file.isWriting else { throw noRoom(file) }
            var options = FrameEngine.Options()
            (options.threadCount, options.cacheByteLimit) = (threadCount ?? Processors.count, 0)
            (options.isForOneBatch, options.hasSecondOpinions) = (true, false)
            let engine = FrameEngine(seekPlanner(), options: options)
            let coders = PreviewCoders(recipe, index)
            try engine.frames(missing, order: .film(ahead: 8)) {
                (_, answer) throws(ScrubError) -> [UInt8]? in
                guard answer.verdict == .exact, let image = answer.frame else { return nil }
                return try coders.encode(image)
            } deliver: { (frame, preview) throws(ScrubError) in
                forecast.doneCount += 1
                if let preview {
                    pending.append((frame, preview))
                    forecast.madeCount += 1
                    forecast.madeByteCount += Int64(preview.count)
                } else {
                    without += 1
                }
                if pending.count >= 128 { try bringToDisk() }
                progress(Double(forecast.doneCount) / Double(missing.count))
            }
            try bringToDisk()
            try checkReads()
        }
        return VideoAsset.PreviewReport(
            frameCount: kept.count, madeCount: made, missingCount: without, byteCount: kept.byteCount,
            longSide: longSide, elapsed: start.duration(to: .now), path: kept.path)
    }

    private func noRoom(_ file: PreviewFile) -> ScrubError {
        guard file.isWriting else {
            return ScrubError(
                .unavailable, "its previews are being written by another process", file: path,
                advice: "try again when that is done")
        }
        var error = ScrubError(
            .unavailable, "its previews have no room in the cache, or the file changed", file: path,
            advice: "\(term: .freesCache), or raise SCRUB_CACHE_LIMIT")
        guard !self.file.hasChanged, self.file.failureCount == 0 else { return error }
        error.cause = "its previews have no room in the cache"
        error.systemError = .errno(ENOSPC)
        return error
    }

    /// Removes the video's kept previews if any of them is damaged, so that all are made again.
    ///
    /// Cost: reads all of them.
    package func removeDamagedPreviews(longSide: Int = PreviewTrack.keptSide) {
        guard let key, let store else { return }
        let name = PreviewFile.name(key, .init(longSide: longSide))
        let check = PackCheck(path: store.previews.path(of: name), checksum: { xxh3($0, seed: $1) })
        if let check, !check.isSound { store.previews.remove(name) }
    }
}

/// Coders of previews for as many threads as encode at once.
private final class PreviewCoders: Sendable {
    private let recipe: PreviewCoder.Recipe
    private let index: FrameIndex
    /// Handed from thread to thread under the lock, used by one at a time.
    private let idle = Locked<[Unshared<PreviewCoder>]>([])

    init(_ recipe: PreviewCoder.Recipe, _ index: FrameIndex) { (self.recipe, self.index) = (recipe, index) }

    func encode(_ image: SharedFrame) throws(ScrubError) -> [UInt8]? {
        let own = idle.withLock { $0.popLast() } ?? Unshared(index.previewCoder(recipe, in: nil))
        defer { idle.withLock { $0.append(own) } }
        return try own.value.encode(image)
    }
}
