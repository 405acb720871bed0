package import ScrubFileIO
package import ScrubBase
internal import ScrubIndex

/// A video that is still being recorded: its frames are known as far as they are certain, and more with each extension.
///
/// For recordings whose bytes are only added at the end: fragmented MP4, Matroska and WebM, MPEG transport streams and
/// others that libavformat reads in order. A frame has its number and its time once nothing that can still come shows
/// before it, and keeps both. Each ``asset`` is a ``VideoAsset`` of its own that never changes; pictures made from it
/// are those of the finished file. AVFoundation calls it a fragmented asset and its minder.
///
/// ```swift
/// let recording = try await GrowingVideo.open(path: "live.mkv")
/// for try await step in recording.extensions() {
///     print("\(step.frames.count) more, \(step.asset?.frames.count ?? 0) in all")
/// }
/// ```
///
/// Cost: an extension reads the new bytes, and takes some nanoseconds for each known picture. Nothing is saved before
/// the recording is finished. Thread safety: safe to use from any thread. Extensions come one after the other.
public final class GrowingVideo: Sendable {
    private let medium: any GrowingMedium
    private let options: VideoAsset.OpenOptions
    private let work: Locked<Work>
    private let shown = Locked<Shown>(Shown())

    /// The state that extending needs; locked during an extension.
    private struct Work: Sendable {
        var growing: GrowingIndex
        var identity: MediaSource.Identity?
        var hasLooked = false
    }

    /// The known state, for all callers.
    private struct Shown: Sendable {
        var asset: VideoAsset?
        var byteCount: Int64 = 0
        var isFinished = false
    }

    /// Opens a recording, and waits for its present frames.
    ///
    /// A file that has no frame yet is not an error.
    ///
    /// Blocks while it reads. In asynchronous code use ``open(path:options:)``.
    ///
    /// Writes: nothing until the recording is finished, then its index as ``VideoAsset/init(path:options:)`` does.
    ///
    /// - Throws: ``ScrubError`` with `noInput` if the file does not exist.
    @available(*, noasync, message: "it blocks; in asynchronous code use 'try await GrowingVideo.open(path:)'")
    public convenience init(path: String, options: VideoAsset.OpenOptions = .init()) throws(ScrubError) {
        try self.init(try GrowingFile(path: path), options: options)
    }

    /// Opens a recording, without blocking the caller's thread.
    ///
    /// - Throws: as ``init(path:options:)``.
    public static func open(path: String, options: VideoAsset.OpenOptions = .init()) async throws -> GrowingVideo {
        try await BlockingThreads.shared.run { try GrowingVideo(try GrowingFile(path: path), options: options) }
    }

    /// Follows the content of a medium.
    package init(_ medium: any GrowingMedium, options: VideoAsset.OpenOptions) throws(ScrubError) {
        (self.medium, self.options) = (medium, options)
        work = Locked(
            Work(
                growing: GrowingIndex(
                    requestedStream: options.stream, pictureByteLimit: options.pictureByteLimit)))
        _ = try extend()
    }

    /// The file's path, as it was given.
    public var path: String { medium.path }

    /// The video as far as it is known, as it was after the last extension; `nil` while no frame is certain.
    public var asset: VideoAsset? { shown.withLock { $0.asset } }

    /// Whether nothing more comes: the file's end is there, or ``finish()`` was called.
    public var isFinished: Bool { shown.withLock { $0.isFinished } }

    /// Whether the file's writer was seen to close it, and no program has written to it since. False where the system
    /// does not tell.
    package var isClosed: Bool { medium.isClosed }

    /// The time since the last write.
    var idleTime: Duration { medium.idleTime }

    /// The number of the file's bytes at the last extension.
    public var byteCount: Int64 { shown.withLock { $0.byteCount } }

    /// Reads the bytes that have come since the last time. ``extensions(interval:patience:)`` does so by itself.
    ///
    /// - Returns: the new part; no frames and the same asset if nothing is new.
    /// - Throws: `badData` when the file was cut, overwritten or replaced, `noInput` when it was removed, `inputOutput`
    ///   when reading fails. The frames known so far stay usable as far as their bytes are there.
    public func extend() async throws -> Extension {
        try await BlockingThreads.shared.run { try self.extend(isComplete: false) }
    }

    /// As the asynchronous one, on the calling thread.
    package func extend() throws(ScrubError) -> Extension { try extend(isComplete: false) }

    /// Says that nothing more is written: the last frames get their numbers, and the index is saved.
    ///
    /// - Throws: as ``extend()``; if the file is not a video that can be decoded, the error of an opening.
    public func finish() async throws -> Extension {
        try await BlockingThreads.shared.run { try self.extend(isComplete: true) }
    }

    /// As the asynchronous one, on the calling thread.
    package func finish() throws(ScrubError) -> Extension { try extend(isComplete: true) }

    package func extend(isComplete: Bool) throws(ScrubError) -> Extension {
        try work.withLock { (work) throws(ScrubError) in
            let before = shown.withLock { $0 }
            let known = before.asset?.frames.count ?? 0
            if before.isFinished {
                return Extension(asset: before.asset, frames: known..<known, isFinished: true, isRevised: false)
            }
            let file = try medium.snapshot()
            let isSame = work.hasLooked && file.identity != nil && work.identity == file.identity
            if isSame, !isComplete {
                return Extension(asset: before.asset, frames: known..<known, isFinished: false, isRevised: false)
            }
            let step = try work.growing.extend(to: file, isComplete: isComplete)
            (work.identity, work.hasLooked) = (file.identity, true)
            var asset = before.asset
            if let index = step.index, index.frameCount != known || step.isFinished || step.isRevised {
                asset = try VideoAsset(file, index: index, options: options, isFinal: step.isFinished)
            }
            let now = Shown(asset: asset, byteCount: file.byteCount, isFinished: step.isFinished)
            shown.withLock { $0 = now }
            let count = asset?.frames.count ?? 0
            let first = step.isRevised ? 0 : min(known, count)
            return Extension(
                asset: asset, frames: first..<count, isFinished: step.isFinished, isRevised: step.isRevised)
        }
    }

    /// Returns the frame that a position names, if that is certain by now.
    ///
    /// A frame number is certain once the frame exists. A time or a timecode is certain once a later frame exists.
    /// Positions that count from the end, and fractions, are certain only after the recording is finished.
    ///
    /// - Parameter clamps: whether a fraction, a time or a timecode outside the video names the nearest end.
    /// - Returns: `nil` while it is not certain.
    /// - Throws: `usage` for a position that will never be in the video.
    public func certainFrame(
        at position: FramePosition, clamps: Bool = false
    ) throws(ScrubError) -> PresentedFrame? {
        if !clamps, let place = OutsidePosition(position, text: nil, frameCount: nil, duration: nil) {
            throw place.error
        }
        let now = shown.withLock { $0 }
        guard let asset = now.asset else { return nil }
        if now.isFinished { return try asset.frame(at: position, clamps: clamps).frame }
        switch position {
        case .frame(let number):
            return asset.frames.indices.contains(number) ? asset.frames[number] : nil
        case .fraction(let fraction):
            return fraction <= .zero ? asset.frames[0] : nil
        case .time, .roundedTime, .computedTime, .timecode:
            // A time before the first frame stays outside; other positions may still be recorded.
            if !clamps, let time = position.writtenTime, time < .zero { _ = try asset.frame(at: position) }
            guard let found = try? asset.frame(at: position, clamps: true),
                found.frame.number + 1 < asset.frames.count, !found.isClamped || position.writtenTime != nil
            else { return nil }
            return found.frame
        }
    }
}

extension GrowingVideo {
    /// The result of an extension.
    public struct Extension: Sendable {
        /// The video as far as it is known; `nil` while no frame is certain.
        public let asset: VideoAsset?
        /// The numbers of the frames that are new.
        public let frames: Range<Int>
        /// Whether nothing more comes.
        public let isFinished: Bool
        /// Whether frames that were known before have other numbers or times now, and ``frames`` are all frames. The
        /// writer has then replaced the file's head by one that shows the pictures otherwise, or the stream does not
        /// keep its promise.
        public let isRevised: Bool
    }
}
