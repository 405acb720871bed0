internal import ScrubFileIO
internal import ScrubIndex

/// The pictures that a request decodes beyond its target, so that the movement it belongs to goes on cheaply. Pure,
/// except for headers.
struct RequestPolicy {
    let planner: SeekPlanner
    let options: FrameEngine.Options

    private var index: FrameIndex { planner.index }

    /// Frames that a finger moves to and fro while it moves one way.
    private static let jitter = 12

    /// Returns the work for a request. Of all possible ones, from the most to its target alone, it is the first that a
    /// decoder can go on with from its place. Pictures before the target are only prefetched, which does not justify
    /// beginning the group again.
    ///
    /// - Parameters:
    ///   - window: pictures that a backward movement asks for next.
    ///   - isBehind: whether the request before was left unanswered.
    ///   - canGoOn: asked until it is true; each work costs a look through its group.
    func work(
        for plan: DecodePlan, _ hint: AccessPattern.Hint, window: [Int], isBehind: Bool,
        canGoOn: (GroupRun.Work) -> Bool
    ) -> GroupRun.Work {
        var (references, near) = references(before: plan, hint)
        // A pass back ends with its decoder's place: nothing goes on from there.
        if !window.isEmpty, isRetreat(hint) { references = [] }
        // A decoder that lags behind a finger that goes straight on has no time for pictures on the way.
        if isBehind, hint.motion == .forward, hint.length >= RequestPolicy.jitter { near = [] }
        var choices = [(window, references + near)]
        if !window.isEmpty { choices.append(([], references + near)) }
        if !near.isEmpty { choices.append(([], references)) }
        if !references.isEmpty { choices.append(([], [])) }
        var most: GroupRun.Work?
        for (window, others) in choices {
            let targets = window + [plan.target]
            let work = GroupRun.Work(
                plan: planner.feedPlan(plan, targets: targets + others), targets: targets,
                isDrained: !window.isEmpty && isRetreat(hint))
            if canGoOn(work) { return work }
            most = most ?? work
        }
        guard var most else { preconditionFailure("there is always a choice") }
        let shown = shownOnTheWay(most)
        if !shown.isEmpty {
            let wanted = choices.first.map { $0.0 + $0.1 } ?? []
            most.plan = planner.feedPlan(plan, targets: wanted + [plan.target] + shown)
        }
        return most
    }

    /// Returns pictures that cost nothing: commands that show a frame which the work decodes anyway (AV1
    /// show_existing_frame, 7.21).
    ///
    /// With hidden references nothing else would come out on the way to a target, and a finger would see nothing move.
    private func shownOnTheWay(_ work: GroupRun.Work) -> [Int] {
        guard options.preparesAtRest, let table = work.plan.table, table.hasSlots else { return [] }
        var fed: Set<Int> = []
        for feed in work.plan.feeds {
            for (bit, unit) in table.units(of: feed.picture).enumerated() where feed.units >> UInt64(bit) & 1 == 1 {
                fed.insert(unit)
            }
        }
        return (work.plan.plan.restart..<work.plan.plan.target).filter { picture in
            let units = table.units(of: picture)
            guard units.count == 1, let unit = units.first, table.takesNone(unit),
                table.traits[unit].contains(.shown), index.isPresented(picture)
            else { return false }
            let references = Array(table.references(of: unit))
            // A key frame that is shown again would take all slots.
            return references.count == 1
                && references.allSatisfy { fed.contains($0) && !table.traits[$0].contains(.key) }
        }
    }

    /// Returns the needs of a movement beyond its target. A decoder that skipped a reference cannot go on to the next
    /// frame, and would begin again with every step of the finger. Fingers jitter, so pictures that show shortly before
    /// are wanted too.
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
            before.filter { table.has(.reference, in: $0) }, before.filter { reach.contains(index.ranks[$0]) }
        )
    }

    /// Whether feeding on is a cheaper way to bring the target out than draining the decoder.
    ///
    /// Feeding on costs a few pictures, draining costs the decoder's place in the group. A place is worth keeping when
    /// requests come back to the group, or move forward in it, and enough of the group is left. A finger comes to
    /// whatever is left, and would take the whole group again for it.
    ///
    /// - Parameter hasTightCache: whether what a drain brings out would find no room.
    func isWorthKeeping(
        _ decoder: OpenDecoder, after plan: DecodePlan, _ hint: AccessPattern.Hint, hasTightCache: Bool
    ) -> Bool {
        guard hint.isRevisit || options.expectsMovement, !isRetreat(hint) else { return false }
        let end = index.groupEnd(after: plan.last)
        let needsPlace = options.preparesAtRest || hasTightCache && hint.motion == .forward && hint.isLasting
        return end - plan.last > (needsPlace ? 1 : 4 * (index.reorderDelay + decoder.threadDelay + 1))
    }

    /// Whether a movement goes to and fro about a frame.
    func isJitter(from frame: Int, to other: Int, _ hint: AccessPattern.Hint) -> Bool {
        options.preparesAtRest && abs(other - frame) <= RequestPolicy.jitterReach
            && (hint.motion == .jump || hint.length <= 3)
    }

    /// The most frames about which a finger jitters: about the cost of a second look back over a long group.
    private static let jitterReach = 256

    /// Whether a movement goes back, and is not only the jitter of a finger.
    func isRetreat(_ hint: AccessPattern.Hint) -> Bool {
        hint.motion == .backward && (hint.isLasting || !options.expectsMovement)
    }

    /// Returns the packets to feed after the target, so that it comes out without a drain and the decoder can go on.
    /// They are the next pictures in decode order, before the next restart.
    func feedsOnward(of decoder: OpenDecoder, _ plan: DecodePlan, _ hint: AccessPattern.Hint) -> [Feed] {
        guard let fed = decoder.fed else { return [] }
        let first = fed.position + 1
        // The pictures that come out before the target come first: those of its own small group, which may be as long
        // as encoders make them. Feeding ends as soon as the target is out.
        let most = 12 + index.reorderDelay + decoder.threadDelay
        let end = min(index.groupEnd(after: fed.position), first + 2 * most)
        guard first < end else { return [] }
        guard let table = planner.table(from: plan.restart, through: end - 1, plan) else {
            return (first..<min(end, first + most)).map { Feed(picture: $0) }
        }
        // In a movement nothing is left out, so that a slower one finds the frames too; else what later frames need.
        let isMoving = hint.motion == .forward || options.expectsMovement
        let wanted = isMoving ? Array(first..<end) : (first..<end).filter { table.has(.reference, in: $0) }
        // Only what finds all its references in the decoder: others were left out on the way here.
        let targets = Array(wanted.prefix(most))
        decoder.learn(table)
        return ReferenceClosure.feeds(for: targets, from: plan.restart, in: table)
            .flatMap { fed.rest(of: $0, targets: targets, in: table) } ?? []
    }
}
