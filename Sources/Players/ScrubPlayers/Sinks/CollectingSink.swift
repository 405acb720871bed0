public import ScrubBase

/// A sink that records presented frames: numbers, times and hashes, for tests and for comparing runs.
///
/// Thread safety: its records may be read from any thread, at any time. Memory: about 100 bytes for each frame, and 100
/// more for its hash; of pictures the newest ``keptPictures``.
public final class CollectingSink: FrameSink {
    /// The record of a frame.
    public struct Record: Sendable, Hashable {
        /// The item that it belongs to.
        public let item: PlayerItem.ID
        /// Its number in its medium.
        public let frame: Int
        /// Why it was handed out.
        public let kind: PlayerFrame.Kind
        /// The time at which it was to be on screen, in seconds of playing.
        public let presentationTime: Rational
        /// The presented frames before it.
        public let sequenceNumber: Int
        /// The certainty of the frame.
        public let verdict: Verdict
        /// ``FramePicture/md5()`` of its picture; `nil` without a picture, and where no hashes are wanted.
        public let hash: String?
    }

    private struct State {
        var records: [Record] = []
        var frames: [PlayerFrame] = []
        var isFinished = false
    }

    /// Whether pictures are hashed: 6 ms for one of 1080p.
    public let hashesPictures: Bool
    /// The most frames that are kept with their pictures.
    public let keptPictures: Int
    private let state = Locked(State())

    /// Makes a sink that has collected nothing.
    ///
    /// - Parameters:
    ///   - hashingPictures: whether pictures are hashed.
    ///   - keepingPictures: the number of frames that are kept with their pictures, the newest ones; none by default.
    public init(hashingPictures: Bool = true, keepingPictures: Int = 0) {
        (hashesPictures, keptPictures) = (hashingPictures, max(0, keepingPictures))
    }

    /// Everything that was handed out, in order.
    public var records: [Record] { state.withLock { $0.records } }
    /// The newest frames with their pictures, the oldest of them first.
    public var frames: [PlayerFrame] { state.withLock { $0.frames } }
    /// Whether ``finish()`` was called.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Writes a frame down.
    ///
    /// - Throws: as ``FramePicture/md5()``.
    public func take(_ frame: PlayerFrame) throws {
        let hash = hashesPictures ? try frame.picture?.md5() : nil
        let record = Record(
            item: frame.item, frame: frame.frame.number, kind: frame.kind, presentationTime: frame.presentationTime,
            sequenceNumber: frame.sequenceNumber, verdict: frame.verdict, hash: hash)
        let limit = keptPictures
        // What falls out is let go behind the lock: a picture's end may call into its budget.
        let old: [PlayerFrame] = state.withLock { state in
            state.records.append(record)
            guard limit > 0 else { return [] }
            state.frames.append(frame)
            let old = Array(state.frames.prefix(max(0, state.frames.count - limit)))
            state.frames.removeFirst(old.count)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Notes that there are no more.
    public func finish() { state.withLock { $0.isFinished = true } }
}
