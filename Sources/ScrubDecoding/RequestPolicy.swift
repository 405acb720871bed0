internal import FileIO
internal import ScrubIndex

/// What a request decodes beyond its target, so that the movement it belongs to goes on cheaply. Pure, but for headers.
struct RequestPolicy {
    let planner: SeekPlanner
    let options: FrameEngine.Options

    private var index: FrameIndex { planner.index }

    /// Frames that a finger moves to and fro while it moves one way.
    private static let jitter = 12

    /// What is done for a request: of all that may be, from the most to its target alone, the first that a decoder can go
    /// on with from where it stands. What lies before the target is only prefetched, and that is no reason to begin the
    /// group anew.
    ///
    /// - Parameters:
    ///   - window: pictures that a backward movement asks for next.
    ///   - isBehind: whether the request before was left unanswered.
    ///   - canGoOn: asked until it is true; each work costs a look through its group.
    func work(
        for plan: DecodePlan, _ hint: AccessPattern.Hint, window: [Int], isBehind: Bool,
        canGoOn: (DecodeTask.Work) -> Bool
    ) -> DecodeTask.Work {
        var (references, near) = references(before: plan, hint)
        // A decoder that lags behind a finger that goes straight on has no time for what is on the way.
        if isBehind, hint.motion == .forward, hint.length >= RequestPolicy.jitter { near = [] }
        var choices = [(window, references + near)]
        if !window.isEmpty { choices.append(([], references + near)) }
        if !near.isEmpty { choices.append(([], references)) }
        if !references.isEmpty { choices.append(([], [])) }
        var most: DecodeTask.Work?
        for (window, others) in choices {
            let targets = window + [plan.target]
            let work = DecodeTask.Work(
                plan: planner.feedPlan(plan, targets: targets + others), targets: targets,
                isDrained: !window.isEmpty && isRetreat(hint))
            if choices.count == 1 || canGoOn(work) { return work }
            most = most ?? work
        }
        guard let most else { preconditionFailure("there is always a choice") }
        return most
    }

    /// What a movement needs beyond its target: a decoder that skipped a reference cannot go on to the next frame, and
    /// would begin anew with every step of the finger. Fingers jitter, so what shows shortly before is wanted too.
    private func references(
        before plan: DecodePlan, _ hint: AccessPattern.Hint
    ) -> (references: [Int], near: [Int]) {
        guard options.preparesAtRest, hint.motion != .jump, let table = planner.table(for: plan, through: plan.last),
            !table.hasSlots
        else { return ([], []) }
        let rank = index.ranks[plan.target]
        let reach = hint.step <= RequestPolicy.jitter ? rank - Int32(RequestPolicy.jitter)..<rank : 0..<0
        let before = plan.restart..<plan.target
        return (
            before.filter { table.units(of: $0).contains { table.traits[$0].contains(.reference) } },
            before.filter { reach.contains(index.ranks[$0]) }
        )
    }

    /// Whether it pays to bring the target out by feeding on instead of draining the decoder.
    ///
    /// Feeding on costs a few pictures, draining costs the decoder's place in the group. A place is worth keeping when
    /// requests come back to the group, or move forward in it, and enough of the group is left.
    func isWorthKeeping(_ decoder: OpenDecoder, after plan: DecodePlan, _ hint: AccessPattern.Hint) -> Bool {
        guard hint.isRevisit || options.expectsMovement, !isRetreat(hint) else { return false }
        let end = index.nextRestart(after: plan.last) ?? index.pictures.count
        return end - plan.last > 4 * (index.reorderDelay + decoder.threadDelay + 1)
    }

    /// Whether a movement goes back, and is not only the jitter of a finger.
    func isRetreat(_ hint: AccessPattern.Hint) -> Bool {
        hint.motion == .backward && (hint.length >= 3 || !options.expectsMovement)
    }

    /// What is fed after the target so that it comes out without a drain, and the decoder can go on: the next pictures
    /// in decode order, before the next restart.
    func feedsOnward(of decoder: OpenDecoder, _ plan: DecodePlan, _ hint: AccessPattern.Hint) -> [Feed] {
        guard let fed = decoder.fed else { return [] }
        let first = fed.position + 1
        // The pictures that come out before the target come first: those of its own small group, which may be as long as
        // encoders make them. Feeding ends as soon as the target is out.
        let most = 12 + index.reorderDelay + decoder.threadDelay
        var end = min(index.pictures.count, first + 2 * most)
        if let next = index.nextRestart(after: fed.position) { end = min(end, next) }
        guard first < end else { return [] }
        guard let table = planner.graph.table(from: plan.restart, through: end - 1) else {
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
            .flatMap { fed.rest(of: $0, targets: targets, in: table) } ?? []
    }
}
