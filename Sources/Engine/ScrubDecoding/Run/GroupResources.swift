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
    /// Restarts at which the fast path had errors. The careful path is used there at once.
    var troubled: Set<Int>
    /// A suspended comparison. It resumes when its restart is needed again.
    var prover: RestartProver?
    /// Whether memory allows only one decoder: the pool's are closed before another one is opened.
    let isTight: Bool

    init(_ planner: SeekPlanner, _ pool: OpenDecoderPool, isTight: Bool = false, troubled: Set<Int> = []) {
        (self.planner, self.pool, self.isTight, self.troubled) = (planner, pool, isTight, troubled)
        reader = PacketReader(file: planner.file, index: planner.index)
    }

    var index: FrameIndex { planner.index }

    /// Begins a run for at least one picture, all planned from one restart. It decodes nothing beyond them, and drains
    /// the decoder at its end.
    ///
    /// - Parameter feeds: the packets for all of them together, if known.
    /// - Throws: an error if a decoder cannot be opened, or if the file contradicts itself in the group.
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

    /// Begins a run for at least one picture, all planned from one restart. It starts at the required stage: the proof
    /// of their restart, the careful path after errors on the fast one, or the fast path.
    ///
    /// - Parameter work: returns the work of the fast path, given the open decoders. It is called for that path only.
    /// - Throws: an error if a decoder cannot be opened, or if the file contradicts itself in the group, and the errors
    ///   of `work`.
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

    /// Marks a plan's group for the careful path if its order contradicts its times, or if the fast path cannot detect
    /// which of its pictures a linear decode considers damaged.
    ///
    /// - Throws: the errors of ``SeekPlanner/contradictsOrder(_:)``.
    mutating func checkGroup(of plan: DecodePlan) throws(ScrubError) {
        if try planner.contradictsOrder(plan) || planner.beginsUnsettled(plan) { troubled.insert(plan.restart) }
    }

    static func last(of asked: [DecodePlan]) -> DecodePlan {
        guard let last = asked.max(by: { $0.last < $1.last }) else { preconditionFailure("a run needs a picture") }
        return last
    }

    /// Takes the decoder that reaches the targets of some work with the least effort, with the packets to feed for
    /// them.
    mutating func takeDecoder(for work: GroupRun.Work) throws(ScrubError) -> (OpenDecoder, feeds: [Feed]) {
        pool.learn(from: &reader)
        return try pool.take(for: work.plan, targets: work.targets)
    }

    /// Closes the pool's decoders, and a comparison's.
    mutating func closeDecoders() {
        pool.clear()
        prover = nil
    }

    /// Closes the pool's decoders if memory does not allow another one.
    mutating func makeRoom() {
        if isTight { pool.clear() }
    }
}
