internal import ScrubBitstream
internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

/// The exact frames of one video one after the other, forward or backward, packet by packet.
///
/// Forward it decodes as a linear decode does, without a stop between groups (``LinearRun``). Backward, and where
/// something is complained of, it makes windows of as many frames as are kept, each in one pass (``GroupRun``). Every
/// frame has the verdict and the picture that a ``FrameEngine`` answers. Use from one thread at a time.
///
/// Memory: the bytes that are kept, one decoder with its own pictures and one packet, and up to two pictures on their
/// way.
package final class SequenceDecoder {
    package struct Options: Sendable, Hashable {
        /// Threads that decode at the same time.
        package var threadCount = 1
        /// Whether one thread more fills the processors where libavcodec's threads wait for one another, as in its own
        /// default. With two of them, rows of pictures that another thread uses come up to a tenth faster.
        package var hasSpareThread = false
        /// Bytes of frames that are kept: those of a backward window, and those that were shown last.
        package var keptByteLimit = 128 << 20
        /// Whether frames that were handed out are kept, for a movement that turns round. A picture that goes at once
        /// leaves its memory, which the processor still has in its cache, to the next one.
        package var keepsShown = true

        package init() {}
    }

    package struct Answer: Sendable {
        package var frame: Int
        package var picture: JudgedPicture
        /// Coded pictures given to decoders since the answer before it.
        package var decoded: Int
    }

    package enum Step: Sendable {
        case more
        case frame(Answer)
        /// A picture near the first frame, until that comes.
        case placeholder(frame: Int, SharedFrame)
        case end
        /// There was no memory for a picture.
        case starved
    }

    /// Frames of one group that are made in one pass, after the comparison of their restart where that is needed.
    final class Window {
        let run: GroupRun
        /// Frames that did not come out yet.
        var missing: Set<Int>
        /// Frames that came out and were not taken, in the order in which they did.
        var out: [(frame: Int, picture: JudgedPicture)] = []
        /// The last picture that came out on the way and is not of a wanted frame.
        var passing: DecodedPicture?

        init(_ run: GroupRun, of frames: [Int]) { (self.run, missing) = (run, Set(frames)) }
    }

    enum Run {
        case none
        case linear(LinearRun)
        case window(Window)
    }

    let planner: SeekPlanner
    /// Open decoders and packets, for all runs.
    var resources: GroupResources
    /// Frames that were shown or will be; another thread may let some go.
    package let kept: Locked<KeptFrames>
    /// Bytes of a picture that is kept.
    let keptPictureByteCount: Int
    /// Makes the frame that is handed out and kept from a decoded picture; `nil` if there is no memory for it.
    package var transform: ((SharedFrame) -> SharedFrame?)?
    /// Whether all that is handed out is counted, and pictures in a decoder's own memory are copied for it.
    let isBudgeted: Bool
    private let keepsShown: Bool

    var run = Run.none
    /// The next frame in play order; `nil` after the last one.
    var next: Int?
    var isForward = true
    var stride = 1
    /// The frame that the newest window ahead was begun for.
    var preparedFrame: Int?
    /// The last frame in play order of the newest window backward.
    var windowEnd: Int?
    /// Frames that a linear run made and that come later.
    var ready: [Int: JudgedPicture] = [:]
    /// The distance of the placeholder that was handed out; `nil` if none is wanted.
    var placeholderDistance: Int?
    /// Restarts whose groups cannot be gone through linearly.
    var uneven: Set<Int> = []
    /// Coded pictures given to decoders in runs that are over, and up to the last answer.
    var (fedBefore, told) = (0, 0)

    var index: FrameIndex { planner.index }

    /// - Parameters:
    ///   - budget: the member of a budget that pictures count for.
    ///   - keptPictureByteCount: bytes of a picture that is kept; `nil` for a whole one.
    package init(
        _ planner: SeekPlanner, options: Options, budget: BudgetMember? = nil,
        kept: Locked<KeptFrames>? = nil, keptPictureByteCount: Int? = nil
    ) {
        self.planner = planner
        // dav1d's threads take any work there is.
        let isSpare = options.hasSpareThread && options.threadCount > 1 && planner.index.facts.codec != .av1
        var pool = OpenDecoderPool(
            index: planner.index, limit: 1, threadCount: options.threadCount + (isSpare ? 1 : 0), budget: budget)
        pool.settings.isSequential = true
        resources = GroupResources(planner, pool, isTight: true)
        isBudgeted = budget != nil
        keepsShown = options.keepsShown
        self.kept = kept ?? Locked(KeptFrames(byteLimit: options.keptByteLimit))
        self.keptPictureByteCount = max(1, keptPictureByteCount ?? planner.index.pictureBufferByteCount)
    }

    package var allocator: FrameAllocator { resources.pool.allocator }
    /// Coded pictures given to decoders so far.
    package var decoded: Int {
        switch run {
        case .none: fedBefore
        case .linear(let run): fedBefore + run.fed
        case .window(let window): fedBefore + window.run.decoded
        }
    }

    /// Starts over at a frame, and leaves the work under way. Kept frames are used.
    ///
    /// - Precondition: the frame exists, and the stride is 1 or more.
    package func begin(at frame: Int, isForward: Bool, stride: Int) {
        precondition((0..<index.frameCount).contains(frame) && stride > 0, "frame \(frame), stride \(stride)")
        let goesOn = isForward && self.isForward && stride == 1 && self.stride == 1 && continues(to: frame)
        if !goesOn { leaveRun() }
        ready = ready.filter { goesOn && $0.key >= frame }
        (next, self.isForward, self.stride) = (frame, isForward, stride)
        (placeholderDistance, windowEnd, preparedFrame) = (.max, nil, nil)
        told = decoded
        promise()
    }

    /// Whether a run forward comes to a frame on its way.
    private func continues(to frame: Int) -> Bool {
        guard case .linear(let run) = run, let next, frame >= next else { return false }
        return run.reaches(planner.plan(forFrame: frame))
    }

    /// Closes the decoder. Kept frames stay.
    package func close() {
        leaveRun()
        ready = [:]
        resources.pool.clear()
        resources.reader = PacketReader(file: planner.file, index: index)
    }

    /// Goes on by about one packet.
    ///
    /// - Throws: `inputOutput` if reading fails, `unavailable` if a decoder cannot be opened; the work under way is
    ///   left then.
    package func step() throws(ScrubError) -> Step {
        guard let frame = next else { return .end }
        if let picture = take(frame) { return deliver(frame, picture) }
        if let near = nearestKept(to: frame) { return near }
        do throws(ScrubError) {
            if !isOnItsWay(frame) { try beginRun(for: frame) }
            return try advance(to: frame)
        } catch {
            leaveRun()
            throw error
        }
    }

    /// Does about one packet of the work after the frames that are there, while those are shown.
    ///
    /// - Returns: whether it did something: if not, it can when another frame was taken.
    package func prepare() throws(ScrubError) -> Bool {
        guard !isForward, let next, take(next) != nil else { return false }
        do throws(ScrubError) {
            return try prepareWindow()
        } catch {
            leaveRun()
            throw error
        }
    }

    private func take(_ frame: Int) -> JudgedPicture? {
        ready[frame] ?? kept.withLock { $0[frame] }
    }

    private func deliver(_ frame: Int, _ picture: JudgedPicture) -> Step {
        let answer = Answer(frame: frame, picture: picture, decoded: decoded - told)
        told = decoded
        placeholderDistance = nil
        ready[frame] = nil
        next = after(frame)
        // It stays for a movement that turns round, as long as there is room.
        kept.withLock { kept in
            if keepsShown, !isForward { _ = kept.insert(picture, frame: frame) }
            if let next { kept.playhead = next }
            if keepsShown, isForward { _ = kept.insert(picture, frame: frame) }
        }
        promise()
        return .frame(answer)
    }

    /// Returns the frame after another one in play order.
    func after(_ frame: Int) -> Int? {
        let (number, overflow) = frame.addingReportingOverflow(isForward ? stride : -stride)
        return !overflow && (0..<index.frameCount).contains(number) ? number : nil
    }

    private func nearestKept(to frame: Int) -> Step? {
        guard placeholderDistance == .max else { return nil }
        placeholderDistance = .max - 1
        guard let near = kept.withLock({ $0.nearest(to: frame) }) else { return nil }
        placeholderDistance = abs(near.frame - frame)
        return .placeholder(frame: near.frame, near.picture)
    }

    /// Returns a picture that came out before the first frame, to be shown until that comes. It is the first one, if
    /// that is nearer than the kept ones.
    func placeholder(_ picture: DecodedPicture?, before frame: Int, isCounted: Bool) -> Step? {
        guard let picture, let distance = placeholderDistance, let number = index.frame(ofPicture: picture.number),
            number != frame, abs(number - frame) < distance,
            let image = transformed(picture.frame, isCounted: isCounted)
        else { return nil }
        // A few at most: the first one that comes out.
        placeholderDistance = nil
        return .placeholder(frame: number, image)
    }

    /// - Parameter isCounted: whether the picture is in the allocator's memory.
    func transformed(_ picture: SharedFrame, isCounted: Bool) -> SharedFrame? {
        if let transform { return transform(picture) }
        guard isBudgeted, !isCounted else { return picture }
        guard let copy = try? allocator.copy(of: picture.frame) else { return nil }
        return SharedFrame(copy)
    }

    /// Puts the decoder of the work under way back.
    func leaveRun() {
        let fed = decoded
        switch run {
        case .none: break
        case .linear(let run): if run.decoder.isClean { resources.pool.put(run.decoder) }
        case .window(let window): if window.run.end == nil { window.run.leave(&resources) }
        }
        // A comparison has a decoder of its own.
        resources.prover = nil
        run = .none
        fedBefore = fed
    }
}
