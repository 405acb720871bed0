internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

/// A session's picture source, based on the exact-seek engine.
///
/// If decoders are shared, it decodes while it holds a lease. It returns the lease if others are waiting: after a
/// requested picture, and while it only prepares.
struct SessionDecoder: PictureSource {
    private let engine: FrameEngine
    private let index: FrameIndex
    private let pictures: SessionPictures
    /// Makes the reduced pictures of a session that shows only those.
    private let reducer: PictureReducer?
    private var request: SeekRequest?
    /// The request for a picture to show on the way to the one that was begun, if bytes are remote.
    private var onTheWay: SeekRequest?
    /// The frame being decoded.
    private var begun: Int?
    /// The distance of the last picture on the way from the target frame. Only a nearer one is shown next.
    private var reached = Int.max
    private var canPrefetch = false
    /// Passes for a movement without previews; `nil` for a session without them, and for remote bytes.
    private var passes: ScrubPreviewPasses?
    /// Whether previews may be made again once no request is pending.
    private var canMakePreviews = false
    /// The most recently requested frame.
    private var lookedAt = 0
    /// The number of packets that may still be decoded ahead for the current move if there are previews.
    private var packetsAhead = 0
    /// The number of packets to decode ahead for a move if there are previews: one per two threads, which keeps up with
    /// a slow finger and leaves most of the processors to others.
    private let packetsForMove: Int
    /// The number of key pictures to make, until they are begun.
    private var keyPictureCount: Int
    private var keyPictures: KeyframeStrip?
    private let keyPictureSide: Int
    private let keyPictureReducer: PictureReducer
    /// The memory of the key pictures' decoder while it is open.
    private let keyPictureWork: AdditionalWorkMemory
    /// Its access to shared decoders; `nil` if decoders are not shared.
    private let seat: DecoderLeaseHolder?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - seat: its access to shared decoders; `nil` if decoders are not shared.
    ///   - spareDecoders: counts the key pictures' decoder, if decoders are shared.
    init(
        _ engine: FrameEngine, _ pictures: SessionPictures, _ options: ScrubSession.Options,
        budget: BudgetMember, seat: DecoderLeaseHolder? = nil, spareDecoders: (any AdditionalDecoders)? = nil
    ) {
        self.seat = seat
        keyPictureWork = AdditionalWorkMemory(
            budget, pieceByteCount: KeyframeStrip.workingByteCount(pictures.index), decoders: spareDecoders)
        (self.engine, index, self.pictures) = (engine, pictures.index, pictures)
        passes = engine.isRemote ? nil : pictures.previews.map { ScrubPreviewPasses(engine, $0) }
        keyPictureCount = options.keyPictureCount
        keyPictureSide = options.keyPictureSide
        keyPictureReducer = PictureReducer(
            longSide: options.keyPictureSide, pictures.index.facts, engine.allocator)
        packetsForMove = max(1, options.engineSettings.threadCount / 2)
        reducer =
            pictures.sizes == .full
            ? nil
            : PictureReducer(
                longSide: options.usedReducedSide, pictures.index.facts, engine.allocator)
        if reducer != nil { engine.isKeptElsewhere = { picture in pictures.small.withLock { $0[picture] != nil } } }
    }

    /// Caches reduced copies of the engine's pictures.
    ///
    /// - Returns: the picture to show for each one, with its frame.
    private func keep(_ found: [JudgedPicture]) -> [(frame: Int, image: SharedFrame)] {
        // Their previews are made in parallel with the decoder.
        if !found.isEmpty { pictures.previews?.noteOffered() }
        return found.compactMap { picture in
            guard let image = picture.frame else { return nil }
            var small = reducer == nil ? nil : pictures.small.withLock { $0[picture.number]?.frame }
            if let reducer, small == nil, let made = reducer.reduce(image) {
                pictures.keep(made, ofPicture: picture.number, in: pictures.small)
                small = made
            }
            guard let frame = index.frame(ofPicture: picture.number),
                let shown = pictures.sizes == .reduced ? small : image
            else { return nil }
            return (frame, shown)
        }
    }

    mutating func begin(_ frame: Int) throws(ScrubError) {
        pausePreviews()
        passes?.leave()
        (begun, reached) = (frame, .max)
        onTheWay = try next(to: frame)
        if onTheWay == nil { request = try start(frame) }
    }

    /// Begins to decode a frame. If the finger finds previews, a full picture is made when it rests, and prefetching
    /// for a backward movement would only delay it.
    private func start(_ frame: Int) throws(ScrubError) -> SeekRequest {
        try engine.start(frame: frame, isNoted: true, isAlone: pictures.hasPreviews(around: frame))
    }

    /// Returns a request for a picture to show before a frame whose bytes are missing. It is the nearest one that needs
    /// no waiting, or else the one that is available soonest if the frame itself would be too late.
    private func next(to frame: Int) throws(ScrubError) -> SeekRequest? {
        guard engine.isRemote, !engine.isAtHand(frame) else { return nil }
        let distance = pictures.nearest(to: frame, within: .max).map { abs($0.frame - frame) } ?? .max
        let near = engine.nearestAtHand(to: frame, within: min(distance, reached)) ?? engine.firstOnTheWay(to: frame)
        return try near.map { (number) throws(ScrubError) in try engine.start(onTheWay: number) }
    }

    /// Decodes about one packet of the picture along the way.
    private mutating func step(
        onTheWay request: SeekRequest, _ deliver: (Int, SharedFrame) -> Void
    ) throws(ScrubError) {
        do throws(ScrubError) {
            let step = try engine.step(request)
            for (frame, image) in keep(step.pictures) where frame != request.frame { deliver(frame, image) }
            switch step.outcome {
            case .more: return
            case .answer(let answer):
                if answer.verdict == .exact, let frame = index.frame(ofPicture: answer.picture),
                    let image = shown(answer.frame, of: frame)
                {
                    deliver(frame, image)
                    if let begun { reached = min(reached, abs(frame - begun)) }
                    // More bytes may have arrived in the meantime.
                    onTheWay = try begun.flatMap { (begun) throws(ScrubError) in try next(to: begun) }
                    return
                }
            case .starved: break
            }
        } catch {
            // An error matters only if it concerns the frame itself.
        }
        onTheWay = nil
    }

    mutating func step(_ deliver: (Int, SharedFrame) -> Void) throws(ScrubError) -> SourceStep<SharedFrame> {
        if let onTheWay {
            try step(onTheWay: onTheWay, deliver)
            return .more
        }
        if request == nil, let begun { request = try start(begun) }
        guard let request else { preconditionFailure("no request was started") }
        let step: FrameEngine.Step
        do throws(ScrubError) { step = try engine.step(request) } catch {
            self.request = nil
            throw error
        }
        for (frame, image) in keep(step.pictures) where frame != request.frame { deliver(frame, image) }
        switch step.outcome {
        case .more: return .more
        case .answer(let answer):
            self.request = nil
            seat?.noteProgress()
            let image = shown(answer.frame, of: request.frame)
            // A decoded picture that cannot be shown found no memory to be reduced in.
            guard image != nil || answer.frame == nil else { return .starved }
            return .answer(SourceAnswer(image: image, verdict: answer.verdict, decoded: answer.decoded))
        case .starved:
            self.request = nil
            return .starved
        }
    }

    /// Returns the picture to show for a decoded one.
    private func shown(_ image: SharedFrame?, of frame: Int?) -> SharedFrame? {
        guard pictures.sizes == .reduced, let image else { return image }
        // A picture that cannot be reduced is shown as it is.
        guard FrameReducer.canReduce(image.frame.pixelFormat) else { return image }
        return frame.flatMap { pictures.preview($0) } ?? reducer?.reduce(image)
    }

    mutating func leave() {
        leaveRequests()
        begun = nil
        // The next frame is begun here: a turn may end now, but not on the way to a frame, which would start over.
        seat?.noteProgress()
    }

    var isHeldUp: Bool { engine.isHeldUp }

    func isWorthLeaving(for frame: Int) -> Bool { request.map { engine.isWorthLeaving($0, for: frame) } ?? true }

    mutating func note(_ frame: Int) {
        engine.note(frame: frame)
        pictures.look(at: frame)
        passes?.note(frame)
        lookedAt = frame
        (canPrefetch, canMakePreviews, packetsAhead) = (true, true, packetsForMove)
    }

    func hasPass(for frame: Int, isStill: Bool) -> Bool { passes?.serves(frame, isStill: isStill) ?? false }

    mutating func stepPass(_ deliver: (Int, SharedFrame, Int) -> Void) {
        pausePreviews()
        _ = passes?.step(deliver)
        seat?.noteProgress()
    }

    /// Decodes about one packet of the pass ahead of a moving finger, with the available decoder.
    private mutating func preparePass() -> Bool {
        guard passes?.isWanted == true, takesAhead() else { return false }
        pausePreviews()
        return passes?.step { _, _, _ in } ?? false
    }

    private mutating func pausePreviews() {
        pictures.previews?.pause()
        canMakePreviews = true
        pauseKeyPictures()
    }

    mutating func prepare(isMoving: Bool, isPreviewed: Bool) -> Bool {
        if isMoving, preparePass() { return true }
        if !isMoving || isPreviewed { resumePreviews() }
        // A finger with previews does not need the decoder, and the program that draws them also needs the processors.
        if isMoving, pictures.hasPreviews(around: lookedAt) {
            resumePreviews()
            guard packetsAhead > 0 else { return false }
            packetsAhead -= 1
            return prepareFrames() && packetsAhead > 0
        }
        let hasMore = prepareFrames()
        // A finger that stays in place still counts as moving.
        if !hasMore { resumePreviews() }
        return hasMore
    }

    private mutating func resumePreviews() {
        guard canMakePreviews else { return }
        canMakePreviews = false
        pictures.previews?.resume()
    }

    private mutating func prepareFrames() -> Bool {
        guard takesAhead() else { return false }
        // An error while decoding ahead matters only once the frame is requested.
        if canPrefetch, let step = try? engine.prefetch() {
            _ = keep(step.pictures)
            canPrefetch = step.isWorthMore
        } else {
            canPrefetch = false
        }
        return canPrefetch || prepareKeyPictures()
    }

    /// Decodes about one packet of the key pictures.
    private mutating func prepareKeyPictures() -> Bool {
        if keyPictureCount > 0 {
            keyPictures = engine.keyPictureStrip(count: keyPictureCount)
            keyPictureCount = 0
        }
        guard let strip = keyPictures else { return false }
        let hasMore: Bool
        if let frame = strip.nextFrame, keepKeyPicture(ofPreviewOf: frame) {
            hasMore = strip.skipNext()
        } else {
            // They are optional: without room for their decoder, there are none.
            guard keyPictureWork.take(1) else { return false }
            // A picture that cannot be read is skipped.
            hasMore = (try? strip.step { keepKeyPicture($1, ofFrame: $0) }) ?? true
        }
        if !hasMore {
            pauseKeyPictures()
            keyPictures = nil
        }
        return hasMore
    }

    private func keepKeyPicture(_ image: SharedFrame, ofFrame frame: Int) {
        guard let small = keyPictureReducer.reduce(image) else { return }
        pictures.keep(small, ofPicture: Int(index.frames[frame]), in: pictures.keyPictures)
    }

    /// Makes a key picture from the frame's preview, which is cheaper than decoding it.
    ///
    /// - Returns: false if there is no preview, or one with fewer samples.
    private func keepKeyPicture(ofPreviewOf frame: Int) -> Bool {
        guard let previews = pictures.previews, previews.longSide >= keyPictureSide,
            let preview = previews.picture(ofFrame: frame)
        else { return false }
        keepKeyPicture(preview, ofFrame: frame)
        return true
    }

    /// Returns the key pictures' decoder and its memory, because others need it or the pictures are complete.
    private mutating func pauseKeyPictures() {
        keyPictures?.pause()
        keyPictureWork.giveBack()
    }

    mutating func takeDecoder() -> Bool {
        yieldDecoders()
        return seat?.take() ?? true
    }

    /// Takes the decoder for work ahead of time, without waiting for it.
    private mutating func takesAhead() -> Bool {
        yieldDecoders()
        return seat?.takeAhead() ?? true
    }

    mutating func restDecoder() {
        yieldDecoders()
        seat?.rest()
    }

    mutating func close() {
        closeDecoders()
        seat?.leave()
    }

    /// Gives the decoders back if others are waiting for them. Unfinished work starts over with the next one.
    private mutating func yieldDecoders() {
        if seat?.isWantedBack == true { closeDecoders() }
    }

    private mutating func leaveRequests() {
        if let request { engine.leave(request) }
        if let onTheWay { engine.leave(onTheWay) }
        (request, onTheWay) = (nil, nil)
    }

    private mutating func closeDecoders() {
        leaveRequests()
        passes?.leave()
        pauseKeyPictures()
        engine.closeDecoders()
        seat?.giveBack()
    }

    mutating func noteMemoryNews() {
        engine.giveSpareMemory()
        passes?.noteMemoryNews()
        if keyPictureWork.isWanted { pauseKeyPictures() }
    }

    var decoded: Int { (request ?? onTheWay)?.decoded ?? 0 }
}
