internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// Answers which picture a frame is, exactly, with as little decoding as that takes.
///
/// Policy only: ``SeekPlanner`` plans, ``DecodeTask`` decodes, ``OpenDecoderPool`` keeps decoders and ``FrameCache``
/// pictures, ``Prefetcher`` says what may be wanted next. Use from one thread at a time.
///
/// Memory: the cache's bytes, the pool's decoders with their reference pictures, and one packet for each.
package final class FrameEngine {
    /// One answer.
    package struct Answer: Sendable {
        /// The coded picture.
        package var picture: Int
        /// Its planes; `nil` when it is undecodable.
        package var frame: SharedFrame?
        package var verdict: Verdict
        /// Coded pictures given to a decoder for this answer; 0 from the cache. Answers that came from one run share
        /// its count: each has the pictures fed since the answer before it.
        package var decoded: Int
        package var plan: DecodePlan
    }

    /// What became of a step.
    package enum Step: Sendable {
        case more
        /// The task is over.
        case answer(Answer)
        /// There was no memory for a picture: nothing is known of the frame. The task is over.
        case starved
    }

    /// What an engine may use.
    package struct Options: Sendable, Hashable {
        /// Decoders that stay open.
        package var decoderLimit = 4
        /// Bytes of decoded pictures that are kept, apart from the decoders' own.
        package var cacheByteLimit = 256 << 20
        /// Threads that decode at the same time.
        package var threadCount = 1
        /// Whether a decoder keeps its place also after the first request in a group: two or three pictures more for
        /// that one, the whole way less for a movement that begins with it.
        package var expectsMovement = false
        /// Whether prefetching also prepares what lies around a frame at rest, both ways.
        package var preparesAtRest = false
        /// Whether the engine is for one batch: the memory of pictures goes back to the system only with it, and the
        /// batch does not wait until its decoders are closed (``FrameEngine/settle()``).
        package var isForOneBatch = false
        /// Whether pictures of a batch that are not clean are looked at again from further back: what is only looked at
        /// is not worth the way from the stream's beginning.
        package var hasSecondOpinions = true

        package init() {}
    }

    /// Where frames are decoded from.
    package let planner: SeekPlanner
    let options: Options
    let policy: RequestPolicy
    var reader: PacketReader
    /// Whether there is room for the decoders of one way only.
    let isBudgeted: Bool
    var pool: OpenDecoderPool
    /// Pictures that may be wanted again; another thread may look into it while this one decodes.
    package let cache: Locked<FrameCache>
    var prefetcher: Prefetcher
    /// Told of every picture that comes out clean and has a frame number; on the engine's thread.
    package var watcher: ((Int, SharedFrame) -> Void)?
    /// Restarts from which the fast way met trouble: there the careful way is taken at once.
    var troubled: Set<Int> = []
    /// A comparison that was left, to go on with when its restart is wanted again.
    var prover: RestartProver?
    /// Whether the last task was left before its frame was answered: the movement is faster than the decoder.
    var wasLeft = false
    /// Whether the last step came no further because the bytes that it wanted are not there yet.
    package internal(set) var isHeldUp = false
    /// Where the finger goes, for a file that is far away.
    var course = ReadCourse()
    /// First pictures of groups that a fast finger has just passed.
    var trail: [Range<Int64>] = []
    /// Threads of the last batch that only close their decoders yet.
    var ending: [DedicatedThread] = []

    /// - Parameters:
    ///   - budget: what the engine's pictures take out of, and as which of its owners; the owner's relief should let
    ///     pictures of `cache` go.
    package init(
        _ planner: SeekPlanner, options: Options, budget: (bytes: ByteBudget, owner: Int)? = nil,
        cache: Locked<FrameCache>? = nil
    ) {
        (self.planner, self.options) = (planner, options)
        planner.leavesGaps = !options.expectsMovement
        policy = RequestPolicy(planner: planner, options: options)
        prefetcher = Prefetcher(preparesAtRest: options.preparesAtRest)
        reader = PacketReader(file: planner.file, index: planner.index)
        pool = OpenDecoderPool(
            index: planner.index, limit: options.decoderLimit, threadCount: options.threadCount,
            keepsBuffers: options.isForOneBatch, budget: budget)
        isBudgeted = budget != nil
        if let budget, options.decoderLimit > 1 {
            pool.spare = SpareWork(
                budget.bytes, owner: budget.owner,
                pieceByteCount: FrameEngine.workingByteCount(planner.index, threadCount: options.threadCount))
        }
        self.cache = cache ?? Locked(FrameCache(byteLimit: options.cacheByteLimit))
    }

    deinit { settle() }

    /// Waits until the last batch's decoders are closed.
    package func settle() {
        for thread in ending { thread.join() }
        ending = []
    }

    var index: FrameIndex { planner.index }
    /// Where pictures are put.
    package var allocator: FrameAllocator { pool.allocator }

    /// The whole group around the playhead is prefetched when this is there: says which pictures are kept already,
    /// outside of the cache.
    package var isKeptElsewhere: ((Int) -> Bool)? {
        get { prefetcher.isKeptElsewhere }
        set { prefetcher.isKeptElsewhere = newValue }
    }

    /// Key pictures over the whole film, from a decoder apart, in the same memory.
    package func keyPictureStrip(count: Int) -> KeyPictureStrip {
        KeyPictureStrip(planner: planner, count: count, settings: pool.forWorkers())
    }

    /// Takes down that somebody looks at a frame, so that the cache and the prefetching follow.
    @discardableResult
    package func note(frame number: Int) -> (DecodePlan, AccessPattern.Hint) {
        // Where a look at a header may take long, what it would say is guessed.
        let isRemote = planner.file.isRemote
        let plan = isRemote ? planner.guess(forPicture: Int(index.frames[number])) : planner.plan(forFrame: number)
        cache.withLock { $0.look(at: index.ranks[plan.target]) }
        let hint = prefetcher.note(frame: number, restart: plan.restart)
        if isRemote { announce(number, plan) }
        return (plan, hint)
    }

    /// The exact frame with a number.
    ///
    /// - Throws: `inputOutput` when reading fails, `unavailable` when there is no memory for a picture.
    package func frame(_ number: Int) throws(ScrubError) -> Answer {
        guard let answer = try frame(number, isCancelled: WorkCancellation.onThisThread) else {
            throw FrameEngine.nobodyListens
        }
        return answer
    }

    /// As ``frame(_:)``, left between two packets when nobody wants it any more.
    ///
    /// - Returns: nil when it was left.
    package func frame(_ number: Int, isCancelled: () -> Bool) throws(ScrubError) -> Answer? {
        interruption?.lower()
        let task = try start(frame: number)
        while true {
            interruption?.lower()
            if isCancelled() {
                leave(task)
                return nil
            }
            switch try step(task) {
            case .more: continue
            case .answer(let answer): return answer
            case .starved: throw FrameEngine.noMemory
            }
        }
    }

    static var noMemory: ScrubError {
        ScrubError(
            .unavailable, "there is no memory to decode a picture in",
            advice: "let go of pictures that are held, or give more")
    }

    func keep(_ judged: JudgedPicture, of picture: Int, usesAllocator: Bool) {
        guard index.isPresented(picture) else { return }
        if judged.isExact, let frame = judged.frame { watcher?(picture, frame) }
        let rank = index.ranks[picture]
        guard let frame = judged.frame, !usesAllocator else {
            cache.withLock { $0.insert(judged, picture: picture, rank: rank) }
            return
        }
        // A decoder's own pool never shrinks. Without memory for a copy the picture is not kept, and that is all.
        guard !cache.withLock({ $0[picture] != nil }), let copy = try? pool.allocator.copy(of: frame.frame) else {
            return
        }
        let kept = JudgedPicture(frame: SharedFrame(copy), verdict: judged.verdict)
        cache.withLock { $0.insert(kept, picture: picture, rank: rank) }
    }
}

extension FrameEngine {
    /// The most bytes that a decoder may need for itself, and the pictures on their way out of it: so much has to be
    /// there beside a cache.
    package static func workingByteCount(_ index: FrameIndex, threadCount: Int) -> Int {
        // What the format holds, one in work for each thread, and two on their way.
        let (pictures, isMany) = (index.heldPictureLimit + 2).addingReportingOverflow(max(1, threadCount))
        guard !isMany else { return .max }
        let (bytes, overflow) = pictures.multipliedReportingOverflow(by: index.pictureBufferByteCount)
        return overflow ? .max : bytes
    }
}
