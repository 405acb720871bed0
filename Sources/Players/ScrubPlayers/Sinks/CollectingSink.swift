package import ScrubBase

/// A sink that records presented frames: numbers, times and hashes, for tests and for comparing runs.
///
/// Thread safety: its records may be read from any thread, at any time. Memory: about 100 bytes for each frame, and
/// another 100 for its hash, as well as the newest ``keptPictures`` pictures.
package final class CollectingSink: FrameSink {
    /// A record of a frame.
    package struct Record: Sendable, Hashable {
        /// The frame's item.
        package let item: PlayerItem.ID
        /// The frame's number in its medium.
        package let frame: Int
        /// The reason why the frame was delivered.
        package let kind: PlayerFrame.Kind
        /// The time at which the frame should have been on screen, in seconds of playback.
        package let presentationTime: Rational
        /// The number of frames presented before it.
        package let sequenceNumber: Int
        /// The certainty of the frame.
        package let verdict: Verdict
        /// The ``FramePicture/md5()`` of its picture; `nil` if it has no picture, or if pictures are not hashed.
        package let hash: String?
    }

    private struct State {
        var records: [Record] = []
        var frames: [PlayerFrame] = []
        var isFinished = false
    }

    /// Whether pictures are hashed. Hashing takes 6 ms for a 1080p picture.
    package let hashesPictures: Bool
    /// The maximum number of frames kept with their pictures.
    package let keptPictures: Int
    private let state = Locked(State())

    /// Creates an empty sink.
    ///
    /// - Parameters:
    ///   - hashingPictures: whether to hash pictures.
    ///   - keepingPictures: the number of newest frames to keep with their pictures; none by default.
    package init(hashingPictures: Bool = true, keepingPictures: Int = 0) {
        (hashesPictures, keptPictures) = (hashingPictures, max(0, keepingPictures))
    }

    /// The records of all frames, in order.
    package var records: [Record] { state.withLock { $0.records } }
    /// The newest frames with their pictures, oldest first.
    package var frames: [PlayerFrame] { state.withLock { $0.frames } }
    /// Whether ``finish()`` was called.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Records a frame.
    ///
    /// - Throws: the errors of ``FramePicture/md5()``.
    package func receive(_ frame: PlayerFrame) throws {
        let hash = hashesPictures ? try frame.picture?.md5() : nil
        let record = Record(
            item: frame.item, frame: frame.frame.number, kind: frame.kind, presentationTime: frame.presentationTime,
            sequenceNumber: frame.sequenceNumber, verdict: frame.verdict, hash: hash)
        let limit = keptPictures
        // Discarded records are released outside the lock, because deinitializing a picture may call its budget.
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

    /// Marks the sink as finished.
    package func finish() { state.withLock { $0.isFinished = true } }
}
