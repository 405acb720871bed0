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
    private let thread: TurnThread
    /// Ends what is read ahead; `nil` for local bytes.
    private let turns: TurnCancellation?
    private let share: GeneratorShare?
    /// What rows have decoded; `nil` for a worker without rows.
    private let rowFrames: RowFrames?

    /// Starts nothing yet.
    ///
    /// - Parameter rowByteLimit: the most bytes of a row's pictures; `nil` for no rows.
    /// - Throws: `unavailable` when the resources have no room for one more that decodes.
    init(
        _ asset: VideoAsset, options: FrameReader.Options, isFrugal: Bool = false, rowByteLimit: Int? = nil,
        resources: PlaybackResources? = nil
    ) throws(ScrubError) {
        self.asset = asset
        var settings = options.engine
        (settings.expectsMovement, settings.isFrugal) = (true, isFrugal)
        turns = asset.file.isRemote ? TurnCancellation() : nil
        // With decoders that others may want it rests as long as it has one: it must be there to close it.
        let thread = TurnThread(turns: turns, longestRest: resources == nil ? TurnThread.patience : nil)
        self.thread = thread
        let share = try resources.map { (resources) throws(ScrubError) in
            try GeneratorShare(resources, asset, options) { [weak thread] in thread?.ring() }
        }
        self.share = share
        let engine = share?.engine(asset, settings) ?? FrameEngine(asset.seekPlanner(), options: settings)
        (cache, allocator) = (engine.cache, engine.allocator)
        rowFrames = rowByteLimit.map { RowFrames(asset, byteLimit: $0) }
        thread.give(FrameWorkerLoop(queue, engine, asset, share, rowFrames))
    }

    // Releasing the last reference does not wait for a picture under way.
    deinit { thread.close() }

    /// Returns the answer, if it already exists.
    ///
    /// - Throws: `unavailable` when callers hold too many pictures for another one.
    func kept(_ frame: Int, requestedTime: Rational) throws(ScrubError) -> FrameAnswer? {
        if let found = rowFrames?.take(frame) {
            queue.withLock { $0.previous = frame }
            thread.ring()
            return found
        }
        let picture = Int(asset.index.frames[frame])
        guard let kept = cache.withLock({ $0[picture] }) else { return nil }
        queue.withLock { ($0.seen, $0.previous) = (frame, frame) }
        thread.ring()
        return try FrameAnswer(kept: kept, frame, asset, requestedTime: requestedTime).handedOut(by: share?.loans)
    }

    /// Asks; the request is answered from the thread, or by its own ``Request/cancel()``. It fails with `inputOutput`
    /// when the system has no thread left.
    func submit(_ request: Request) {
        if share != nil { request.onCancel { [thread] in thread.ring() } }
        let isAnswering = queue.withLock { queue in
            queue.requests.append(request)
            return queue.isAnswering
        }
        // What is read ahead is left.
        if !isAnswering { turns?.cancel() }
        thread.ring()
    }

    var memory: PictureMemory { PictureMemory(allocator, cache, beside: rowFrames?.allocator) }
}
