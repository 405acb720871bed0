internal import ScrubLibAV
internal import ScrubDecoding

/// Frames one after the other from a linear decode, a few ahead of the caller: a part of a ``FrameWorker``'s work.
///
/// A linear decode plans nothing from frame to frame, and uses the memory of few pictures again and again. It costs
/// what the decoder alone costs. With an engine's prefetching a frame costs up to a fifth more.
///
/// Use from one thread. Memory: the pictures of ``RowFrames``, those for one pass through damage, and a decoder with
/// its own.
final class FrameRow {
    private let asset: VideoAsset
    private let planner: SeekPlanner
    private let decoder: SequenceDecoder
    private let frames: RowFrames
    /// The frame that is decoded next.
    private(set) var next: Int

    /// - Parameters:
    ///   - threadCount: the processors that there are for it.
    ///   - frames: receives the frames.
    /// - Precondition: the frame exists.
    init(_ asset: VideoAsset, from frame: Int, threadCount: Int, to frames: RowFrames) {
        (self.asset, self.frames, next) = (asset, frames, frame)
        var options = SequenceDecoder.Options()
        (options.threadCount, options.hasSpareThread, options.keepsShown) = (threadCount, true, false)
        options.keptByteLimit = frames.decodingByteLimit
        planner = asset.seekPlanner()
        decoder = SequenceDecoder(planner, options: options)
        decoder.begin(at: frame, isForward: true, stride: 1)
        frames.begin(decoder.allocator)
    }

    /// Goes on by about one packet.
    ///
    /// - Returns: false when it is over: after the last frame.
    /// - Throws: `inputOutput` if reading fails, ``ScrubError/cancelled``; it is over then.
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

    /// Closes its decoder; its frames stay.
    func close() { decoder.close() }
}

/// The frames that a ``FrameRow`` has decoded.
///
/// Thread safety: safe from any thread. Memory: up to six pictures within its bytes, at least two. Pictures that
/// nothing needs go at once: with eight of them kept, AV1 of 720p took a tenth longer.
final class RowFrames: Sendable {
    private struct State {
        /// Frames that wait for the caller, ascending.
        var waiting: [(frame: Int, answer: FrameAnswer, picture: JudgedPicture)] = []
        /// The frames that were taken last, the newest at the end.
        var taken: [(frame: Int, picture: JudgedPicture)] = []
        var allocator: FrameAllocator?
    }

    private let asset: VideoAsset
    private let state = Locked(State())
    private let waitingLimit: Int
    private let takenLimit: Int
    /// The bytes of pictures that are made for one pass through damage.
    let decodingByteLimit: Int

    /// The most pictures that wait for the caller: it may skip so many.
    static let mostWaiting = 4
    /// The most pictures that are kept after the caller took them: the last one, and a step back.
    private static let mostTaken = 2

    /// - Parameter byteLimit: the most bytes of pictures that wait, were taken last, or are made for one pass.
    init(_ asset: VideoAsset, byteLimit: Int) {
        self.asset = asset
        let size = max(1, asset.pictureByteCount)
        waitingLimit = max(1, min(RowFrames.mostWaiting, byteLimit / size / 2))
        takenLimit = min(RowFrames.mostTaken, waitingLimit)
        decodingByteLimit = min(byteLimit, 2 * waitingLimit * size) - takenLimit * size
    }

    /// The allocator of their pictures; `nil` before the first row.
    var allocator: FrameAllocator? { state.withLock { $0.allocator } }

    /// Whether one more may wait for the caller.
    var hasRoom: Bool { state.withLock { $0.waiting.count < waitingLimit } }

    /// Returns a frame that waits, or was taken last. Those that wait before it are passed over, and count as taken.
    func take(_ number: Int) -> FrameAnswer? {
        state.withLock { state in
            let found = answer(number, state)
            if found != nil { pass(number + 1, &state) }
            return found
        }
    }

    /// Returns a frame that is there, and passes over none.
    func kept(_ number: Int) -> FrameAnswer? { state.withLock { answer(number, $0) } }

    private func answer(_ number: Int, _ state: State) -> FrameAnswer? {
        if let waiting = state.waiting.first(where: { $0.frame == number }) { return waiting.answer }
        return state.taken.last { $0.frame == number }.map {
            FrameAnswer(kept: $0.picture, number, asset)
        }
    }

    /// Passes over the frames before a number.
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
