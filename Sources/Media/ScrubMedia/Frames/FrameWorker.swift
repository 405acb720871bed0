internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// An engine on a thread of its own. It answers requests one after the other, and between them decodes the frames that
/// the movement will ask for next.
///
/// With shared resources it decodes while it has a lease for a decoder, and gives that back when others wait.
///
/// Thread safety: safe from any thread; nothing here blocks. Memory: the engine's.
final class FrameWorker: Sendable {
    private struct Queue {
        var requests: [Request] = []
        /// A frame that its asker already has, so that the prefetching follows.
        var seen: Int?
        /// Whether a request waits for the engine's present work.
        var isAnswering = false
    }

    let asset: VideoAsset
    let cache: Locked<FrameCache>
    let allocator: FrameAllocator
    private let queue = Locked(Queue())
    private let bell = WorkBell()
    /// Ends what is read ahead; `nil` for local bytes.
    private let turns: TurnCancellation?
    private let share: GeneratorShare?

    /// Starts the thread; nothing is decoded yet.
    ///
    /// - Throws: `inputOutput` when the system has no thread left, `unavailable` when the resources have no room for
    ///   one
    ///   more that decodes.
    init(
        _ asset: VideoAsset, options: FrameReader.Options, isFrugal: Bool = false, resources: PlaybackResources? = nil
    ) throws(ScrubError) {
        self.asset = asset
        var settings = options.engine
        (settings.expectsMovement, settings.isFrugal) = (true, isFrugal)
        let share = try resources.map { [bell] (resources) throws(ScrubError) in
            try GeneratorShare(resources, asset, options) { bell.ring() }
        }
        self.share = share
        let engine = Unshared(
            share?.engine(asset, settings) ?? FrameEngine(asset.seekPlanner(), options: settings))
        cache = engine.value.cache
        allocator = engine.value.allocator
        let turns = asset.file.isRemote ? TurnCancellation() : nil
        self.turns = turns
        let (queue, bell) = (queue, bell)
        // The thread ends by itself: releasing the last reference must not wait for a picture under way.
        try DedicatedThread { FrameWorker.serve(queue, bell, turns, engine.value, asset, share) }.detach()
    }

    deinit {
        bell.close()
        turns?.cancel()
    }

    /// Returns the answer, if it already exists.
    ///
    /// - Throws: `unavailable` when callers hold too many pictures for another one.
    func kept(_ frame: Int, requestedTime: Rational) throws(ScrubError) -> FrameAnswer? {
        let picture = Int(asset.index.frames[frame])
        guard let kept = cache.withLock({ $0[picture] }) else { return nil }
        queue.withLock { $0.seen = frame }
        bell.ring()
        return try FrameAnswer(kept: kept, frame, asset, requestedTime: requestedTime).handedOut(by: share?.loans)
    }

    /// Asks; the request is answered from the thread, or by its own ``Request/cancel()``.
    func submit(_ request: Request) {
        if share != nil { request.onCancel { [bell] in bell.ring() } }
        let isAnswering = queue.withLock { queue in
            queue.requests.append(request)
            return queue.isAnswering
        }
        // What is read ahead is left.
        if !isAnswering { turns?.cancel() }
        bell.ring()
    }

    private static func serve(
        _ queue: Locked<Queue>, _ bell: WorkBell, _ turns: TurnCancellation?, _ engine: FrameEngine,
        _ asset: VideoAsset,
        _ share: GeneratorShare?
    ) {
        var chooser = ToleranceChooser(asset, engine.planner)
        var canPrefetch = false
        // No request waits for ever, whatever was released first.
        defer {
            for request in queue.withLock({ $0.requests }) { request.cancel() }
            if let share {
                engine.closeDecoders()
                share.leave()
            }
        }
        TurnLoop.run(bell: bell, turns) {
            share?.yield(engine)
            let hasRequests = queue.withLock { queue in
                if share != nil { queue.requests.removeAll(where: \.isOver) }
                return !queue.requests.isEmpty
            }
            // The bell rings when there is a decoder.
            if hasRequests, let share, !share.seat.take() { return .rest(atMost: nil) }
            let (request, seen) = queue.withLock { queue -> (Request?, Int?) in
                defer { queue.seen = nil }
                queue.isAnswering = !queue.requests.isEmpty
                return (queue.requests.isEmpty ? nil : queue.requests.removeFirst(), queue.seen)
            }
            if let seen { engine.note(frame: seen) }
            if let request {
                answer(request, engine, &chooser, asset, share)
                share?.seat.noteProgress()
                canPrefetch = true
                return .turn
            }
            guard canPrefetch || seen != nil else {
                share?.seat.rest()
                return .rest(atMost: nil)
            }
            // What is decoded ahead waits for no decoder.
            if let share, !share.seat.takeAhead() { return .rest(atMost: nil) }
            // Trouble ahead is trouble only when the frame is asked for.
            canPrefetch = (try? engine.prefetch())?.isWorthMore ?? false
            return .turn
        }
    }

    private static func answer(
        _ request: Request, _ engine: FrameEngine, _ chooser: inout ToleranceChooser, _ asset: VideoAsset,
        _ share: GeneratorShare?
    ) {
        guard let work = request.work else { return }
        do throws(ScrubError) {
            try request.cancellation.perform { () throws(ScrubError) in
                switch work {
                case .frame(let frame, let time, let tolerance, _):
                    let cache = engine.cache
                    let number = chooser.frame(for: frame, at: time, tolerance) { frame in
                        let picture = Int(asset.index.frames[frame])
                        return cache.withLock { $0[picture] != nil }
                    }
                    let found = FrameAnswer(
                        number, try engine.frame(number), asset, requestedFrame: frame, requestedTime: time)
                    request.answer(try found.handedOut(by: share?.loans))
                case .frames(let numbers, let take, _):
                    try engine.frames(numbers) { (number, answer) throws(ScrubError) in
                        guard take(try FrameAnswer(number, answer, asset).handedOut(by: share?.loans)) else {
                            throw .cancelled
                        }
                    }
                    request.end()
                }
            }
        } catch {
            // A cancelled one was answered when it was cancelled.
            request.fail(error.inFile(asset.path))
        }
    }
}
