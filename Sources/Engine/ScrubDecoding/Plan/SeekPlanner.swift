internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
package import ScrubIndex

/// A planner for decoding frames: the restart and the packets from there on. It does not decode anything and is cheap
/// to create.
///
/// Restarts come from ``DecodePlanner``, the packets in between from ``DependencyGraph`` and ``ReferenceClosure``. It
/// may read picture headers, which it caches. Use from one thread at a time.
package final class SeekPlanner {
    /// The treatment of restarts whose own header does not prove them.
    package enum UnprovenRestarts: Sendable {
        /// Decoding may begin at these restarts, and answers are exact once the restart is proven by comparison.
        case proven
        /// Decoding begins at these restarts, whatever comparisons have shown, and the pictures are not labeled exact.
        /// For pictures that are only examined and must not depend on earlier requests. Claims that the decoder itself
        /// contradicts are ignored.
        case approximate
        /// These claims are trusted. For tests that must see the resulting failures.
        case believed
    }

    package let file: MediaSource
    package let index: FrameIndex
    let graph: DependencyGraph
    package let proofs: RestartProofs
    package let unproven: UnprovenRestarts
    private let rules: DecodePlanner
    var inspector = RestartInspector()
    private var rejected = RejectedRestarts()
    let reader: PacketReader
    /// For a remote file: whether the bytes between the needed pictures may be skipped. A movement would need them
    /// soon, at the cost of another request.
    package var leavesGaps = true
    /// The results of comparing the pictures' own order with the container's times.
    struct Order {
        /// The last compared picture, by restart.
        var checked: [Int: Int] = [:]
        /// The restarts of groups that contradict themselves.
        var contradicted: Set<Int> = []
        /// The pictures whose own order differs.
        var misplaced: Set<Int> = []
    }
    var order = Order()

    package init(
        file: MediaSource, index: FrameIndex, graph: DependencyGraph, proofs: RestartProofs,
        unproven: UnprovenRestarts = .proven
    ) {
        (self.file, self.index, self.graph, self.proofs, self.unproven) = (file, index, graph, proofs, unproven)
        rules = DecodePlanner(index)
        reader = PacketReader(file: file, index: index)
    }

    /// Creates planners that share this one's information, for other threads.
    var forAnotherThread: @Sendable () -> SeekPlanner {
        { [file, index, graph, proofs, unproven, leavesGaps] in
            let planner = SeekPlanner(file: file, index: index, graph: graph, proofs: proofs, unproven: unproven)
            planner.leavesGaps = leavesGaps
            return planner
        }
    }

    /// Returns the plan for a frame, with the position where decoding begins.
    ///
    /// - Precondition: the frame exists.
    package func plan(forFrame frame: Int) -> DecodePlan { plan(forPicture: Int(index.frames[frame])) }

    /// Returns the presumable plan for a frame, without reading anything.
    func guess(forFrame frame: Int) -> DecodePlan { guess(forPicture: Int(index.frames[frame])) }

    /// Returns the plan for a frame as far as it is known without waiting. If reading a header might take long, its
    /// content is guessed.
    func promptPlan(forFrame frame: Int) -> DecodePlan {
        file.isRemote ? guess(forFrame: frame) : plan(forFrame: frame)
    }

    /// Returns the plan for a coded picture.
    ///
    /// - Parameters:
    ///   - before: an upper bound; only restarts before this picture are considered.
    ///   - selfContainedOnly: whether only self-contained restarts are considered.
    func plan(forPicture picture: Int, before: Int = .max, selfContainedOnly: Bool = false) -> DecodePlan {
        guard file.isRemote else {
            return found(forPicture: picture, before: before, selfContainedOnly: selfContainedOnly)
        }
        let guess = guess(forPicture: picture, before: before)
        if !inspector.knows(guess.restart, in: index) {
            expectGroup(guess, through: guess.last, targets: [guess.target])
        }
        let remembered = rejected
        let plan = found(forPicture: picture, before: before, selfContainedOnly: selfContainedOnly)
        // A failed read is not a reason to reject a restart permanently.
        if Cancellation.isCurrentCancelled { rejected = remembered }
        return plan
    }

    /// Returns the presumable plan for a picture, without reading anything: unchecked restarts are trusted.
    func guess(forPicture picture: Int, before: Int = .max) -> DecodePlan {
        var rejected = rejected
        return rules.plan(
            forPicture: picture, before: before, rejected: &rejected,
            access: { restart in
                if proofs.isRefuted(restart) { return (.none, 0) }
                guard inspector.knows(restart, in: index) else { return (.open, 0) }
                return inspector.access(of: restart, in: index, reader: reader)
            })
    }

    private func found(forPicture picture: Int, before: Int, selfContainedOnly: Bool) -> DecodePlan {
        rules.plan(
            forPicture: picture, before: before, selfContainedOnly: selfContainedOnly, rejected: &rejected,
            isReference: { inspector.isReference($0, reader: reader) },
            access: { restart in isUnsettled(restart) ? (.none, 0) : access(of: restart) })
    }

    private func access(of restart: Int) -> (access: RandomAccess, recoveryCount: Int) {
        if proofs.isRefuted(restart) { return (.none, 0) }
        // The plan is then made again, so looking further back has no benefit.
        if Cancellation.isCurrentCancelled { return (.open, 0) }
        return inspector.access(of: restart, in: index, reader: reader)
    }

    /// Returns the plan whose pictures decide whether a plan's target is intact. It is a different one if decoding
    /// begins further back only because of the decoder's state (``isUnsettled(_:)``).
    func judgingPlan(of plan: DecodePlan) -> DecodePlan {
        guard plan.restart == 0, index.facts.codec == .mpeg4, proofs.beginningIsSound == false else { return plan }
        var rejected = RejectedRestarts()
        return rules.plan(
            forPicture: plan.target, rejected: &rejected, isReference: { inspector.isReference($0, reader: reader) },
            access: access)
    }

    /// Returns the packets for a cold answer for a frame, without decoding it.
    package func feedPlan(forFrame frame: Int) -> FeedPlan {
        let plan = plan(forFrame: frame)
        return feedPlan(plan, targets: [plan.target])
    }

    /// Returns the packets for targets.
    ///
    /// - Parameter targets: coded pictures, all planned from `plan`'s restart.
    func feedPlan(_ plan: DecodePlan, targets: [Int]) -> FeedPlan {
        var complete = targets
        for target in targets where index.hasSecondField(target) { complete.append(target + 1) }
        let last = max(plan.last, complete.max() ?? plan.last)
        let beginning = beginning(plan, through: last)
        let isBeginning = complete.contains { beginning.contains($0) }
        return FeedPlan(
            plan, targets: isBeginning ? complete + beginning : complete, last: last,
            table: table(for: plan, through: last), unjudged: isBeginning ? 0..<0 : beginning)
    }

    /// Returns the pictures of a plan that are decoded without skipping any before them.
    ///
    /// A fault in one of an MPEG-4 stream's first pictures affects how libavcodec interprets the end of the next one,
    /// whether or not that picture refers to it (``PaddingEvidence``).
    private func beginning(_ plan: DecodePlan, through last: Int) -> Range<Int> {
        guard index.facts.codec == .mpeg4, plan.restart == 0 else { return 0..<0 }
        return 0..<min(PaddingEvidence.count, last + 1)
    }

    /// Returns the dependencies of a plan's pictures; `nil` if no picture may be skipped.
    func table(for plan: DecodePlan, through last: Int) -> DependencyTable? {
        if beginning(plan, through: last).contains(last) { return nil }
        switch plan.start {
        case .restart(.instantaneous), .restart(.open): return table(from: plan.restart, through: last, plan)
        // A gradual restart is complete only after everything up to its recovery was decoded.
        default: return nil
        }
    }

    /// Returns the dependencies of the pictures from a plan's restart on; `nil` if no picture may be skipped.
    func table(from restart: Int, through last: Int, _ plan: DecodePlan) -> DependencyTable? {
        // The film grain of each picture depends on all earlier pictures.
        if index.facts.hasFilmGrain { return nil }
        if file.isRemote, !graph.knows(from: restart, through: last) {
            expectGroup(plan, through: last, targets: [plan.target, last])
        }
        return graph.table(from: restart, through: last, view: file)
    }

    /// Records that work finished without complaints.
    func noteSound(_ work: GroupRun.Work?) {
        guard let work, let table = work.plan.table else { return }
        graph.note(soundUnits: work.plan.witnesses, of: table)
    }

    /// A planner with the same information that announces its reads separately.
    var forAnotherReader: SeekPlanner {
        SeekPlanner(file: file.view(), index: index, graph: graph, proofs: proofs, unproven: unproven)
    }

    /// Returns the number of pictures that a cold answer for a frame feeds, and the number that it skips.
    package func cost(ofFrame frame: Int) -> (fed: Int, skipped: Int, restart: Int) { cost(plan(forFrame: frame)) }

    /// Returns the cost of decoding with a plan, like ``cost(ofFrame:)``, for a caller that already has the plan.
    func cost(_ plan: DecodePlan) -> (fed: Int, skipped: Int, restart: Int) {
        // Only counts if nothing else is needed, because the time to build a list of packets grows with the distance
        // from the restart.
        guard let table = table(for: plan, through: plan.last) else { return (plan.feed, 0, plan.restart) }
        if !beginning(plan, through: plan.last).contains(plan.target),
            let cost = table.cost(of: plan.target, through: plan.last, from: plan.restart)
        {
            return (cost.fed, cost.skipped, plan.restart)
        }
        let feeds = feedPlan(plan, targets: [plan.target])
        return (feeds.fed, feeds.skipped, plan.restart)
    }

    /// Returns whether a frame requires only its own coded picture.
    package func isKeyFrame(_ frame: Int) -> Bool {
        let plan = plan(forFrame: frame)
        guard plan.restart == plan.target else { return false }
        if case .restart(.gradual) = plan.start { return false }
        return true
    }

    /// Returns the number of pictures from a frame's restart to the frame, inclusive: approximately its cost.
    package func distanceFromRestart(_ frame: Int) -> Int { plan(forFrame: frame).feed }

    /// Returns independent frames nearest to the middles of `count` equal parts of the video, coarse to fine. Any
    /// prefix of them is spread over the whole video. There are fewer if there are fewer key pictures.
    package func keyFrames(spreadOver count: Int) -> [Int] {
        let keys = index.restarts.compactMap { index.frame(ofPicture: Int($0)) }.sorted()
        guard !keys.isEmpty, index.frameCount > 0 else { return [] }
        var found: [Int] = []
        var seen: Set<Int> = []
        for slot in BitReversal.order(count) {
            let middle = (2 * slot + 1) * index.frameCount / (2 * count)
            let above = keys.partitioningIndex { $0 >= middle }
            let near = [above - 1, above].filter { keys.indices.contains($0) }.map { keys[$0] }
            guard let key = near.min(by: { abs($0 - middle) < abs($1 - middle) }), seen.insert(key).inserted else {
                continue
            }
            found.append(key)
        }
        return found
    }
}

// Restarts that are not confirmed by a header.
extension SeekPlanner {
    /// Returns the restarts that must be proven before a plan's answer is exact, in this order.
    ///
    /// For codecs whose headers are not parsed here, a restart is the container's claim; a gradual restart is the
    /// encoder's. In addition to the plan's own, the first claim of the file is proven, from the beginning of the
    /// stream. Data that every picture inherits from the first one appears only there.
    func unprovenRestarts(of plan: DecodePlan) -> [Int] {
        guard unproven == .proven, isClaimed(plan) else { return [] }
        var wanted = [plan.restart]
        if index.facts.codec == .other, let first = index.nextRestart(after: 0), first < plan.restart {
            wanted.insert(first, at: 0)
        }
        return wanted.filter { !proofs.isProven($0) }
    }

    /// Returns whether a plan's restart is only a claim.
    func isClaimed(_ plan: DecodePlan) -> Bool {
        guard case .restart(let kind) = plan.start, plan.restart > 0 else { return false }
        if kind == .gradual { return true }
        return index.facts.codec == .other
            && !index.facts.descriptions[index.pictures.description(of: plan.restart)].isIntraOnly
    }

    /// Returns whether a plan's restart counts only as long as the decoder does not contradict it.
    func canBeDenied(_ plan: DecodePlan) -> Bool {
        unproven == .approximate && index.facts.codec == .other && isClaimed(plan)
    }

    /// Returns whether a picture is the one at a plan's restart, and the decoder reports that it depends on another
    /// one.
    func isDenied(_ plan: DecodePlan, by picture: DecodedPicture) -> Bool {
        picture.number == plan.restart && canBeDenied(plan) && !picture.frame.frame.mayBeKey
    }

    /// Returns whether a picture output along the way of a plan is covered by its restart. After a gradual restart,
    /// decoders output pictures as soon as any message along the way marks them as complete. Those pictures were not
    /// compared.
    func isPromised(_ picture: Int, by plan: DecodePlan) -> Bool {
        guard plan.start == .restart(.gradual), picture != plan.target else { return true }
        return self.plan(forPicture: picture, before: plan.restart + 1).restart == plan.restart
    }

    /// Records the result of a comparison.
    func record(_ prover: RestartProver) {
        guard let isProven = prover.isProven, let refutations = prover.refutations else { return }
        if prover.isGradual {
            // If another restart was refuted in the meantime, more pictures are decoded from this one than were
            // compared.
            if isProven, refutations != proofs.refutations { return }
            // From now on, earlier restarts are used for its pictures.
            if !isProven { proofs.forgetProven(before: prover.restart) }
        }
        proofs.record(prover.restart, isProven: isProven)
        guard !isProven, index.facts.codec == .other, prover.restart == index.nextRestart(after: 0) else { return }
        // Data that pictures inherit from the first one is also missing at every other restart.
        for restart in index.restarts where restart > 0 { proofs.record(Int(restart), isProven: false) }
    }

    /// Returns a verdict, taking into account the restart from which it was derived.
    func rated(_ verdict: Verdict, _ plan: DecodePlan) -> Verdict {
        if plan.start == .stretchStart, case .exact = verdict {
            return .approximate("pictures before it, on which it may depend, were not read")
        }
        guard unproven == .approximate, isClaimed(plan), !proofs.isProven(plan.restart), case .exact = verdict else {
            return verdict
        }
        return .approximate("decoding started at a picture that only the container marks as a key picture")
    }
}
