package import ScrubFileIO
package import ScrubBase
internal import ScrubIndex

/// A video that is still being recorded. Each update adds the frames that have become certain.
///
/// Use it for recordings that only grow at the end: fragmented MP4, Matroska, WebM, MPEG transport streams, and other
/// formats that libavformat reads sequentially. A frame gets its number and time once no later picture can be shown
/// before it. Both are final, with the exceptions described at ``Update/isRevised``. Each ``asset`` is a separate
/// ``VideoAsset`` that never changes. The asset's pictures are the same as those of the finished file. The AVFoundation
/// counterparts are `AVFragmentedAsset` and `AVFragmentedAssetMinder`.
///
/// ```swift
/// let recording = try await GrowingVideo.open(path: "live.mkv")
/// for try await step in recording.updates() {
///     print("\(step.frames.count) more, \(step.asset?.frames.count ?? 0) in all")
/// }
/// ```
///
/// Cost: an update reads the new bytes and spends a few nanoseconds on each known picture. The index is not saved until
/// the recording is finished. Thread safety: safe from any thread. Updates run one at a time, on one of the library's
/// threads.
public final class GrowingVideo: Sendable {
    private let medium: any GrowingMedium
    private let options: VideoAsset.OpenOptions
    private let work: Locked<Work>
    private let shown = Locked<Shown>(Shown())
    /// One thread, so that a waiting call can end without waiting for the one before it.
    private let threads = BlockingThreads(limit: 1)

    /// The state required for updates, locked during an update.
    private struct Work: Sendable {
        var growing: GrowingIndex
        var identity: MediaSource.Identity?
        var hasLooked = false
        /// The number of frames that extensions have reported.
        var reportedCount = 0
        /// Whether frames were renumbered since the last report.
        var isRevised = false
        /// How often frames were renumbered.
        var revision = 0
    }

    /// The known state, visible to all callers.
    private struct Shown: Sendable {
        var asset: VideoAsset?
        var byteCount: Int64 = 0
        var isFinished = false
    }

    /// Opens a recording and reads its existing frames, synchronously.
    ///
    /// It is not an error if the file has no frames yet.
    ///
    /// The call blocks while it reads. In asynchronous code, use ``open(path:options:)``.
    ///
    /// Writes: the index, once the recording is finished, like ``VideoAsset/init(path:options:)``.
    ///
    /// - Throws: ``ScrubError`` with `noInput` if the file does not exist.
    @available(*, noasync, message: "this blocks; in async code, use 'try await GrowingVideo.open(path:)'")
    public convenience init(path: String, options: VideoAsset.OpenOptions = .init()) throws(ScrubError) {
        try self.init(try GrowingFile(path: path), options: options)
    }

    /// Opens a recording and reads its existing frames, without blocking the caller's thread. The call stops if its
    /// task is cancelled.
    ///
    /// - Throws: the errors of ``init(path:options:)``; `CancellationError` if the task was cancelled.
    public static func open(path: String, options: VideoAsset.OpenOptions = .init()) async throws -> GrowingVideo {
        try await BlockingWork.run(on: .shared) { try GrowingVideo(try GrowingFile(path: path), options: options) }
    }

    /// Creates a recording that follows the content of a medium.
    package init(_ medium: any GrowingMedium, options: VideoAsset.OpenOptions) throws(ScrubError) {
        (self.medium, self.options) = (medium, options)
        work = Locked(
            Work(
                growing: GrowingIndex(
                    requestedStream: options.stream, pictureByteLimit: options.pictureByteLimit)))
        _ = try extend()
    }

    /// The file's path, as passed to the initializer.
    public var path: String { medium.path }

    /// The video as of the last update; `nil` while no frame is certain.
    public var asset: VideoAsset? { shown.withLock { $0.asset } }

    /// Whether the recording is complete: the end of the file was found, or ``finish()`` was called.
    public var isFinished: Bool { shown.withLock { $0.isFinished } }

    /// Whether the file's writer was seen to close it, and no program has written to it since. False if the system does
    /// not report this.
    package var isClosed: Bool { medium.isClosed }

    /// The time since the last write.
    var idleTime: Duration { medium.idleTime }

    /// The size of the file in bytes at the last update.
    public var byteCount: Int64 { shown.withLock { $0.byteCount } }

    /// Reads the bytes that have arrived since the last call. ``updates(interval:patience:)`` does this automatically.
    ///
    /// The call stops if its task is cancelled. The frames that it has read are not lost: the next call reports them.
    /// If the update is already complete when the task is cancelled, the call returns it.
    ///
    /// - Returns: the update. If there is nothing new, the update has no frames and the same asset as the previous one.
    /// - Throws: `badData` if the file was truncated, overwritten or replaced, `noInput` if it was removed,
    ///   `inputOutput` if reading fails. Known frames remain usable as long as their bytes are still in the file.
    ///   `CancellationError` if the task was cancelled.
    public func extend() async throws -> Update { try await step(isComplete: false) }

    /// Extends synchronously, on the calling thread. See the asynchronous method.
    package func extend() throws(ScrubError) -> Update { try extend(isComplete: false) }

    /// Declares the recording complete, numbers the last frames, and saves the index.
    ///
    /// Like ``extend()``, the call stops if its task is cancelled. If ``isFinished`` is still false afterward, call
    /// this method again.
    ///
    /// - Throws: the errors of ``extend()``, or, if the file is not a decodable video, the error that opening it would
    ///   throw.
    public func finish() async throws -> Update { try await step(isComplete: true) }

    /// Extends on the recording's own thread. Work that was cancelled too late to stop is returned, because no other
    /// update reports it.
    func step(isComplete: Bool) async throws -> Update {
        try await BlockingWork.run(on: threads, keepsResult: true) { try self.extend(isComplete: isComplete) }
    }

    /// Finishes synchronously, on the calling thread. See the asynchronous method.
    package func finish() throws(ScrubError) -> Update { try extend(isComplete: true) }

    package func extend(isComplete: Bool) throws(ScrubError) -> Update {
        try work.withLock { (work) throws(ScrubError) in
            try Cancellation.check()
            try read(&work, isComplete: isComplete)
            // The frames of a cancelled update are part of the next one.
            try Cancellation.check()
            return report(&work)
        }
    }

    /// Reads the file in its present state, and shows the frames that have become certain.
    private func read(_ work: inout Work, isComplete: Bool) throws(ScrubError) {
        let before = shown.withLock { $0 }
        guard !before.isFinished else { return }
        let file = try medium.snapshot()
        let isSame = work.hasLooked && file.identity != nil && work.identity == file.identity
        guard !isSame || isComplete else { return }
        let step = try work.growing.extend(to: file, isComplete: isComplete)
        if step.isRevised {
            (work.reportedCount, work.isRevised) = (0, true)
            work.revision += 1
        }
        var asset = before.asset
        let known = asset?.frames.count ?? 0
        if let index = step.index, index.frameCount != known || step.isFinished || work.isRevised {
            asset = try VideoAsset(file, index: index, options: options, isFinal: step.isFinished)
        }
        (work.identity, work.hasLooked) = (file.identity, true)
        let now = Shown(asset: asset, byteCount: file.byteCount, isFinished: step.isFinished)
        shown.withLock { $0 = now }
    }

    /// Returns the part that no extension has reported yet.
    private func report(_ work: inout Work) -> Update {
        let now = shown.withLock { $0 }
        let count = now.asset?.frames.count ?? 0
        let (first, isRevised) = (min(work.reportedCount, count), work.isRevised)
        (work.reportedCount, work.isRevised) = (count, false)
        return Update(
            asset: now.asset, frames: first..<count, isFinished: now.isFinished, isRevised: isRevised,
            revision: work.revision)
    }

    /// Returns the frame that a position names, if it is already certain.
    ///
    /// A frame number is certain once its frame exists. A time or timecode is certain once a frame after the named one
    /// exists. Fractions above 0, and positions that count from the end, are certain only after the recording is
    /// finished.
    ///
    /// - Returns: the frame, or `nil` while it is not certain.
    /// - Throws: `usage` for a position that can never be inside the video, such as a time before the first frame.
    public func certainFrame(at position: FramePosition) throws(ScrubError) -> PresentedFrame? {
        try certainFrame(at: position, clamps: false)
    }

    /// Returns the frame that a position names, if it is already certain. A fraction, a time or a timecode outside the
    /// video names the frame at the nearest end.
    ///
    /// - Returns: the frame, or `nil` while it is not certain.
    /// - Throws: the errors of ``VideoAsset/presentedFrame(nearest:)``.
    public func certainFrame(nearest position: FramePosition) throws(ScrubError) -> PresentedFrame? {
        try certainFrame(at: position, clamps: true)
    }

    /// Returns the frame that a position names, if it is already certain.
    ///
    /// - Parameter clamps: whether a fraction, a time or a timecode outside the video names the frame at the nearest
    ///   end.
    package func certainFrame(
        at position: FramePosition, clamps: Bool
    ) throws(ScrubError) -> PresentedFrame? {
        if !clamps, let place = OutsidePosition(position, text: nil, frameCount: nil, duration: nil) {
            throw place.error
        }
        let now = shown.withLock { $0 }
        guard let asset = now.asset else { return nil }
        if now.isFinished { return try asset.resolved(position, clamps: clamps).frame }
        switch position.kind {
        case .frame(let number):
            return asset.frames.indices.contains(number) ? asset.frames[number] : nil
        case .fraction(let fraction):
            return fraction <= .zero ? asset.frames[0] : nil
        case .time, .roundedTime, .computedTime, .timecode:
            // A time before the first frame stays outside the video; other positions may still be recorded.
            if !clamps, let time = position.writtenTime, time < .zero { _ = try asset.presentedFrame(at: position) }
            guard let found = try? asset.resolved(position, clamps: true),
                found.frame.number + 1 < asset.frames.count, !found.isClamped || position.writtenTime != nil
            else { return nil }
            return found.frame
        }
    }
}

extension GrowingVideo {
    /// The frames that have become certain since the previous update.
    public struct Update: Sendable {
        /// The video as of this update; `nil` while no frame is certain.
        public let asset: VideoAsset?
        /// The numbers of the new frames.
        public let frames: Range<Int>
        /// Whether the recording is complete.
        public let isFinished: Bool
        /// Whether previously known frames now have different numbers or times. If so, ``frames`` covers all frames.
        /// This happens if the writer replaces the file's header with one that changes the presentation, or if the
        /// stream violates its own declarations.
        public let isRevised: Bool
        /// How often frames were renumbered so far, so that each reader notices it.
        package let revision: Int
    }
}
