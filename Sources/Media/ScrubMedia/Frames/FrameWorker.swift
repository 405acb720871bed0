internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// An engine with its own thread. It answers requests in order and, between requests, decodes the frames that the
/// movement is likely to request next. Optionally, frames that are requested in sequence come from a linear decode
/// (``LinearFrameDecoder``).
///
/// With shared resources, it decodes while it holds a lease for a decoder, and returns the lease if others are waiting.
///
/// Thread safety: safe from any thread; no call blocks. Memory: that of the engine.
final class FrameWorker: Sendable {
    struct Queue {
        var requests: [Request] = []
        /// A frame that the caller already has, so that prefetching follows it.
        var seen: Int?
        /// The most recently requested frame.
        var previous: Int?
        /// Whether a request is waiting for the engine's current work.
        var isAnswering = false

        /// Records the requested frame.
        ///
        /// - Returns: the previously requested frame.
        mutating func note(_ frame: Int) -> Int? {
            defer { previous = frame }
            return previous
        }
    }

    let asset: VideoAsset
    let cache: Locked<FrameCache>
    let allocator: FrameAllocator
    private let queue = Locked(Queue())
    private let thread: StepWorkerThread
    /// Cancels reading ahead; `nil` for local bytes.
    private let turns: StepCancellation?
    private let share: GeneratorResources?
    /// The frames decoded by rows; `nil` for a worker without rows.
    private let rowFrames: LinearFrameBuffer?

    /// Creates a worker. It does not start a thread yet.
    ///
    /// - Parameter rowByteLimit: the maximum number of bytes of a row's pictures; `nil` for no rows.
    /// - Throws: `unavailable` if the resources have no room for another decoding member.
    init(
        _ asset: VideoAsset, options: FrameReader.Options, isFrugal: Bool = false, rowByteLimit: Int? = nil,
        resources: DecodingResources? = nil
    ) throws(ScrubError) {
        self.asset = asset
        var settings = options.engine
        (settings.expectsMovement, settings.isFrugal) = (true, isFrugal)
        turns = asset.file.isRemote ? StepCancellation() : nil
        // If others may need its decoders, the thread stays alive while it holds one, because no other thread can close
        // the decoder.
        let thread = StepWorkerThread(turns: turns, longestRest: resources == nil ? StepWorkerThread.patience : nil)
        self.thread = thread
        let share = try resources.map { (resources) throws(ScrubError) in
            try GeneratorResources(resources, asset, options) { [weak thread] in thread?.ring() }
        }
        self.share = share
        let engine = share?.engine(asset, settings) ?? FrameEngine(asset.seekPlanner(), options: settings)
        (cache, allocator) = (engine.cache, engine.allocator)
        rowFrames = rowByteLimit.map { LinearFrameBuffer(asset, byteLimit: $0) }
        thread.give(FrameWorkerLoop(queue, engine, asset, share, rowFrames))
    }

    /// Ends the thread after its turn, and waits until it has given its resources back.
    func leave() {
        thread.close()
        thread.join()
    }

    // Releasing the last reference does not wait for a picture in progress.
    deinit { thread.close() }

    /// Returns the answer if it is already available.
    ///
    /// - Throws: `unavailable` if callers hold too many pictures for another one.
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

    /// Submits a request. It is answered on the thread, or by its own ``Request/cancel()``. It fails with `inputOutput`
    /// if the system cannot create a thread.
    func submit(_ request: Request) {
        if share != nil { request.onCancel { [thread] in thread.ring() } }
        let isAnswering = queue.withLock { queue in
            queue.requests.append(request)
            return queue.isAnswering
        }
        // Reading ahead is abandoned.
        if !isAnswering { turns?.cancel() }
        thread.ring()
    }

    var memory: PictureMemory { PictureMemory(allocator, cache, beside: rowFrames?.allocator) }
}
