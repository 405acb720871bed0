internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// What the runs of one thread take from: plans, open decoders and packets, and what earlier runs found out.
///
/// Use from one thread at a time. Memory: the pool's decoders with their reference pictures, and a packet.
struct GroupResources: ~Copyable {
    let planner: SeekPlanner
    var pool: OpenDecoderPool
    var reader: PacketReader
    /// Restarts from which the fast way met trouble: the careful way is taken there at once.
    var troubled: Set<Int>
    /// A comparison that was left. It goes on when its restart is wanted again.
    var prover: RestartProver?
    /// Whether memory is for one decoder alone: the pool's are closed before another one is opened beside them.
    let isTight: Bool

    init(_ planner: SeekPlanner, _ pool: OpenDecoderPool, isTight: Bool = false, troubled: Set<Int> = []) {
        (self.planner, self.pool, self.isTight, self.troubled) = (planner, pool, isTight, troubled)
        reader = PacketReader(file: planner.file, index: planner.index)
    }

    var index: FrameIndex { planner.index }

    /// Where decoding of a plan's picture has to begin.
    func firstStage(of plan: DecodePlan) -> GroupRun.FirstStage {
        if let claim = planner.unprovenRestarts(of: plan).first { return .proof(claim) }
        return troubled.contains(plan.restart) ? .careful : .fast
    }

    /// Begins a run for pictures that are planned from one restart, at least one: it decodes nothing beyond them, and
    /// drains the decoder at its end.
    ///
    /// - Parameter feeds: what they take together, where that is known.
    /// - Throws: when a decoder cannot be opened, or the file contradicts itself in the group.
    mutating func run(
        _ asked: [DecodePlan], _ options: GroupRun.Options = .init(), feeds: FeedPlan? = nil
    ) throws(ScrubError) -> GroupRun {
        for plan in asked { try planner.checkOrder(of: plan) }
        guard let last = asked.max(by: { $0.last < $1.last }) else { preconditionFailure("a run is for some pictures") }
        switch firstStage(of: last) {
        case .proof(let claim): return GroupRun(proving: claim, for: last, &self)
        case .careful: return GroupRun(carefully: asked, options: options, &self)
        case .fast:
            let targets = asked.map(\.target)
            let work = GroupRun.Work(
                plan: feeds ?? planner.feedPlan(last, targets: targets), targets: targets, isDrained: true)
            return try GroupRun(work, asked: asked, options: options, &self)
        }
    }

    /// The decoder that reaches a work's targets with the least to do, and what it is fed for them.
    mutating func takeDecoder(for work: GroupRun.Work) throws(ScrubError) -> (OpenDecoder, feeds: [Feed]) {
        pool.learn(from: &reader)
        return try pool.take(for: work.plan, targets: work.targets)
    }

    /// Closes the pool's decoders, and a comparison's.
    mutating func closeDecoders() {
        pool.clear()
        prover = nil
    }

    /// Closes the pool's decoders where there is no memory for another one beside them.
    mutating func makeRoom() {
        if isTight { pool.clear() }
    }
}
