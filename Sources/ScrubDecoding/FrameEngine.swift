internal import FileIO
package import LibAV
package import ScrubBase
package import ScrubIndex

/// Answers which picture a frame is, exactly, with as little decoding as that takes.
///
/// Policy only: ``SeekPlanner`` plans, ``DecodeTask`` decodes, ``DecoderPool`` keeps decoders and ``FrameCache`` pictures,
/// ``Prefetcher`` says what may be wanted next. Use from one thread at a time.
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

        package init() {}
    }

    /// Where frames are decoded from.
    package let planner: SeekPlanner
    let options: Options
    private let policy: RequestPolicy
    var reader: PacketReader
    /// Whether there is room for the decoders of one way only.
    private let isBudgeted: Bool
    var pool: DecoderPool
    /// Pictures that may be wanted again; another thread may look into it while this one decodes.
    package let cache: Locked<FrameCache>
    private var prefetcher: Prefetcher
    /// Told of every picture that comes out clean and has a frame number; on the engine's thread.
    package var watcher: ((Int, SharedFrame) -> Void)?
    /// Restarts from which the fast way met trouble: there the careful way is taken at once.
    var troubled: Set<Int> = []
    /// A comparison that was left, to go on with when its restart is wanted again.
    private var prover: RestartProver?

    /// - Parameters:
    ///   - budget: what the engine's pictures take out of, and as which of its owners; the owner's relief should let
    ///     pictures of `cache` go.
    package init(
        _ planner: SeekPlanner, options: Options, budget: (bytes: ByteBudget, owner: Int)? = nil,
        cache: Locked<FrameCache>? = nil
    ) {
        (self.planner, self.options) = (planner, options)
        policy = RequestPolicy(planner: planner, options: options)
        prefetcher = Prefetcher(preparesAtRest: options.preparesAtRest)
        reader = PacketReader(file: planner.file, index: planner.index)
        pool = DecoderPool(
            index: planner.index, limit: options.decoderLimit, threadCount: options.threadCount, budget: budget)
        isBudgeted = budget != nil
        self.cache = cache ?? Locked(FrameCache(byteLimit: options.cacheByteLimit))
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
        let plan = planner.plan(forFrame: number)
        cache.withLock { $0.look(at: index.ranks[plan.target]) }
        return (plan, prefetcher.note(frame: number, restart: plan.restart))
    }

    /// The exact frame with a number.
    ///
    /// - Throws: `inputOutput` when reading fails, `unavailable` when there is no memory for a picture.
    package func frame(_ number: Int) throws(ScrubError) -> Answer {
        let task = try start(frame: number)
        while true {
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

    /// Begins to look for a frame; nothing is decoded yet.
    ///
    /// - Throws: when the work's decoder cannot be opened.
    package func start(frame number: Int) throws(ScrubError) -> DecodeTask {
        let (plan, hint) = note(frame: number)
        let isKept = cache.withLock { $0[plan.target] != nil }
        if !isKept, let task = prefetcher.adopt(plan.target) {
            (task.frame, task.plan, task.hint, task.isOnwardDecided) = (number, plan, hint, false)
            return task
        }
        let task = DecodeTask(.left, plan: plan, frame: number)
        task.hint = hint
        try begin(task)
        return task
    }

    /// Chooses the way to a task's frame: where it is decoded from may have changed since it was started.
    private func begin(_ task: DecodeTask) throws(ScrubError) {
        guard let frame = task.frame, let hint = task.hint else { return }
        let plan = planner.plan(forFrame: frame)
        task.plan = plan
        if let kept = cache.withLock({ $0[plan.target] }) {
            task.state = .kept(kept)
        } else if let claim = planner.unprovenRestarts(of: plan).first {
            makeRoom()
            if prover?.restart != claim {
                prover = RestartProver(claim, planner: planner, allocator: pool.allocator)
            }
            if let prover { task.state = .proving(prover) }
        } else if troubled.contains(plan.restart) {
            beginCarefully(task)
        } else {
            let around = surroundings
            let isRetreat = hint.motion == .backward && hint.isSteady
            let window = isRetreat ? prefetcher.window(before: frame, plan, hint, around) : []
            leavePrefetch()
            let choices = policy.choices(plan, hint, window: window)
            let best = choices.first { pool.canGoOn($0.plan, targets: $0.targets) } ?? choices[0]
            let (decoder, feeds) = try take(best)
            task.begin(best, decoder: decoder, feeds: feeds)
        }
    }

    private func take(_ work: DecodeTask.Work) throws(ScrubError) -> (OpenDecoder, [Feed]) {
        pool.settings.x264Build = reader.encoderBuild()
        return try pool.take(for: work.plan, targets: work.targets)
    }

    /// Lets go of what stands in the way of a decoder beside the pool's, where memory is for those alone.
    private func makeRoom() {
        guard isBudgeted else { return }
        leavePrefetch()
        pool.clear()
    }

    private func beginCarefully(_ task: DecodeTask) {
        makeRoom()
        task.begin(CarefulDecoder([task.plan], planner: planner, allocator: pool.allocator))
    }

    /// Brings a task on by about one packet.
    ///
    /// - Throws: `inputOutput` when reading fails; the task is over then.
    package func step(_ task: DecodeTask) throws(ScrubError) -> Step {
        do throws(ScrubError) {
            switch task.state {
            case .kept(let picture): return finish(task, picture)
            case .fast: return try stepFast(task)
            case .careful(let careful): return try step(task, careful)
            case .proving(let prover): return try step(task, prover)
            case .starved: return .starved
            case .finished, .left: preconditionFailure("a task that is over has no steps")
            }
        } catch {
            leave(task)
            throw error
        }
    }

    private func finish(_ task: DecodeTask, _ picture: JudgedPicture) -> Step {
        let decoded = task.decoded
        task.state = .finished
        return .answer(
            Answer(
                picture: task.plan.target, frame: picture.frame, verdict: planner.rated(picture.verdict, task.plan),
                decoded: decoded, plan: task.plan))
    }

    private func stepFast(_ task: DecodeTask) throws(ScrubError) -> Step {
        guard let decoder = task.decoder, let hint = task.hint else { preconditionFailure("a request has a decoder") }
        if task.isFed, decoder.restart != nil, !task.isOnwardDecided {
            let isWorthKeeping = policy.isWorthKeeping(decoder, after: task.plan, hint)
            task.feedOnward(isWorthKeeping ? policy.feedsOnward(of: decoder, task.plan, hint) : [])
        }
        let hasEnded = decoder.restart == nil
        var found: JudgedPicture?
        for picture in try task.stepFast(reader: &reader) {
            let judged = JudgedPicture(frame: picture.frame, verdict: .exact)
            if picture.number == task.plan.target { found = judged }
            keep(judged, of: picture.number, usesAllocator: decoder.usesAllocator)
        }
        if decoder.findings.isStarved { return try starve(task) }
        if let found, decoder.isClean {
            planner.noteSound(task.work)
            let step = finish(task, found)
            // What is left of the work, other frames of a window, is done while nobody waits.
            if task.isOver { _ = task.takeDecoder().map { pool.put($0) } } else { prefetchOn(task) }
            return step
        }
        guard decoder.isClean, !hasEnded else {
            // The fast way met trouble: its decoder is let go, and the careful way has the word.
            troubled.insert(task.plan.restart)
            beginCarefully(task)
            return .more
        }
        return .more
    }

    /// A task whose frame was answered goes on for those that were not asked for.
    private func prefetchOn(_ task: DecodeTask) {
        (task.frame, task.state) = (nil, .fast)
        prefetcher.task = task
    }

    private func step(_ task: DecodeTask, _ careful: CarefulDecoder) throws(ScrubError) -> Step {
        var found: JudgedPicture?
        for (number, picture) in try careful.step(reader: &reader) {
            if number == task.plan.target { found = picture }
            keep(picture, of: number, usesAllocator: careful.usesAllocator)
        }
        if let found { return finish(task, found) }
        if careful.isStarved { return try starve(task) }
        precondition(!careful.isOver, "every wanted picture is answered")
        return .more
    }

    private func step(_ task: DecodeTask, _ prover: RestartProver) throws(ScrubError) -> Step {
        let isDecided = try prover.step(reader: &reader)
        if prover.isStarved { return try starve(task) }
        if isDecided {
            planner.record(prover)
            self.prover = nil
            task.endProof()
            try begin(task)
        }
        return .more
    }

    private func starve(_ task: DecodeTask) throws(ScrubError) -> Step {
        _ = task.takeDecoder()
        makeRoom()
        // A stream that holds more than its parameter sets say finds room with one thread where it did not with several.
        if isBudgeted, pool.settings.threadCount > 1 {
            pool.settings.threadCount = 1
            try begin(task)
            return .more
        }
        task.state = .starved
        return .starved
    }

    /// Leaves a task that nobody waits for any more; its decoder stays where it stands.
    package func leave(_ task: DecodeTask) {
        if let decoder = task.takeDecoder(), decoder.isClean { pool.put(decoder) }
        task.state = .left
    }

    private func keep(_ judged: JudgedPicture, of picture: Int, usesAllocator: Bool) {
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

// Prefetching: done packet by packet while nobody waits, and left at once when somebody asks for something else.
extension FrameEngine {
    private var surroundings: Prefetcher.Surroundings {
        let room = cache.withLock { $0.byteLimit } / 2 / max(1, pool.frameByteCount)
        return Prefetcher.Surroundings(
            planner: planner, pool: pool, room: room,
            isKept: { [cache] in
                let picture = $0
                return cache.withLock { $0[picture] != nil }
            }, troubled: troubled)
    }

    /// Does a little of what the present movement will ask for next: about one packet.
    ///
    /// - Returns: whether there is more to do.
    package func prefetch() throws(ScrubError) -> Bool {
        if prefetcher.task == nil, let work = prefetcher.nextWork(surroundings) {
            let (decoder, feeds) = try take(work)
            prefetcher.task = DecodeTask(work, decoder: decoder, feeds: feeds)
        }
        guard let task = prefetcher.task, let decoder = task.decoder else { return false }
        if !task.isOver {
            for picture in try task.stepFast(reader: &reader) {
                let judged = JudgedPicture(frame: picture.frame, verdict: .exact)
                keep(judged, of: picture.number, usesAllocator: decoder.usesAllocator)
            }
        }
        guard task.isOver else { return true }
        _ = prefetcher.finish()?.takeDecoder()
        if decoder.isClean {
            pool.put(decoder)
        } else if !decoder.findings.isStarved {
            troubled.insert(task.plan.restart)
        }
        return !decoder.findings.isStarved
    }

    /// Stops prefetching; its decoder stays where it stands.
    func leavePrefetch() {
        if let decoder = prefetcher.leave()?.takeDecoder(), decoder.isClean { pool.put(decoder) }
    }
}

extension FrameEngine {
    /// The most bytes that an engine's decoders may need for themselves, and the pictures on their way out of it: so
    /// much has to be there beside a cache.
    package static func workingByteCount(_ index: FrameIndex, _ options: Options) -> Int {
        // What the format holds, one in work for each thread, and two on their way.
        let (decoder, isMany) = (index.heldPictureLimit + 2).addingReportingOverflow(max(1, options.threadCount))
        guard !isMany else { return .max }
        let (pictures, overflow) = options.decoderLimit.multipliedReportingOverflow(by: decoder)
        let (bytes, isTooMuch) = pictures.multipliedReportingOverflow(by: index.pictureBufferByteCount)
        return overflow || isTooMuch ? .max : bytes
    }
}
