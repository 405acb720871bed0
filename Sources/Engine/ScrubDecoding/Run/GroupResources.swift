internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// The resources of one thread's runs: plans, open decoders and packets, and the findings of earlier runs.
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

    /// Begins a run for pictures that are planned from one restart, at least one. It decodes nothing beyond them, and
    /// drains the decoder at its end.
    ///
    /// - Parameter feeds: the packets for all of them together, if known.
    /// - Throws: if a decoder cannot be opened, or the file contradicts itself in the group.
    mutating func run(
        _ asked: [DecodePlan], _ options: GroupRun.Options = .init(), feeds: FeedPlan? = nil
    ) throws(ScrubError) -> GroupRun {
        let (planner, targets) = (planner, asked.map(\.target))
        return try run(asked, options) { _ in
            GroupRun.Work(
                plan: feeds ?? planner.feedPlan(GroupResources.last(of: asked), targets: targets), targets: targets,
                isDrained: true)
        }
    }

    /// Begins a run for pictures, at least one, that are planned from one restart. Its stage is the one they need: the
    /// proof of their restart, the careful way after trouble on the fast one, or the fast way.
    ///
    /// - Parameter work: returns the work of the fast way, given the open decoders. It is called for that way alone.
    /// - Throws: if a decoder cannot be opened, or the file contradicts itself in the group, and the errors of `work`.
    mutating func run(
        _ asked: [DecodePlan], _ options: GroupRun.Options,
        work: (OpenDecoderPool) throws(ScrubError) -> GroupRun.Work
    ) throws(ScrubError) -> GroupRun {
        for plan in asked { try checkGroup(of: plan) }
        let last = GroupResources.last(of: asked)
        if let claim = planner.unprovenRestarts(of: last).first { return GroupRun(proving: claim, for: last, &self) }
        if troubled.contains(last.restart) { return GroupRun(carefully: asked, options: options, &self) }
        return try GroupRun(try work(pool), asked: asked, options: options, &self)
    }

    /// Has a plan's group decoded the careful way if its order contradicts its times, or if the fast way cannot see
    /// which of its pictures a linear decode takes for damaged.
    ///
    /// - Throws: as ``SeekPlanner/contradictsOrder(_:)``.
    mutating func checkGroup(of plan: DecodePlan) throws(ScrubError) {
        if try planner.contradictsOrder(plan) || planner.beginsUnsettled(plan) { troubled.insert(plan.restart) }
    }

    static func last(of asked: [DecodePlan]) -> DecodePlan {
        guard let last = asked.max(by: { $0.last < $1.last }) else { preconditionFailure("a run is for some pictures") }
        return last
    }

    /// Takes the decoder that reaches a work's targets with the least to do, with the packets to feed for them.
    mutating func takeDecoder(for work: GroupRun.Work) throws(ScrubError) -> (OpenDecoder, feeds: [Feed]) {
        pool.learn(from: &reader)
        return try pool.take(for: work.plan, targets: work.targets)
    }

    /// Closes the pool's decoders, and a comparison's.
    mutating func closeDecoders() {
        pool.clear()
        prover = nil
    }

    /// Closes the pool's decoders if memory does not allow another one beside them.
    mutating func makeRoom() {
        if isTight { pool.clear() }
    }
}
