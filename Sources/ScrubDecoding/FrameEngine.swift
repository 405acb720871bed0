internal import Bitstream
package import FileIO
package import LibAV
package import ScrubBase
package import ScrubIndex

/// Answers which picture a frame is, exactly, with as little decoding as that takes.
///
/// Policy only. Plans are made by ``DecodePlanner`` and ``ReferenceClosure``, decoding is done by the pool's decoders,
/// and whatever is not clean is decided by the careful ``FrameDecoder``. Use from one thread at a time.
///
/// Memory: the cache's bytes, the pool's decoders with their reference pictures, and one packet for each.
package final class FrameEngine {
    /// One answer.
    package struct Answer: Sendable {
        /// The coded picture.
        package var picture: Int
        /// Its planes; nothing when it is undecodable.
        package var frame: SharedFrame?
        package var verdict: Verdict
        /// Coded pictures given to a decoder for this answer; 0 from the cache. Answers that came from one run share
        /// its count: each has the pictures fed since the answer before it.
        package var decoded: Int
        package var plan: DecodePlan
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
        /// Whether work in advance also prepares what lies around a frame at rest, both ways.
        package var preparesAtRest = false

        package init() {}
    }

    let file: FileSource
    let index: FrameIndex
    let options: Options
    let graph: DependencyGraph
    private let planner: DecodePlanner
    var reader: PacketReader
    private var inspector = RestartInspector()
    var careful: FrameDecoder
    /// Whether there is room for the decoders of one way only.
    private let isBudgeted: Bool
    var pool: DecoderPool
    /// Pictures that may be wanted again; another thread may look into it while this one decodes.
    package let cache: Locked<FrameCache>
    private var pattern = AccessPattern()
    /// Told of every picture that comes out and has a frame number; on the engine's thread.
    package var watcher: ((Int, SharedFrame) -> Void)?
    /// The last request and what it looked like.
    private(set) var movement: (frame: Int, hint: AccessPattern.Hint)?
    /// Restarts from which the fast way met trouble: there the careful way is taken at once.
    var troubled: Set<Int> = []
    /// Work in advance that nobody asked for yet.
    var ahead: DecodeJob?
    /// The whole group around the playhead is decoded ahead when this is there: says which pictures are kept already,
    /// outside of the cache.
    package var isKeptElsewhere: ((Int) -> Bool)?
    /// The group whose pictures all came out, or are under way.
    var group: (restart: Int, isDone: Bool)?
    /// The key pictures that are still to be decoded.
    var strip: StripWork?
    /// Pieces of work in advance since the last request. Pictures that the cache cannot hold would be made again and
    /// again without a limit.
    var worksInAdvance = 0

    /// - Parameter budget: what the engine's pictures take out of, and as which of its owners; the owner's relief
    ///   should let pictures of `cache` go.
    package init(
        file: FileSource, index: FrameIndex, graph: DependencyGraph, options: Options,
        budget: (bytes: ByteBudget, owner: Int)? = nil, cache: Locked<FrameCache>? = nil
    ) {
        self.file = file
        self.index = index
        self.options = options
        self.graph = graph
        planner = DecodePlanner(index)
        reader = PacketReader(file: file, index: index)
        pool = DecoderPool(
            index: index, limit: options.decoderLimit, threadCount: options.threadCount, budget: budget)
        isBudgeted = budget != nil
        careful = FrameDecoder(file: file, index: index, allocator: budget == nil ? nil : pool.allocator)
        self.cache = cache ?? Locked(FrameCache(byteLimit: options.cacheByteLimit))
    }

    /// The careful way to a frame.
    func carefulAnswer(_ number: Int) throws(ScrubError) -> Answer {
        if isBudgeted {
            leaveWorkInAdvance()
            pool.clear()
        }
        defer { if isBudgeted { careful.close() } }
        var found: Answer?
        try careful.decode(frames: [number]) { (_, answer) throws(ScrubError) in found = answer }
        guard let found else { preconditionFailure("every frame that exists is answered") }
        return found
    }

    /// The most bytes that an engine's decoders may need for themselves, and the pictures on their way out of it: so
    /// much has to be there beside a cache.
    package static func workingByteCount(_ index: FrameIndex, _ options: Options) -> Int {
        // What the format holds and the picture in work, one for each thread, two on their way.
        let held = index.facts.descriptions.map(\.decodedPictureLimit).max() ?? 16
        let pictures = options.decoderLimit * (held + 1 + options.threadCount + 2) + 4
        return pictures * DecoderPool.allottedBytes(index.facts.descriptions[0])
    }

    /// Where pictures are put.
    package var allocator: FrameAllocator { pool.allocator }

    /// What a cold answer for a frame takes, without decoding it. May read the headers of pictures.
    package func plan(forFrame frame: Int) -> FeedPlan {
        let plan = restartPlan(forFrame: frame)
        return feedPlan(plan, targets: [plan.target])
    }

    /// How many pictures a cold answer for a frame takes, and how many it leaves out. May read the headers of pictures.
    package func cost(ofFrame frame: Int) -> (fed: Int, skipped: Int, restart: Int) {
        let plan = restartPlan(forFrame: frame)
        let table = mayLeaveOut(plan) ? graph.table(from: plan.restart, through: plan.last) : nil
        // Counting, where that is all there is to know: a list of what is fed takes as long as the way from the restart.
        guard let table else { return (plan.feed, 0, plan.restart) }
        if let cost = table.cost(of: plan.target, through: plan.last, from: plan.restart) {
            return (cost.fed, cost.skipped, plan.restart)
        }
        let feeds = feedPlan(plan, targets: [plan.target])
        return (feeds.fed, feeds.skipped, plan.restart)
    }

    /// A gradual restart is whole only after everything up to its recovery was decoded.
    private func mayLeaveOut(_ plan: DecodePlan) -> Bool {
        plan.start == .restart(.instantaneous) || plan.start == .restart(.open)
    }

    func restartPlan(forFrame frame: Int) -> DecodePlan {
        planner.plan(
            forPicture: Int(index.frames[frame]), isReference: { inspector.isReference($0, reader: reader) },
            access: { inspector.access(of: $0, in: index, reader: reader) })
    }

    /// - Parameter targets: coded pictures that all are planned from `plan`'s restart.
    func feedPlan(_ plan: DecodePlan, targets: [Int]) -> FeedPlan {
        var complete = targets
        for target in targets where index.hasSecondField(target) { complete.append(target + 1) }
        let last = max(plan.last, complete.max() ?? plan.last)
        let table = mayLeaveOut(plan) ? graph.table(from: plan.restart, through: last) : nil
        return FeedPlan(plan, targets: complete, last: last, table: table)
    }

    /// Takes down that somebody looks at a frame, so that the cache and the work in advance follow.
    @discardableResult
    package func note(frame number: Int) -> (DecodePlan, AccessPattern.Hint) {
        let plan = restartPlan(forFrame: number)
        let hint = pattern.note(frame: number, restart: plan.restart)
        movement = (number, hint)
        worksInAdvance = 0
        cache.withLock { $0.look(at: index.ranks[plan.target]) }
        return (plan, hint)
    }

    /// The exact frame with a number.
    package func frame(_ number: Int) throws(ScrubError) -> Answer {
        let search = try start(frame: number)
        while true {
            if let answer = try step(search) { return answer }
        }
    }

    /// Whether it pays to bring the target out by feeding on instead of draining the decoder.
    ///
    /// Feeding on costs a few pictures, draining costs the decoder's place in the group. A place is worth keeping when
    /// requests come back to the group, or move forward in it, and enough of the group is left.
    func isWorthKeeping(_ decoder: WarmDecoder, after plan: DecodePlan, _ hint: AccessPattern.Hint) -> Bool {
        guard hint.isRevisit || options.expectsMovement, !isRetreat(hint) else { return false }
        let end = index.nextRestart(after: plan.last) ?? index.pictures.count
        return end - plan.last > 4 * (index.reorderDelay + decoder.threadDelay + 1)
    }

    /// Whether a movement goes back, and not only a finger that trembles.
    private func isRetreat(_ hint: AccessPattern.Hint) -> Bool {
        hint.motion == .backward && (hint.length >= 3 || !options.expectsMovement)
    }

    func makeJob(
        _ number: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint
    ) throws(ScrubError) -> DecodeJob {
        let window = hint.motion == .backward && hint.isSteady ? self.window(before: number, plan, hint) : []
        let (references, near) = references(before: plan, hint)
        leaveWorkInAdvance()
        // What lies before the target is a luxury: a decoder on its way to the target may have left it out, and that is no
        // reason to begin the group anew.
        var choices = [(window, references + near)]
        if !window.isEmpty { choices.append(([], references + near)) }
        if !near.isEmpty { choices.append(([], references)) }
        if !references.isEmpty { choices.append(([], [])) }
        var richest: DecodeJob.Work?
        for (window, others) in choices {
            let targets = window + [plan.target]
            let work = DecodeJob.Work(
                plan: feedPlan(plan, targets: targets + others), targets: targets,
                isDrained: !window.isEmpty && isRetreat(hint))
            if choices.count == 1 || pool.canGoOn(work.plan, targets: targets) { return try startJob(work) }
            richest = richest ?? work
        }
        guard let richest else { preconditionFailure("there is always a choice") }
        return try startJob(richest)
    }

    /// What a movement needs beyond its target: a decoder that skipped a reference cannot go on to the next frame, and
    /// would begin anew with every step of the finger. Fingers tremble, so what shows shortly before is wanted too.
    private func references(before plan: DecodePlan, _ hint: AccessPattern.Hint) -> (references: [Int], near: [Int]) {
        guard options.preparesAtRest, hint.motion != .jump, mayLeaveOut(plan),
            let table = graph.table(from: plan.restart, through: plan.last), !table.hasSlots
        else { return ([], []) }
        let rank = index.ranks[plan.target]
        let reach = hint.step <= FrameEngine.tremble ? rank - Int32(FrameEngine.tremble)..<rank : 0..<0
        let before = plan.restart..<plan.target
        return (
            before.filter { table.units(of: $0).contains { table.traits[$0].contains(.reference) } },
            before.filter { reach.contains(index.ranks[$0]) }
        )
    }

    /// Frames that a finger moves to and fro while it moves one way.
    private static let tremble = 12

    /// Takes a decoder for a plan's work.
    func startJob(_ work: DecodeJob.Work) throws(ScrubError) -> DecodeJob {
        leaveWorkInAdvance()
        pool.settings.x264Build = reader.encoderBuild()
        let (decoder, feeds) = try pool.take(for: work.plan, targets: work.targets)
        return DecodeJob(work, decoder: decoder, feeds: feeds)
    }

    func keep(_ frame: SharedFrame, of picture: Int, from decoder: WarmDecoder) {
        guard index.isPresented(picture) else { return }
        watcher?(picture, frame)
        let rank = index.ranks[picture]
        guard !decoder.usesAllocator else {
            cache.withLock { $0.insert(frame, picture: picture, rank: rank) }
            return
        }
        // A decoder's own pool never shrinks. Without memory for a copy the picture is not kept, and that is all.
        guard !cache.withLock({ $0[picture] != nil }), let copy = try? pool.allocator.copy(of: frame.frame) else {
            return
        }
        let kept = SharedFrame(copy)
        cache.withLock { $0.insert(kept, picture: picture, rank: rank) }
    }

    /// What is fed after the target so that it comes out without a drain, and the decoder can go on: the next
    /// pictures in decode order, before the next restart.
    func feedsOnward(of decoder: WarmDecoder, _ plan: DecodePlan, _ hint: AccessPattern.Hint) -> [Feed] {
        let first = decoder.position + 1
        // The pictures that come out before the target come first: those of its own small group, which may be as long as
        // encoders make them. Feeding ends as soon as the target is out.
        let most = 12 + index.reorderDelay + decoder.threadDelay
        var end = min(index.pictures.count, first + 2 * most)
        if let next = index.nextRestart(after: decoder.position) { end = min(end, next) }
        guard first < end else { return [] }
        guard let table = graph.table(from: plan.restart, through: end - 1) else {
            return (first..<min(end, first + most)).map { Feed(picture: $0) }
        }
        // In a movement nothing is left out, so that a slower one finds the frames too; else what later frames need.
        let isMoving = hint.motion == .forward || options.expectsMovement
        let wanted =
            isMoving
            ? Array(first..<min(end, first + most))
            : (first..<end).filter { picture in
                table.units(of: picture).contains { table.traits[$0].contains(.reference) }
            }
        // Only what finds all its references in the decoder: others were left out on the way here.
        let targets = Array(wanted.prefix(most))
        decoder.learn(table)
        return ReferenceClosure.feeds(for: targets, from: plan.restart, in: table)
            .flatMap { decoder.rest(of: $0, targets: targets, in: table) } ?? []
    }
}
