internal import ScrubLibAV
internal import ScrubDecoding

/// Consecutive frames from a linear decode, a few ahead of the caller. Used by a ``FrameWorker``.
///
/// A linear decode does not plan each frame, and reuses the memory of a few pictures. Its only cost is that of the
/// decoder. With an engine's prefetching, a frame costs up to a fifth more.
///
/// Use from one thread. Memory: the pictures of ``LinearFrameBuffer``, those for one pass through damage, and a decoder
/// with its own pictures.
final class LinearFrameDecoder {
    private let asset: VideoAsset
    private let planner: SeekPlanner
    private let decoder: SequenceDecoder
    private let frames: LinearFrameBuffer
    /// The frame to decode next.
    private(set) var next: Int

    /// Creates a row that starts at a frame.
    ///
    /// - Parameters:
    ///   - threadCount: the number of processors available to the row.
    ///   - frames: receives the frames.
    /// - Precondition: the frame exists.
    init(_ asset: VideoAsset, from frame: Int, threadCount: Int, to frames: LinearFrameBuffer) {
        (self.asset, self.frames, next) = (asset, frames, frame)
        var options = SequenceDecoder.Options()
        (options.threadCount, options.hasSpareThread, options.keepsShown) = (threadCount, true, false)
        options.keptByteLimit = frames.decodingByteLimit
        planner = asset.seekPlanner()
        decoder = SequenceDecoder(planner, options: options)
        decoder.begin(at: frame, isForward: true, stride: 1)
        frames.begin(decoder.allocator)
    }

    /// Decodes about one packet.
    ///
    /// - Returns: false after the last frame.
    /// - Throws: `inputOutput` if reading fails, ``ScrubError/cancelled``; the row then ends.
    func step() throws(ScrubError) -> Bool {
        switch try decoder.step() {
        case .more, .placeholder: return true
        case .frame(let answer):
            next = answer.frame + 1
            let found = FrameAnswer(
                kept: answer.picture, answer.frame, asset, decoded: answer.decoded,
                restart: planner.plan(forFrame: answer.frame).restart)
            frames.push(found, answer.picture)
            return true
        case .end, .starved: return false
        }
    }

    /// Closes the decoder. The decoded frames stay available.
    func close() { decoder.close() }
}

/// The frames that a ``LinearFrameDecoder`` has decoded.
///
/// Thread safety: safe from any thread. Memory: up to six pictures within its byte limit, at least two. Pictures that
/// are no longer needed are freed at once: with eight of them retained, AV1 in 720p took a tenth longer.
final class LinearFrameBuffer: Sendable {
    private struct State {
        /// The frames that wait for the caller, in ascending order.
        var waiting: [(frame: Int, answer: FrameAnswer, picture: JudgedPicture)] = []
        /// The frames that the caller took most recently, the newest last.
        var taken: [(frame: Int, picture: JudgedPicture)] = []
        var allocator: FrameAllocator?
    }

    private let asset: VideoAsset
    private let state = Locked(State())
    private let waitingLimit: Int
    private let takenLimit: Int
    /// The maximum number of bytes of pictures made for one pass through damage.
    let decodingByteLimit: Int

    /// The maximum number of pictures that wait for the caller. The caller may skip that many frames.
    static let mostWaiting = 4
    /// The maximum number of pictures that are kept after the caller took them: the last one and one for a step back.
    private static let mostTaken = 2

    /// Creates an empty set of frames.
    ///
    /// - Parameter byteLimit: the maximum number of bytes of pictures that wait, were taken last, or are made for one
    ///   pass.
    init(_ asset: VideoAsset, byteLimit: Int) {
        self.asset = asset
        let size = max(1, asset.pictureByteCount)
        waitingLimit = max(1, min(LinearFrameBuffer.mostWaiting, byteLimit / size / 2))
        takenLimit = min(LinearFrameBuffer.mostTaken, waitingLimit)
        decodingByteLimit = min(byteLimit, 2 * waitingLimit * size) - takenLimit * size
    }

    /// The allocator of the pictures; `nil` before the first row.
    var allocator: FrameAllocator? { state.withLock { $0.allocator } }

    /// Whether another frame may wait for the caller.
    var hasRoom: Bool { state.withLock { $0.waiting.count < waitingLimit } }

    /// Returns a frame that is waiting or was taken most recently. Frames that are waiting before it are skipped and
    /// count as taken.
    func take(_ number: Int) -> FrameAnswer? {
        state.withLock { state in
            let found = answer(number, state)
            if found != nil { pass(number + 1, &state) }
            return found
        }
    }

    /// Returns an available frame, without skipping any.
    func kept(_ number: Int) -> FrameAnswer? { state.withLock { answer(number, $0) } }

    private func answer(_ number: Int, _ state: State) -> FrameAnswer? {
        if let waiting = state.waiting.first(where: { $0.frame == number }) { return waiting.answer }
        return state.taken.last { $0.frame == number }.map {
            FrameAnswer(kept: $0.picture, number, asset)
        }
    }

    /// Skips the frames before a number.
    func pass(_ number: Int) { state.withLock { pass(number, &$0) } }

    private func pass(_ number: Int, _ state: inout State) {
        let count = state.waiting.prefix { $0.frame < number }.count
        guard count > 0 else { return }
        state.taken += state.waiting.prefix(count).map { ($0.frame, $0.picture) }
        state.taken.removeFirst(max(0, state.taken.count - takenLimit))
        state.waiting.removeFirst(count)
    }

    fileprivate func push(_ answer: FrameAnswer, _ picture: JudgedPicture) {
        state.withLock { $0.waiting.append((answer.frame.number, answer, picture)) }
    }

    fileprivate func begin(_ allocator: FrameAllocator) { state.withLock { $0.allocator = allocator } }

    func clear() { state.withLock { ($0.waiting, $0.taken) = ([], []) } }
}
