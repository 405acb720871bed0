internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// Answers which picture a frame is, exactly, with as little decoding as that takes.
///
/// A scheduler of ``GroupRun``, which decodes. ``SeekPlanner`` plans, ``FrameCache`` keeps pictures, ``RequestPolicy``
/// chooses the pictures that a request decodes beyond its frame, and ``Prefetcher`` guesses the next ones. Use from one
/// thread at a time.
///
/// Memory: the cache's bytes, the pool's decoders with their reference pictures, and one packet for each.
package final class FrameEngine {
    package struct Answer: Sendable {
        package let judged: JudgedPicture
        /// Coded pictures given to a decoder for this answer; 0 from the cache. Answers that came from one run share
        /// its count: each has the pictures fed since the answer before it.
        package let decoded: Int
        package let plan: DecodePlan

        package var picture: Int { judged.number }
        /// `nil` when it is undecodable.
        package var frame: SharedFrame? { judged.frame }
        package var verdict: Verdict { judged.verdict }
    }

    package struct Step: Sendable {
        package enum Outcome: Sendable {
            case more
            /// The request is over.
            case answer(Answer)
            /// There was no memory for a picture: nothing is known of the frame. The request is over.
            case starved
        }

        package let outcome: Outcome
        /// Exact pictures that are shown as frames and came out during the step, the answer's among them.
        package var pictures: [JudgedPicture] = []
    }

    package struct Options: Sendable, Hashable {
        /// Decoders that stay open.
        package var decoderLimit = 4
        /// Bytes of decoded pictures that are kept, apart from the decoders' own.
        package var cacheByteLimit = ByteBudget.defaultLimit
        /// Threads that decode at the same time.
        package var threadCount = 1
        /// Whether a decoder keeps its place also after the first request in a group. That costs two or three pictures
        /// more for that request, and saves the whole way for a movement that begins with it.
        package var expectsMovement = false
        /// Whether prefetching also prepares the frames around a frame at rest, both ways.
        package var preparesAtRest = false
        /// Whether the engine is for one batch. The memory of pictures goes back to the system only with it, and the
        /// batch does not wait until its decoders are closed (``FrameEngine/settle()``).
        package var isForOneBatch = false
        /// Whether pictures of a batch that are not clean are examined again from further back. Pictures that are only
        /// looked at are not worth the way from the stream's beginning.
        package var hasSecondOpinions = true
        /// Whether memory is spent on movements alone: where requests jump about, one decoder and few pictures are
        /// kept.
        package var isFrugal = false

        package init() {}
    }

    package let planner: SeekPlanner
    package let options: Options
    let policy: RequestPolicy
    /// Open decoders and packets, for all runs on the engine's thread.
    var resources: GroupResources
    /// Pictures that may be wanted again; another thread may look into it while this one decodes.
    package let cache: Locked<FrameCache>
    var prefetcher: Prefetcher
    /// Coded pictures given to decoders so far, for requests and ahead of them; not those of batches.
    package internal(set) var decodedCount = 0
    /// Whether the last request was left before its frame was answered: the movement is faster than the decoder.
    var wasLeft = false
    /// Whether the last step came no further because the bytes that it wanted are not there yet.
    package internal(set) var isHeldUp = false
    /// The course of the finger, for a remote file.
    var course = ReadCourse()
    /// First pictures of groups that a fast finger has just passed.
    var trail: [Range<Int64>] = []
    /// Threads of the last batch that only close their decoders yet.
    var ending: [DedicatedThread] = []

    /// - Parameters:
    ///   - budget: the member of a budget that the engine's pictures count for. It should evict pictures of `cache`.
    ///   - decoders: a counter of the decoders beside the first one; `nil` to leave them uncounted.
    package init(
        _ planner: SeekPlanner, options: Options, budget: BudgetMember? = nil,
        cache: Locked<FrameCache>? = nil, decoders: (any SpareDecoders)? = nil
    ) {
        (self.planner, self.options) = (planner, options)
        planner.leavesGaps = !options.expectsMovement
        policy = RequestPolicy(planner: planner, options: options)
        prefetcher = Prefetcher(preparesAtRest: options.preparesAtRest)
        var pool = OpenDecoderPool(
            index: planner.index, limit: options.decoderLimit, threadCount: options.threadCount,
            keepsBuffers: options.isForOneBatch, isFrugal: options.isFrugal, budget: budget)
        if let budget, options.decoderLimit > 1 {
            pool.spare = SpareWork(
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

    /// Closes all decoders that are not at work for a request; they are opened again when they are needed.
    package func closeDecoders() {
        leavePrefetch()
        resources.closeDecoders()
    }

    var index: FrameIndex { planner.index }
    /// Whether a coded picture is in the cache.
    func isKept(_ picture: Int) -> Bool { cache.withLock { $0[picture] != nil } }
    package var allocator: FrameAllocator { resources.pool.allocator }

    /// The whole group around the playhead is prefetched when this is there: says which pictures are kept already,
    /// outside of the cache.
    package var isKeptElsewhere: ((Int) -> Bool)? {
        get { prefetcher.isKeptElsewhere }
        set { prefetcher.isKeptElsewhere = newValue }
    }

    /// Returns key pictures over the whole film, from a decoder apart, in the same memory.
    package func keyPictureStrip(count: Int) -> KeyPictureStrip {
        KeyPictureStrip(planner: planner, count: count, settings: resources.pool.forWorkers())
    }

    /// Notes that a frame is looked at, so that the cache and the prefetching follow.
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

    /// Returns the exact frame with a number.
    ///
    /// - Throws: `inputOutput` if reading fails, `unavailable` if there is no memory for a picture;
    ///   ``ScrubError/cancelled`` between two packets when the work on this thread is cancelled.
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
            .unavailable, "there is no memory to decode a picture in",
            advice: "release pictures that are held, or allow more memory")
    }

    /// Keeps the pictures of a step that are shown as frames.
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
                // A decoder's own pool never shrinks. Without memory for a copy the picture is not kept, and that is
                // all.
                guard !isKept(picture.number), let copy = try? allocator.copy(of: frame.frame) else { continue }
                kept = JudgedPicture(number: picture.number, frame: SharedFrame(copy), verdict: picture.verdict)
            }
            cache.withLock { $0.insert(kept, rank: rank) }
        }
        return presented.filter { $0.isExact && $0.frame != nil }
    }

    /// The first place in display order that a movement back comes to before the cache lets its picture go: those
    /// before it, on the way to the movement, would only take fresh memory.
    private var firstWorthKeeping: Int32 {
        guard options.preparesAtRest, let (frame, hint) = prefetcher.movement, hint.motion == .backward,
            hint.isLasting
        else { return .min }
        let room = max(cacheCapacity / 2, FrameEngine.leastKept)
        return index.ranks[Int(index.frames[max(0, frame - room)])]
    }

    /// Frames before a movement back that are kept in any case.
    private static let leastKept = 64
}

extension FrameEngine {
    /// Returns the most bytes that a decoder may need for itself, and the pictures on their way out of it: so much has
    /// to be there beside a cache.
    package static func workingByteCount(_ index: FrameIndex, threadCount: Int) -> Int {
        // What the format holds, one in work for each thread, and two on their way.
        let (pictures, isMany) = (index.heldPictureLimit + 2).addingReportingOverflow(max(1, threadCount))
        guard !isMany else { return .max }
        let (bytes, overflow) = pictures.multipliedReportingOverflow(by: index.pictureBufferByteCount)
        return overflow ? .max : bytes
    }
}
