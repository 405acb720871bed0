internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// The bytes of a growing file, as one pass of libavformat reads them on its own thread, and the results of that pass.
///
/// At the current end of the file, the pass waits inside its read. The state of libavformat, including a partial
/// packet, is thus kept from one extension to the next.
///
/// Thread safety: the pass runs on one thread, the extending caller on another.
final class GrowingFilePass: AwaitedByteSource {
    /// The state of a pass.
    struct Progress: Sendable {
        /// The packets so far; `nil` while the streams are not known.
        var pass: PacketPass?
        var stream: StreamDescription?
        var traits: ScanIndexer.ContainerTraits?
        var facts = StreamFacts()
        /// Whether the pass continues when the file has grown.
        var isLive = false
        /// The reason why there is no pass; `nil` if it ended normally or continues.
        var failure: ScrubError?
        /// Whether the thread has finished.
        var isOver = false
    }

    private struct State: Sendable {
        var file: MediaSource
        var progress = Progress()
        var isComplete: Bool
        var isClosed = false
        /// The offset of the byte for which the pass waits; `nil` while it does not wait.
        var waiting: Int64?
        /// The offset at which reading continues, and whether it reached the end of the file before it first skipped
        /// forward.
        var place: Int64 = 0
        var hasLeapt = false
        var hasMetEnd = false
    }

    private let bell: TimedBell<State>

    init(_ file: MediaSource, isComplete: Bool) { bell = TimedBell(State(file: file, isComplete: isComplete)) }

    /// Provides the file in its present state and waits until the pass has ended.
    func extend(to file: MediaSource, isComplete: Bool) {
        bell.ring { state in
            state.file = file
            state.progress.pass?.file = file
            if isComplete { state.isComplete = true }
            state.waiting = nil
        }
    }

    /// Waits until the pass cannot continue, and returns its state.
    ///
    /// - Throws: ``ScrubError/cancelled`` if the work on this thread is cancelled. The pass continues.
    func settled() throws(ScrubError) -> Progress {
        let cancellation = Cancellation.current
        let endLeaving = Cancellation.beginLeaving { self.bell.ring { _ in } }
        defer { endLeaving() }
        let found = bell.wait { state -> TimedBell<State>.Wake<Progress?> in
            let isAtEnd = state.waiting.map { $0 >= state.file.byteCount && !state.isComplete } ?? false
            if isAtEnd || state.progress.isOver { return .done(state.progress) }
            return cancellation?.isCancelled == true ? .done(nil) : .sleep(nil)
        }
        guard let progress = found else { throw .cancelled }
        return progress
    }

    /// Whether the pass continues when the file has grown, from where it is now.
    var canContinue: Bool {
        bell.withLock { $0.progress.isLive && !$0.progress.isOver && !$0.isComplete }
    }

    /// Ends the pass when it is no longer needed.
    func close() { bell.ring { $0.isClosed = true } }

    // Functions that the pass calls.

    var byteCount: Int64 { bell.withLock { $0.file.byteCount } }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let file = bell.withLock { state in
            state.place = max(state.place, offset)
            return state.file
        }
        let count = try unsafe file.readSome(at: offset, into: buffer)
        bell.withLock { $0.place = max($0.place, offset + Int64(count)) }
        return count
    }

    func waitForByte(at offset: Int64) -> Bool {
        bell.wait { state in
            if state.isClosed { return .done(false) }
            if offset < state.file.byteCount { return .done(true) }
            guard state.progress.isLive else {
                if !state.hasLeapt { state.hasMetEnd = true }
                return .done(false)
            }
            guard !state.isComplete else { return .done(false) }
            let isNews = state.waiting != offset
            state.waiting = offset
            // The extending caller may already be waiting.
            return isNews ? .tell : .sleep(nil)
        }
    }

    func willRead(at offset: Int64) {
        bell.withLock { state in
            if offset > state.place { state.hasLeapt = true }
        }
    }

    /// Whether the file is closed to the pass.
    var isClosed: Bool { bell.withLock { $0.isClosed } }

    /// Announces the streams. From now on the pass waits at the end of the file, unless it has already seen a false
    /// end: its knowledge of the streams would then differ from that of a longer file.
    func begin(
        _ stream: StreamDescription, _ traits: ScanIndexer.ContainerTraits, _ facts: StreamFacts, _ rules: IndexRules
    ) {
        bell.withLock { state in
            state.progress.isLive = !state.hasMetEnd && !state.isComplete
            state.progress.stream = stream
            state.progress.traits = traits
            state.progress.facts = facts
            state.progress.pass = PacketPass(stream, facts, rules: rules, file: state.file)
        }
    }

    /// Whether the pass continues when the file has grown.
    var isLive: Bool { bell.withLock { $0.progress.isLive } }
    var isComplete: Bool { bell.withLock { $0.isComplete } }

    /// Adds a packet.
    func take(_ packet: borrowing Packet) { bell.withLock { _ = $0.progress.pass?.take(packet) } }

    /// Ends the pass.
    func end(_ failure: ScrubError?) {
        bell.ring { state in
            state.progress.failure = failure
            state.progress.isOver = true
        }
    }
}
