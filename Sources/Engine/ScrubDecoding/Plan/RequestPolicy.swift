internal import ScrubFileIO
internal import ScrubIndex

/// The policy that decides which pictures a request decodes beyond its target, so that its movement continues cheaply.
/// Pure, except for headers.
struct RequestPolicy {
    let planner: SeekPlanner
    let options: FrameEngine.Options

    private var index: FrameIndex { planner.index }

    /// The number of frames that a finger moves back and forth while it moves in one direction.
    private static let jitter = 12

    /// Returns the work for a request. Of all options, from the most work to the target alone, this is the first with
    /// which a decoder can continue from its position. Pictures before the target are only prefetched, which does not
    /// justify restarting the group.
    ///
    /// - Parameters:
    ///   - window: pictures that a backward movement requests next.
    ///   - isBehind: whether the previous request was left unanswered.
    ///   - canGoOn: called until it returns true; each call costs a scan of the group.
    func work(
        for plan: DecodePlan, _ hint: AccessPattern.Hint, window: [Int], isBehind: Bool,
        canGoOn: (GroupRun.Work) -> Bool
    ) -> GroupRun.Work {
        var (references, near) = references(before: plan, hint)
        // A backward pass gives up its decoder's position, because no request continues from there.
        if !window.isEmpty, isRetreat(hint) { references = [] }
        // A decoder that lags behind a finger moving in one direction has no time for pictures along the way.
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
        guard var most else { preconditionFailure("there is always at least one choice") }
        let shown = shownOnTheWay(most)
        if !shown.isEmpty {
            let wanted = choices.first.map { $0.0 + $0.1 } ?? []
            most.plan = planner.feedPlan(plan, targets: wanted + [plan.target] + shown)
        }
        return most
    }

    /// Returns pictures that are free: commands that show a frame which the work decodes anyway (AV1
    /// show_existing_frame, 7.21).
    ///
    /// With hidden references, no other picture would be output along the way to a target, and the user would not see
    /// any movement.
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
            // A key frame that is shown again would set all slots.
            return references.count == 1
                && references.allSatisfy { fed.contains($0) && !table.traits[$0].contains(.key) }
        }
    }

    /// Returns what a movement needs beyond its target. A decoder that skipped a reference cannot continue to the next
    /// frame and would restart at every step of the finger. Fingers jitter, so pictures shown shortly before are also
    /// included.
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

    /// Returns whether continuing to feed is a cheaper way to output the target than draining the decoder.
    ///
    /// Feeding costs a few pictures; draining costs the decoder's position in the group. A position is worth keeping if
    /// requests return to the group, or move forward in it, and enough of the group is left. A moving finger will reach
    /// the rest, for which the whole group would have to be decoded again.
    ///
    /// - Parameter hasTightCache: whether the pictures output by a drain would not fit in the cache.
    func isWorthKeeping(
        _ decoder: OpenDecoder, after plan: DecodePlan, _ hint: AccessPattern.Hint, hasTightCache: Bool
    ) -> Bool {
        guard hint.isRevisit || options.expectsMovement, !isRetreat(hint) else { return false }
        let end = index.groupEnd(after: plan.last)
        let needsPlace = options.preparesAtRest || hasTightCache && hint.motion == .forward && hint.isLasting
        return end - plan.last > (needsPlace ? 1 : 4 * (index.reorderDelay + decoder.threadDelay + 1))
    }

    /// Returns whether a movement goes back and forth around a frame.
    func isJitter(from frame: Int, to other: Int, _ hint: AccessPattern.Hint) -> Bool {
        options.preparesAtRest && abs(other - frame) <= RequestPolicy.jitterReach
            && (hint.motion == .jump || hint.length <= 3)
    }

    /// The maximum number of frames around which a finger jitters: about the cost of a second pass over a long group.
    private static let jitterReach = 256

    /// Returns whether a movement goes backward and is not just jitter.
    func isRetreat(_ hint: AccessPattern.Hint) -> Bool {
        hint.motion == .backward && (hint.isLasting || !options.expectsMovement)
    }

    /// Returns the packets to feed after the target, so that it is output without a drain and the decoder can continue.
    /// They are the next pictures in decode order, before the next restart.
    func feedsOnward(of decoder: OpenDecoder, _ plan: DecodePlan, _ hint: AccessPattern.Hint) -> [Feed] {
        guard let fed = decoder.fed else { return [] }
        let first = fed.position + 1
        // Pictures output before the target come first: those of its own mini-GOP, which may be of any length. Feeding
        // ends as soon as the target is output.
        let most = 12 + index.reorderDelay + decoder.threadDelay
        let end = min(index.groupEnd(after: fed.position), first + 2 * most)
        guard first < end else { return [] }
        guard let table = planner.table(from: plan.restart, through: end - 1, plan) else {
            return (first..<min(end, first + most)).map { Feed(picture: $0) }
        }
        // During a movement, no picture is skipped, so that a slower movement also finds the frames; otherwise, only
        // those needed by later frames are fed.
        let isMoving = hint.motion == .forward || options.expectsMovement
        let wanted = isMoving ? Array(first..<end) : (first..<end).filter { table.has(.reference, in: $0) }
        // Only pictures whose references are all in the decoder, because other references were skipped.
        let targets = Array(wanted.prefix(most))
        decoder.learn(table)
        return ReferenceClosure.feeds(for: targets, from: plan.restart, in: table)
            .flatMap { fed.rest(of: $0, targets: targets, in: table) } ?? []
    }
}
