internal import ScrubBitstream
internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

/// A decoder of one video's exact frames in sequence, forward or backward, packet by packet.
///
/// Forward, it decodes linearly, without stopping between groups (``LinearRun``). Backward, and near complaints, it
/// decodes windows of as many frames as are kept, each in one pass (``GroupRun``). Every frame has the same verdict and
/// picture as with a ``FrameEngine``. Use from one thread at a time.
///
/// Memory: the kept bytes, one decoder with its own pictures and one packet, and up to two pictures in transit.
package final class SequenceDecoder {
    package struct Options: Sendable, Hashable {
        /// The number of threads that decode at the same time.
        package var threadCount = 1
        /// Whether an additional thread uses the processors while libavcodec's threads wait for each other, as in its
        /// own default. With two of them, rows of pictures that another thread uses are available up to a tenth faster.
        package var hasSpareThread = false
        /// The bytes of frames that are kept: those of a backward window, and those shown most recently.
        package var keptByteLimit = 128 << 20
        /// Whether frames that were handed out are kept, for a movement that reverses. A picture that is released at
        /// once leaves its memory, which is still in the processor's cache, to the next one.
        package var keepsShown = true

        package init() {}
    }

    package struct Answer: Sendable {
        package var frame: Int
        package var picture: JudgedPicture
        /// The number of coded pictures given to decoders since the previous answer.
        package var decoded: Int
    }

    package enum Step: Sendable {
        case more
        case frame(Answer)
        /// A picture near the first frame, until the frame itself is available.
        case placeholder(frame: Int, SharedFrame)
        case end
        /// There was no memory for a picture.
        case starved
    }

    /// Frames of one group that are decoded in one pass, after comparing their restart if necessary.
    final class Window {
        let run: GroupRun
        /// The frames that were not output yet.
        var missing: Set<Int>
        /// The frames that were output and not taken, in output order.
        var out: [(frame: Int, picture: JudgedPicture)] = []
        /// The last picture output along the way that does not belong to a needed frame.
        var passing: DecodedPicture?

        init(_ run: GroupRun, of frames: [Int]) { (self.run, missing) = (run, Set(frames)) }
    }

    enum Run {
        case none
        case linear(LinearRun)
        case window(Window)
    }

    let planner: SeekPlanner
    /// The open decoders and packets, for all runs.
    var resources: GroupResources
    /// Frames that were shown or will be; another thread may evict some.
    package let kept: Locked<PlayheadFrameCache>
    /// The size in bytes of a cached picture.
    let keptPictureByteCount: Int
    /// Converts a decoded picture to the one that is handed out and cached; returns `nil` if there is no memory for it.
    package var transform: ((SharedFrame) -> SharedFrame?)?
    /// Whether everything that is handed out is counted, so that pictures in a decoder's own memory are copied.
    let isBudgeted: Bool
    private let keepsShown: Bool

    var run = Run.none
    /// The next frame in playback order; `nil` after the last one.
    var next: Int?
    var isForward = true
    var stride = 1
    /// The frame for which the newest window ahead was begun.
    var preparedFrame: Int?
    /// The last frame in playback order of the newest backward window.
    var windowEnd: Int?
    /// Frames from a linear run that come later.
    var ready: [Int: JudgedPicture] = [:]
    /// The distance of the placeholder that was handed out; `nil` if none is needed.
    var placeholderDistance: Int?
    /// Restarts whose groups cannot be decoded linearly.
    var uneven: Set<Int> = []
    /// The number of coded pictures given to decoders in completed runs, and up to the last answer.
    var (fedBefore, told) = (0, 0)

    var index: FrameIndex { planner.index }

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - budget: the budget member for which pictures count.
    ///   - keptPictureByteCount: the size in bytes of a cached picture; `nil` for a full one.
    package init(
        _ planner: SeekPlanner, options: Options, budget: BudgetMember? = nil,
        kept: Locked<PlayheadFrameCache>? = nil, keptPictureByteCount: Int? = nil
    ) {
        self.planner = planner
        // dav1d's threads take any available work.
        let isSpare = options.hasSpareThread && options.threadCount > 1 && planner.index.facts.codec != .av1
        var pool = OpenDecoderPool(
            index: planner.index, limit: 1, threadCount: options.threadCount + (isSpare ? 1 : 0), budget: budget)
        pool.settings.isSequential = true
        resources = GroupResources(planner, pool, isTight: true)
        isBudgeted = budget != nil
        keepsShown = options.keepsShown
        self.kept = kept ?? Locked(PlayheadFrameCache(byteLimit: options.keptByteLimit))
        self.keptPictureByteCount = max(1, keptPictureByteCount ?? planner.index.pictureBufferByteCount)
    }

    package var allocator: FrameAllocator { resources.pool.allocator }
    /// The number of coded pictures given to decoders so far.
    package var decoded: Int {
        switch run {
        case .none: fedBefore
        case .linear(let run): fedBefore + run.fed
        case .window(let window): fedBefore + window.run.decoded
        }
    }

    /// Starts over at a frame, and abandons the work in progress. Cached frames are used.
    ///
    /// - Precondition: the frame exists, and the stride is 1 or more.
    package func begin(at frame: Int, isForward: Bool, stride: Int) {
        precondition(
            (0..<index.frameCount).contains(frame) && stride > 0,
            "frame \(frame) or stride \(stride) is out of range")
        let goesOn = isForward && self.isForward && stride == 1 && self.stride == 1 && continues(to: frame)
        if !goesOn { leaveRun() }
        ready = ready.filter { goesOn && $0.key >= frame }
        (next, self.isForward, self.stride) = (frame, isForward, stride)
        (placeholderDistance, windowEnd, preparedFrame) = (.max, nil, nil)
        told = decoded
        promise()
    }

    /// Returns whether a forward run reaches a frame.
    private func continues(to frame: Int) -> Bool {
        guard case .linear(let run) = run, let next, frame >= next else { return false }
        return run.reaches(planner.plan(forFrame: frame))
    }

    /// Closes the decoder. Cached frames stay.
    package func close() {
        leaveRun()
        ready = [:]
        resources.pool.clear()
        resources.reader = PacketReader(file: planner.file, index: index)
    }

    /// Decodes about one packet.
    ///
    /// - Throws: `inputOutput` if reading fails, `unavailable` if a decoder cannot be opened; the work in progress is
    ///   then abandoned.
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

    /// Decodes about one packet of the work after the available frames, while those are shown.
    ///
    /// - Returns: whether it did any work. If not, it can after another frame was taken.
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
        // It stays for a movement that reverses, as long as there is room.
        kept.withLock { kept in
            if keepsShown, !isForward { _ = kept.insert(picture, frame: frame) }
            if let next { kept.playhead = next }
            if keepsShown, isForward { _ = kept.insert(picture, frame: frame) }
        }
        promise()
        return .frame(answer)
    }

    /// Returns the frame after another one in playback order.
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

    /// Returns a picture output before the first frame, to be shown until that is available. It is the first one, if it
    /// is nearer than the cached ones.
    func placeholder(_ picture: DecodedPicture?, before frame: Int, isCounted: Bool) -> Step? {
        guard let picture, let distance = placeholderDistance, let number = index.frame(ofPicture: picture.number),
            number != frame, abs(number - frame) < distance,
            let image = transformed(picture.frame, isCounted: isCounted)
        else { return nil }
        // At most a few: the first one that is output.
        placeholderDistance = nil
        return .placeholder(frame: number, image)
    }

    /// Converts a picture.
    ///
    /// - Parameter isCounted: whether the picture uses the allocator's memory.
    func transformed(_ picture: SharedFrame, isCounted: Bool) -> SharedFrame? {
        if let transform { return transform(picture) }
        guard isBudgeted, !isCounted else { return picture }
        guard let copy = try? allocator.copy(of: picture.frame) else { return nil }
        return SharedFrame(copy)
    }

    /// Puts the decoder of the work in progress back.
    func leaveRun() {
        let fed = decoded
        switch run {
        case .none: break
        case .linear(let run): if run.decoder.isClean { resources.pool.put(run.decoder) }
        case .window(let window): if window.run.end == nil { window.run.leave(&resources) }
        }
        // A comparison has a separate decoder.
        resources.prover = nil
        run = .none
        fedBefore = fed
    }
}
