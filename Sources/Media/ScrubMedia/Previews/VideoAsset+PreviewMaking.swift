internal import Glibc
internal import ScrubDecoding
internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubPictures

extension VideoAsset {
    /// The result of ``VideoAsset/keepPreviews(longSide:threadCount:progress:)``.
    public struct PreviewReport: Sendable, Hashable {
        /// The number of frames that now have a preview.
        public let frameCount: Int
        /// The number of previews made by this call. The others already existed.
        public let madeCount: Int
        /// The number of frames without a preview: those that are damaged, undecodable, or in an unsupported format.
        public let missingCount: Int
        /// The size in bytes of all previews on disk.
        public let byteCount: Int64
        /// The longer side of a preview, in samples.
        public let longSide: Int
        /// The elapsed wall time.
        public let elapsed: Duration
        /// The path of the preview file.
        package let path: String
    }

    /// Makes previews of all frames of the video and keeps them next to its saved index, within the cache's limits.
    /// Every ``ScrubSession`` for the same file, in this process or a later one, can show them without decoding the
    /// video.
    ///
    /// Existing previews are not made again, so an interrupted run can be continued. Previews are written to disk 128
    /// at a time. Cost: a fifth more time than a full decode of the video, and about 60 MB of disk space per minute of
    /// 1080p. If the first previews show that not all of them will fit, the call throws `unavailable`; those already
    /// written are kept. If the task is cancelled, the call stops before the next packet.
    ///
    /// - Parameters:
    ///   - longSide: the longer side of a preview, in samples, 1 or more.
    ///   - threadCount: the number of groups to decode in parallel, 1 or more; `nil` for one per processor.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/frames``, on the thread that makes the
    ///     previews.
    /// - Throws: `unavailable` if previews cannot be kept, because there is no cache directory, the content has no
    ///   identifier, another process is writing them, or the disk or the cache is full. `inputOutput` if reading fails;
    ///   `usage` for invalid options; `CancellationError` if the task was cancelled.
    public func keepPreviews(
        longSide: Int = 640, threadCount: Int? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> VideoAsset.PreviewReport {
        try await BlockingWork.run(.long) {
            try self.keepPreviews(longSide: longSide, threadCount: threadCount, progress: progress)
        }
    }

    /// Makes previews synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Parameter removesOthers: whether other files of the cache may be removed if its limits require making room.
    /// - Throws: also `unavailable` with the system's `ENOSPC` if the cache or the disk has no room, and
    ///   ``ScrubError/cancelled`` between two packets if the work on this thread is cancelled.
    package func keepPreviews(
        longSide: Int = PreviewTrack.keptSide, threadCount: Int? = nil, removesOthers: Bool = true,
        progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> VideoAsset.PreviewReport {
        try ScrubError.check("keepPreviews: longSide", longSide)
        if let threadCount { try ScrubError.check("keepPreviews: threadCount", threadCount) }
        let start = ContinuousClock.now
        let recipe = PreviewCoder.Recipe(longSide: longSide)
        guard let file = keptPreviews(recipe, removesOthers: removesOthers) else {
            throw ScrubError(
                .unavailable, "its previews cannot be kept: there is no cache directory for them", file: path,
                advice: "set SCRUB_CACHE_DIR to a writable folder")
        }
        let kept = SavedPreviews(file, of: index)
        let missing = frames.indices.filter { !kept.contains($0) }
        var (pending, made, without): ([(frame: Int, bytes: [UInt8])], Int, Int) = ([], 0, 0)
        var forecast = PreviewForecast(count: missing.count)
        func bringToDisk() throws(ScrubError) {
            forecast.pendingCount = pending.count
            if file.isWriting, removesOthers || forecast.isDue() {
                let room = file.room
                if forecast.exceeds(room) {
                    // A preview is never larger than its picture.
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
                progress(WorkProgress(forecast.doneCount, of: missing.count, .frames))
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
                advice: "try again when that process has finished")
        }
        var error = ScrubError(
            .unavailable, "its previews do not fit into the cache, or the file changed", file: path,
            advice: "\(term: .freesCache), or raise SCRUB_CACHE_LIMIT")
        guard !self.file.hasChanged, self.file.failureCount == 0 else { return error }
        error.cause = "its previews do not fit into the cache"
        error.systemError = .errno(ENOSPC)
        return error
    }

    /// Removes the video's kept previews if any of them is damaged, so that all are made again.
    ///
    /// Cost: all previews are read.
    package func removeDamagedPreviews(longSide: Int = PreviewTrack.keptSide) {
        guard let key, let store else { return }
        let name = PreviewFile.name(key, .init(longSide: longSide))
        let check = PackCheck(path: store.previews.path(of: name), checksum: { xxh3($0, seed: $1) })
        if let check, !check.isSound { store.previews.remove(name) }
    }
}

/// A pool of preview coders, one for each thread that encodes at the same time.
private final class PreviewCoders: Sendable {
    private let recipe: PreviewCoder.Recipe
    private let index: FrameIndex
    /// The idle coders, passed between threads under the lock and used by one thread at a time.
    private let idle = Locked<[Transferred<PreviewCoder>]>([])

    init(_ recipe: PreviewCoder.Recipe, _ index: FrameIndex) { (self.recipe, self.index) = (recipe, index) }

    func encode(_ image: SharedFrame) throws(ScrubError) -> [UInt8]? {
        let own = idle.withLock { $0.popLast() } ?? Transferred(index.previewCoder(recipe, in: nil))
        defer { idle.withLock { $0.append(own) } }
        return try own.value.encode(image)
    }
}
