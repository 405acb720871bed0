internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A session's pictures from the exact-seek engine.
struct SessionDecoder: PictureSource {
    private let engine: FrameEngine
    private let index: FrameIndex
    private let pictures: SessionPictures
    /// Makes the reduced pictures; `nil` where there are none.
    private let reducer: PictureReducer?
    private let out = Out()
    private var task: DecodeTask?
    /// A picture that is shown on the way to the one that was begun, where bytes are remote.
    private var onTheWay: DecodeTask?
    /// The frame that was begun.
    private var begun: Int?
    /// How near the last picture on the way was: the next one is nearer, or there is none.
    private var reached = Int.max
    private var canPrefetch = false
    /// How many key pictures are wanted, as long as they were not begun.
    private var keyPictureCount: Int
    private var keyPictures: KeyPictureStrip?
    private let keyPictureReducer: PictureReducer
    /// Memory for the key pictures' decoder as long as it is open.
    private let keyPictureWork: SpareWork

    /// Pictures that came out of the engine during a step. Only the session's thread touches it.
    private final class Out {
        var pictures: [(frame: Int, image: SharedFrame)] = []
        var isListening = false
    }

    init(
        _ engine: FrameEngine, _ pictures: SessionPictures, _ options: ScrubOptions,
        budget: (bytes: ByteBudget, owner: Int)
    ) {
        keyPictureWork = SpareWork(
            budget.bytes, owner: budget.owner, pieceByteCount: KeyPictureStrip.workingByteCount(pictures.index))
        (self.engine, index, self.pictures) = (engine, pictures.index, pictures)
        keyPictureCount = options.keyPictureCount
        keyPictureReducer = PictureReducer(
            longSide: options.keyPictureSide, pictures.index.facts.descriptions.first, engine.allocator)
        let out = out
        let index = index
        let reducer = options.usedReducedSide.map {
            PictureReducer(longSide: $0, index.facts.descriptions.first, engine.allocator)
        }
        self.reducer = reducer
        engine.watcher = { (picture, frame) in
            var small = reducer == nil ? nil : pictures.small.withLock { $0[picture]?.frame }
            if let reducer, small == nil, let made = reducer.reduce(frame) {
                pictures.keep(made, ofPicture: picture, in: pictures.small)
                small = made
            }
            guard out.isListening, let number = index.frame(ofPicture: picture),
                let shown = pictures.sizes == .reduced ? small : frame
            else { return }
            out.pictures.append((number, shown))
        }
        if reducer != nil { engine.isKeptElsewhere = { picture in pictures.small.withLock { $0[picture] != nil } } }
    }

    mutating func begin(_ frame: Int) throws(ScrubError) {
        pauseKeyPictures()
        (begun, reached) = (frame, .max)
        onTheWay = try next(to: frame)
        if onTheWay == nil { task = try engine.start(frame: frame, isNoted: true) }
    }

    /// What is to be shown before a frame whose bytes are not there: the nearest that needs no waiting, else what comes
    /// soonest where the frame itself would come too late.
    private func next(to frame: Int) throws(ScrubError) -> DecodeTask? {
        guard engine.isRemote, !engine.isAtHand(frame) else { return nil }
        let distance = pictures.nearest(to: frame).map { abs($0.frame - frame) } ?? .max
        let near = engine.nearestAtHand(to: frame, within: min(distance, reached)) ?? engine.firstOnTheWay(to: frame)
        return try near.map { (number) throws(ScrubError) in try engine.start(onTheWay: number) }
    }

    /// Does about one packet of the picture on the way.
    private mutating func step(
        onTheWay task: DecodeTask, _ deliver: (Int, SharedFrame) -> Void
    ) throws(ScrubError) {
        out.isListening = true
        defer {
            out.isListening = false
            out.pictures = []
        }
        do throws(ScrubError) {
            let step = try engine.step(task)
            for (frame, image) in out.pictures where frame != task.frame { deliver(frame, image) }
            switch step {
            case .more: return
            case .answer(let answer):
                if answer.verdict == .exact, let frame = index.frame(ofPicture: answer.picture),
                    let image = shown(answer.frame, of: frame)
                {
                    deliver(frame, image)
                    if let begun { reached = min(reached, abs(frame - begun)) }
                    // Meanwhile more may have come.
                    onTheWay = try begun.flatMap { (begun) throws(ScrubError) in try next(to: begun) }
                    return
                }
            case .starved: break
            }
        } catch {
            // Trouble is trouble when it is the frame's own.
        }
        onTheWay = nil
    }

    mutating func step(_ deliver: (Int, SharedFrame) -> Void) throws(ScrubError) -> SourceStep<SharedFrame> {
        if let onTheWay {
            try step(onTheWay: onTheWay, deliver)
            return .more
        }
        if task == nil, let begun { task = try engine.start(frame: begun, isNoted: true) }
        guard let task else { preconditionFailure("nothing was begun") }
        out.isListening = true
        defer {
            out.isListening = false
            out.pictures = []
        }
        let step: FrameEngine.Step
        do throws(ScrubError) { step = try engine.step(task) } catch {
            self.task = nil
            throw error
        }
        for (frame, image) in out.pictures where frame != task.frame { deliver(frame, image) }
        switch step {
        case .more: return .more
        case .answer(let answer):
            self.task = nil
            let image = shown(answer.frame, of: task.frame)
            // A decoded picture that cannot be shown found no memory to be reduced in.
            guard image != nil || answer.frame == nil else { return .starved }
            return .answer(SourceAnswer(image: image, verdict: answer.verdict, decoded: answer.decoded))
        case .starved:
            self.task = nil
            return .starved
        }
    }

    /// What is shown of a decoded picture.
    private func shown(_ image: SharedFrame?, of frame: Int?) -> SharedFrame? {
        guard pictures.sizes == .reduced, let image else { return image }
        // One that cannot be reduced is shown as it is.
        guard FrameReducer.canReduce(image.frame.pixelFormat) else { return image }
        return frame.flatMap { pictures.reduced($0) } ?? reducer?.reduce(image)
    }

    mutating func leave() {
        if let task { engine.leave(task) }
        if let onTheWay { engine.leave(onTheWay) }
        (task, onTheWay, begun) = (nil, nil, nil)
    }

    var isHeldUp: Bool { engine.isHeldUp }

    func isWorthLeaving(for frame: Int) -> Bool { task.map { engine.isWorthLeaving($0, for: frame) } ?? true }

    mutating func note(_ frame: Int) {
        engine.note(frame: frame)
        pictures.look(at: frame)
        canPrefetch = true
    }

    mutating func prepare() -> Bool {
        // An error ahead counts only when the frame is requested.
        if canPrefetch { canPrefetch = (try? engine.prefetch()) ?? false }
        return canPrefetch || prepareKeyPictures()
    }

    /// Does about one packet of the key pictures.
    private mutating func prepareKeyPictures() -> Bool {
        if keyPictureCount > 0 {
            keyPictures = engine.keyPictureStrip(count: keyPictureCount)
            keyPictureCount = 0
        }
        guard let strip = keyPictures else { return false }
        // They are for comfort: without room for their decoder there are none.
        guard keyPictureWork.take(1) else { return false }
        // A picture that cannot be read is left out.
        let hasMore =
            (try? strip.step { frame, image in
                guard let small = keyPictureReducer.reduce(image) else { return }
                pictures.keep(small, ofPicture: Int(index.frames[frame]), in: pictures.keyPictures)
            }) ?? true
        if !hasMore {
            pauseKeyPictures()
            keyPictures = nil
        }
        return hasMore
    }

    /// Gives back what the key pictures' decoder takes, because it is wanted or they are done.
    private mutating func pauseKeyPictures() {
        keyPictures?.pause()
        keyPictureWork.giveBack()
    }

    mutating func noteMemoryNews() {
        engine.giveSpareMemory()
        if keyPictureWork.isWanted { pauseKeyPictures() }
    }

    var decoded: Int { (task ?? onTheWay)?.decoded ?? 0 }
}
