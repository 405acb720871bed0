internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// An engine on a thread of its own. It answers requests one after the other, and between them decodes the frames that
/// the movement will ask for next. If it is made so, frames that are asked for one after the other come from a linear
/// decode (``FrameRow``).
///
/// With shared resources it decodes while it has a lease for a decoder, and gives that back when others wait.
///
/// Thread safety: safe from any thread; nothing here blocks. Memory: the engine's.
final class FrameWorker: Sendable {
    struct Queue {
        var requests: [Request] = []
        /// A frame that its asker already has, so that the prefetching follows.
        var seen: Int?
        /// The frame that was asked for last.
        var previous: Int?
        /// Whether a request waits for the engine's present work.
        var isAnswering = false

        /// Records the requested frame.
        ///
        /// - Returns: the one that was requested before it.
        mutating func note(_ frame: Int) -> Int? {
            defer { previous = frame }
            return previous
        }
    }

    let asset: VideoAsset
    let cache: Locked<FrameCache>
    let allocator: FrameAllocator
    private let queue = Locked(Queue())
    private let bell = WorkBell()
    /// Ends what is read ahead; `nil` for local bytes.
    private let turns: TurnCancellation?
    private let share: GeneratorShare?
    /// What rows have decoded; `nil` for a worker without rows.
    private let rowFrames: RowFrames?

    /// Starts the thread; nothing is decoded yet.
    ///
    /// - Parameter rowByteLimit: the most bytes of a row's pictures; `nil` for no rows.
    /// - Throws: `inputOutput` when the system has no thread left, `unavailable` when the resources have no room for
    ///   one more that decodes.
    init(
        _ asset: VideoAsset, options: FrameReader.Options, isFrugal: Bool = false, rowByteLimit: Int? = nil,
        resources: PlaybackResources? = nil
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
        let rowFrames = rowByteLimit.map { RowFrames(asset, byteLimit: $0) }
        self.rowFrames = rowFrames
        // The thread ends by itself: releasing the last reference must not wait for a picture under way.
        try DedicatedThread {
            let loop = FrameWorkerLoop(queue, engine.value, asset, share, rowFrames)
            TurnLoop.run(bell: bell, turns) { loop.turn() }
            loop.end()
        }.detach()
    }

    deinit {
        bell.close()
        turns?.cancel()
    }

    /// Returns the answer, if it already exists.
    ///
    /// - Throws: `unavailable` when callers hold too many pictures for another one.
    func kept(_ frame: Int, requestedTime: Rational) throws(ScrubError) -> FrameAnswer? {
        if let found = rowFrames?.take(frame) {
            queue.withLock { $0.previous = frame }
            bell.ring()
            return found
        }
        let picture = Int(asset.index.frames[frame])
        guard let kept = cache.withLock({ $0[picture] }) else { return nil }
        queue.withLock { ($0.seen, $0.previous) = (frame, frame) }
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

    /// The present and the greatest memory of its pictures.
    var memory: PictureMemory { PictureMemory(allocator, cache, beside: rowFrames?.allocator) }
}
