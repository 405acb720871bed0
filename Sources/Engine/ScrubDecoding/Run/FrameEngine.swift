internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// The engine that determines a frame's exact picture, with as little decoding as possible.
///
/// It is a scheduler of ``GroupRun``, which decodes. ``SeekPlanner`` plans, ``FrameCache`` caches pictures,
/// ``RequestPolicy`` chooses the pictures that a request decodes beyond its frame, and ``Prefetcher`` predicts the next
/// ones. Use from one thread at a time.
///
/// Memory: the cache's bytes, the pool's decoders with their reference pictures, and one packet for each.
package final class FrameEngine {
    package struct Answer: Sendable {
        package let judged: JudgedPicture
        /// The number of coded pictures given to a decoder for this answer; 0 from the cache. Answers from one run
        /// share its count: each has the pictures fed since the previous answer.
        package let decoded: Int
        package let plan: DecodePlan

        package var picture: Int { judged.number }
        /// The picture; `nil` if it is undecodable.
        package var frame: SharedFrame? { judged.frame }
        package var verdict: Verdict { judged.verdict }
    }

    package struct Step: Sendable {
        package enum Outcome: Sendable {
            case more
            /// The request is complete.
            case answer(Answer)
            /// There was no memory for a picture, so the frame's state is unknown. The request ended.
            case starved
        }

        package let outcome: Outcome
        /// The exact pictures shown as frames that were output during the step, including the answer's.
        package var pictures: [JudgedPicture] = []
    }

    package struct Options: Sendable, Hashable {
        /// The number of decoders that stay open.
        package var decoderLimit = 4
        /// The bytes of decoded pictures that are cached, apart from the decoders' own.
        package var cacheByteLimit = ByteBudget.defaultLimit
        /// The number of threads that decode at the same time.
        package var threadCount = 1
        /// Whether a decoder keeps its position even after the first request in a group. This costs two or three more
        /// pictures for that request, and avoids restarting for a movement that begins with it.
        package var expectsMovement = false
        /// Whether prefetching also prepares the frames around a frame at rest, in both directions.
        package var preparesAtRest = false
        /// Whether the engine is for a single batch. The memory of pictures is then returned to the system only with
        /// the engine, and the batch does not wait until its decoders are closed (``FrameEngine/settle()``).
        package var isForOneBatch = false
        /// Whether pictures of a batch that are not clean are examined again from further back. This is not worthwhile
        /// for pictures that are only examined.
        package var hasSecondOpinions = true
        /// Whether memory is used for movements only: if requests jump around, one decoder and a few pictures are kept.
        package var isFrugal = false

        package init() {}
    }

    package let planner: SeekPlanner
    package let options: Options
    let policy: RequestPolicy
    /// The open decoders and packets, for all runs on the engine's thread.
    var resources: GroupResources
    /// The cached pictures. Another thread may access the cache while this one decodes.
    package let cache: Locked<FrameCache>
    var prefetcher: Prefetcher
    /// The number of coded pictures given to decoders so far, for requests and ahead of them; not those of batches.
    package internal(set) var decodedCount = 0
    /// Whether the last request was abandoned before its frame was answered, because the movement is faster than the
    /// decoder.
    var wasLeft = false
    /// Whether the last step made no progress because its bytes are not available yet.
    package internal(set) var isHeldUp = false
    /// The course of the finger, for a remote file.
    var course = ReadMotion()
    /// The first pictures of groups that a fast finger has just passed.
    var trail: [Range<Int64>] = []
    /// The threads of the last batch that are still closing their decoders.
    var ending: [DedicatedThread] = []

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - budget: the budget member for which the engine's pictures count. It should evict pictures of `cache`.
    ///   - decoders: a counter of the decoders beyond the first; `nil` to leave them uncounted.
    package init(
        _ planner: SeekPlanner, options: Options, budget: BudgetMember? = nil,
        cache: Locked<FrameCache>? = nil, decoders: (any AdditionalDecoders)? = nil
    ) {
        (self.planner, self.options) = (planner, options)
        planner.leavesGaps = !options.expectsMovement
        policy = RequestPolicy(planner: planner, options: options)
        prefetcher = Prefetcher(preparesAtRest: options.preparesAtRest)
        var pool = OpenDecoderPool(
            index: planner.index, limit: options.decoderLimit, threadCount: options.threadCount,
            keepsBuffers: options.isForOneBatch, isFrugal: options.isFrugal, budget: budget)
        if let budget, options.decoderLimit > 1 {
            pool.spare = AdditionalWorkMemory(
                budget, pieceByteCount: FrameEngine.workingByteCount(planner.index, threadCount: options.threadCount),
                decoders: decoders)
        }
        resources = GroupResources(planner, pool, isTight: budget != nil)
        self.cache = cache ?? Locked(FrameCache(byteLimit: options.cacheByteLimit, isFrugal: options.isFrugal))
    }

    deinit { settle() }

    /// Waits until the last batch's decoders are closed.
    package func settle() {
        for thread in ending { thread.join() }
        ending = []
    }

    /// Closes all decoders that are not in use for a request. They are reopened when needed.
    package func closeDecoders() {
        leavePrefetch()
        resources.closeDecoders()
    }

    var index: FrameIndex { planner.index }
    /// Returns whether a coded picture is in the cache.
    func isKept(_ picture: Int) -> Bool { cache.withLock { $0[picture] != nil } }
    package var allocator: FrameAllocator { resources.pool.allocator }

    /// Returns whether a picture is already kept outside the cache. If this is set, the whole group around the playhead
    /// is prefetched.
    package var isKeptElsewhere: ((Int) -> Bool)? {
        get { prefetcher.isKeptElsewhere }
        set { prefetcher.isKeptElsewhere = newValue }
    }

    /// Returns key pictures spread over the whole video, from a separate decoder, in the same memory.
    package func keyPictureStrip(count: Int) -> KeyframeStrip {
        KeyframeStrip(planner: planner, count: count, settings: resources.pool.forWorkers())
    }

    /// Notes a requested frame, so that the cache and prefetching follow it.
    ///
    /// - Returns: its plan, as far as it is known without waiting.
    @discardableResult
    package func note(frame number: Int) -> DecodePlan {
        let plan = planner.promptPlan(forFrame: number)
        let hint = prefetcher.note(frame: number, restart: plan.restart)
        cache.withLock { $0.look(at: index.ranks[plan.target], isScattered: hint.isScattered) }
        if planner.file.isRemote { announce(number, plan) }
        return plan
    }

    /// Returns the exact frame with the given number.
    ///
    /// - Throws: `inputOutput` if reading fails, `unavailable` if there is no memory for a picture;
    ///   ``ScrubError/cancelled`` between two packets if the work on this thread is cancelled.
    package func frame(_ number: Int) throws(ScrubError) -> Answer {
        let request = try start(frame: number)
        while true {
            if Cancellation.isCurrentCancelled {
                leave(request)
                throw .cancelled
            }
            switch try step(request).outcome {
            case .more: continue
            case .answer(let answer): return answer
            case .starved: throw FrameEngine.noMemory
            }
        }
    }

    static var noMemory: ScrubError {
        ScrubError(
            .unavailable, "there is not enough memory to decode a picture",
            advice: "release pictures that the program still holds, or allow more memory")
    }

    /// Caches the pictures of a step that are shown as frames.
    ///
    /// - Returns: those that are exact.
    func keep(_ pictures: [JudgedPicture], of run: GroupRun) -> [JudgedPicture] {
        let presented = pictures.filter { index.isPresented($0.number) }
        let first = firstWorthKeeping
        for picture in presented {
            let rank = index.ranks[picture.number]
            if rank < first, run.work?.targets.contains(picture.number) != true { continue }
            var kept = picture
            if let frame = picture.frame, !run.usesAllocator {
                // A decoder's own pool never shrinks. Without memory for a copy, the picture is simply not cached.
                guard !isKept(picture.number), let copy = try? allocator.copy(of: frame.frame) else { continue }
                kept = JudgedPicture(number: picture.number, frame: SharedFrame(copy), verdict: picture.verdict)
            }
            cache.withLock { $0.insert(kept, rank: rank) }
        }
        return presented.filter { $0.isExact && $0.frame != nil }
    }

    /// The first position in display order that a backward movement reaches before the cache evicts its picture.
    /// Earlier ones would only use additional memory.
    private var firstWorthKeeping: Int32 {
        guard options.preparesAtRest, let (frame, hint) = prefetcher.movement, hint.motion == .backward,
            hint.isLasting
        else { return .min }
        let room = max(cacheCapacity / 2, FrameEngine.leastKept)
        return index.ranks[Int(index.frames[max(0, frame - room)])]
    }

    /// The number of frames before a backward movement that are always kept.
    private static let leastKept = 64
}

extension FrameEngine {
    /// Returns the maximum number of bytes that a decoder may need, including the pictures in transit from it. This
    /// much must be available besides a cache.
    package static func workingByteCount(_ index: FrameIndex, threadCount: Int) -> Int {
        // What the format holds, one in progress per thread, and two in transit.
        let (pictures, isMany) = (index.heldPictureLimit + 2).addingReportingOverflow(max(1, threadCount))
        guard !isMany else { return .max }
        let (bytes, overflow) = pictures.multipliedReportingOverflow(by: index.pictureBufferByteCount)
        return overflow ? .max : bytes
    }
}
