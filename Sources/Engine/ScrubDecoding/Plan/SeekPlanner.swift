internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
package import ScrubIndex

/// Plans the decoding of frames: the restart, and the packets from there on. It decodes nothing and is cheap to make.
///
/// Restarts come from ``DecodePlanner``, the packets between from ``DependencyGraph`` and ``ReferenceClosure``. May
/// read the headers of pictures, and remembers them. Use from one thread at a time.
package final class SeekPlanner {
    /// The treatment of restarts whose own header does not prove them.
    package enum UnprovenRestarts: Sendable {
        /// Decoding may begin there, and answers are exact once the restart is proven by comparison.
        case proven
        /// Decoding begins there, whatever comparing has shown, and its pictures are not called exact. It is for
        /// pictures that are only looked at, and that must not depend on earlier requests. A claim that the decoder
        /// itself denies does not count.
        case approximate
        /// They are believed. For tests that must see the failures that follow.
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
    /// Of a remote file: whether the bytes between the pictures that are needed may be left out. A movement wants it in
    /// a moment, and then it would cost a request.
    package var leavesGaps = true
    /// What comparing the pictures' own order with the container's times has found.
    struct Order {
        /// The last picture that was compared, by restart.
        var checked: [Int: Int] = [:]
        /// Restarts of groups that contradict themselves.
        var contradicted: Set<Int> = []
        /// The pictures whose own order is another one.
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

    /// Makes planners with the same knowledge for other threads.
    var forAnotherThread: @Sendable () -> SeekPlanner {
        { [file, index, graph, proofs, unproven, leavesGaps] in
            let planner = SeekPlanner(file: file, index: index, graph: graph, proofs: proofs, unproven: unproven)
            planner.leavesGaps = leavesGaps
            return planner
        }
    }

    /// Returns the plan for a frame: the place where decoding begins.
    ///
    /// - Precondition: the frame exists.
    package func plan(forFrame frame: Int) -> DecodePlan { plan(forPicture: Int(index.frames[frame])) }

    /// Returns the plan for a frame as it seems to be, without reading anything.
    func guess(forFrame frame: Int) -> DecodePlan { guess(forPicture: Int(index.frames[frame])) }

    /// Returns the plan for a frame as far as it is known without waiting. Where a look at a header may take long, what
    /// it would say is guessed.
    func promptPlan(forFrame frame: Int) -> DecodePlan {
        file.isRemote ? guess(forFrame: frame) : plan(forFrame: frame)
    }

    /// Returns the plan for a coded picture.
    ///
    /// - Parameters:
    ///   - before: only restarts before this picture are looked at.
    ///   - selfContainedOnly: only restarts that leave nothing open.
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
        // A failed read is not a reason to pass a restart over for ever.
        if Cancellation.isCurrentCancelled { rejected = remembered }
        return plan
    }

    /// Returns the plan at which decoding of a picture seems to begin, without reading anything: restarts that were not
    /// checked are trusted.
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
        // The plan is made again then: nothing is gained by looking further back.
        if Cancellation.isCurrentCancelled { return (.open, 0) }
        return inspector.access(of: restart, in: index, reader: reader)
    }

    /// Returns the plan whose pictures decide whether a plan's target is sound. It is another one where decoding begins
    /// further back only because of the decoder's state (``isUnsettled(_:)``).
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

    /// - Parameter targets: coded pictures that all are planned from `plan`'s restart.
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

    /// Returns the pictures of a plan that are decoded with nothing before them left out.
    ///
    /// A fault in one of an MPEG-4 stream's first pictures decides libavcodec's view of the end of the next one. It
    /// does so whether this needs the other or not (``PaddingWitness``).
    private func beginning(_ plan: DecodePlan, through last: Int) -> Range<Int> {
        guard index.facts.codec == .mpeg4, plan.restart == 0 else { return 0..<0 }
        return 0..<min(PaddingWitness.count, last + 1)
    }

    /// Returns the dependencies of a plan's pictures; `nil` if nothing may be left out.
    func table(for plan: DecodePlan, through last: Int) -> DependencyTable? {
        if beginning(plan, through: last).contains(last) { return nil }
        switch plan.start {
        case .restart(.instantaneous), .restart(.open): return table(from: plan.restart, through: last, plan)
        // A gradual restart is whole only after everything up to its recovery was decoded.
        default: return nil
        }
    }

    /// Returns the dependencies of the pictures from a plan's restart on; `nil` if nothing may be left out.
    func table(from restart: Int, through last: Int, _ plan: DecodePlan) -> DependencyTable? {
        // The film grain of each picture depends on all pictures before it.
        if index.facts.hasFilmGrain { return nil }
        if file.isRemote, !graph.knows(from: restart, through: last) {
            expectGroup(plan, through: last, targets: [plan.target, last])
        }
        return graph.table(from: restart, through: last, view: file)
    }

    /// Records that some work finished without a complaint.
    func noteSound(_ work: GroupRun.Work?) {
        guard let work, let table = work.plan.table else { return }
        graph.note(soundUnits: work.plan.witnesses, of: table)
    }

    /// A planner with the same knowledge that announces its own reads.
    var forAnotherReader: SeekPlanner {
        SeekPlanner(file: file.view(), index: index, graph: graph, proofs: proofs, unproven: unproven)
    }

    /// Returns the number of pictures that a cold answer for a frame feeds, and the number that it leaves out.
    package func cost(ofFrame frame: Int) -> (fed: Int, skipped: Int, restart: Int) { cost(plan(forFrame: frame)) }

    /// Returns the cost of decoding by a plan: as ``cost(ofFrame:)``, for a caller that already has the plan.
    func cost(_ plan: DecodePlan) -> (fed: Int, skipped: Int, restart: Int) {
        // Counting, if that is all there is to know: a list of packets takes as long as the way from the restart.
        guard let table = table(for: plan, through: plan.last) else { return (plan.feed, 0, plan.restart) }
        if !beginning(plan, through: plan.last).contains(plan.target),
            let cost = table.cost(of: plan.target, through: plan.last, from: plan.restart)
        {
            return (cost.fed, cost.skipped, plan.restart)
        }
        let feeds = feedPlan(plan, targets: [plan.target])
        return (feeds.fed, feeds.skipped, plan.restart)
    }

    /// Whether a frame's own coded picture is all that it takes.
    package func isKeyFrame(_ frame: Int) -> Bool {
        let plan = plan(forFrame: frame)
        guard plan.restart == plan.target else { return false }
        if case .restart(.gradual) = plan.start { return false }
        return true
    }

    /// Returns the number of pictures between a frame and its restart, both included: about its cost.
    package func distanceFromRestart(_ frame: Int) -> Int { plan(forFrame: frame).feed }

    /// Returns frames that can be decoded alone and lie nearest to the middles of `count` equal parts of the film,
    /// coarse to fine. Any first few of them are spread over the whole film. Fewer where there are fewer key pictures.
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

// Restarts that no header proves.
extension SeekPlanner {
    /// Returns the restarts that have to be proven before a plan's answer is exact, in this order.
    ///
    /// For codecs whose headers nothing here reads, a restart is the container's claim; a gradual restart is the
    /// encoder's. Beside its own, the first claim of the file is proven, from the beginning of the stream. Data that
    /// every picture takes from the first one shows there, and nowhere later.
    func unprovenRestarts(of plan: DecodePlan) -> [Int] {
        guard unproven == .proven, isClaimed(plan) else { return [] }
        var wanted = [plan.restart]
        if index.facts.codec == .other, let first = index.nextRestart(after: 0), first < plan.restart {
            wanted.insert(first, at: 0)
        }
        return wanted.filter { !proofs.isProven($0) }
    }

    /// Whether a plan's restart is only a claim.
    func isClaimed(_ plan: DecodePlan) -> Bool {
        guard case .restart(let kind) = plan.start, plan.restart > 0 else { return false }
        if kind == .gradual { return true }
        return index.facts.codec == .other
            && !index.facts.descriptions[index.pictures.description(of: plan.restart)].isIntraOnly
    }

    /// Whether a plan's restart counts only as long as the decoder does not deny it.
    func canBeDenied(_ plan: DecodePlan) -> Bool {
        unproven == .approximate && index.facts.codec == .other && isClaimed(plan)
    }

    /// Whether a picture is that of a plan's restart, and the decoder says that it depends on another one.
    func isDenied(_ plan: DecodePlan, by picture: DecodedPicture) -> Bool {
        picture.number == plan.restart && canBeDenied(plan) && !picture.frame.frame.mayBeKey
    }

    /// Whether a picture that came out on the way of a plan keeps the promise of its restart. From a gradual one on
    /// decoders hand pictures out as soon as any message on the way says that they are whole. Those were not compared.
    func isPromised(_ picture: Int, by plan: DecodePlan) -> Bool {
        guard plan.start == .restart(.gradual), picture != plan.target else { return true }
        return self.plan(forPicture: picture, before: plan.restart + 1).restart == plan.restart
    }

    /// Records the result of a comparison.
    func record(_ prover: RestartProver) {
        guard let isProven = prover.isProven, let refutations = prover.refutations else { return }
        if prover.isGradual {
            // The compared pictures are not all that is decoded from it if another restart was refuted meanwhile.
            if isProven, refutations != proofs.refutations { return }
            // Those before it stand for its pictures from now on.
            if !isProven { proofs.forgetProven(before: prover.restart) }
        }
        proofs.record(prover.restart, isProven: isProven)
        guard !isProven, index.facts.codec == .other, prover.restart == index.nextRestart(after: 0) else { return }
        // Data that pictures take from the first one are missing from every other restart too.
        for restart in index.restarts where restart > 0 { proofs.record(Int(restart), isProven: false) }
    }

    /// Returns a verdict in the light of the restart that it came from.
    func rated(_ verdict: Verdict, _ plan: DecodePlan) -> Verdict {
        guard unproven == .approximate, isClaimed(plan), !proofs.isProven(plan.restart), case .exact = verdict else {
            return verdict
        }
        return .approximate("decoding began at a key picture that is one by the container's word alone")
    }
}
