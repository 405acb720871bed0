internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A run that decodes pictures of one group in one pass, a packet at a time.
///
/// 1. **Proof.** A restart that is not confirmed by a header is compared with the run from the previous restart
///    (``RestartProver``). The run then ends, because the result determines from where the pictures are planned.
/// 2. **Fast.** A decoder, which may already be within the group, is given the pictures and their references only.
///    Pictures count as exact as long as there are no complaints.
/// 3. **Careful.** After any complaint, ``CarefulDecoder`` decides the requested pictures.
///
/// A run without requested pictures prepares: it does not use the careful path, and pictures may be requested from it
/// later (``ask(_:)``). Its scheduler determines the order of decoding. It is ``FrameEngine`` for single requests,
/// prefetching and batches, ``SequenceDecoder`` for windows during playback, or ``KeyframeStrip``. A run can be
/// abandoned between packets. Use from one thread.
///
/// Memory: one decoder with its own pictures, one packet, and the pictures that a step returns.
package final class GroupRun {
    /// The work of the fast path.
    struct Work {
        var plan: FeedPlan
        /// The target pictures of the work.
        var targets: [Int]
        /// Whether the decoder is drained once everything is fed, or keeps its position with pictures still inside.
        var isDrained: Bool
        /// Whether the pictures arrive in the order in which they will be requested, and can wait for room.
        var waitsForRoom = false
    }

    struct Options {
        /// Whether pictures that are not clean are examined again from further back.
        var hasSecondOpinions = true
        /// Whether pictures other than the targets stay inside the decoder.
        var returnsTargetsOnly = false
        /// Whether a drained decoder's pictures are output one per step, so that each may wait for memory.
        var drainsOneByOne = false
        /// Whether pictures are output one per step, even before the decoder is drained. Other ready ones wait in the
        /// decoder, and a drain outputs all that it holds.
        var comesOneByOne = false
    }

    /// The reason why a run ended.
    enum End {
        /// All needed pictures were output.
        case complete
        /// A restart was proven or refuted: the requested pictures must be planned again.
        case decided
        /// A run without requested pictures had an error.
        case troubled
        /// There was no memory for a picture, which is not the file's fault.
        case starved
        case left
    }

    private enum Stage {
        case proof(RestartProver)
        case fast(OpenDecoder)
        case careful(CarefulDecoder)
        case over(End)
    }

    /// The plan of the requested pictures or, if there are none, of all.
    let plan: DecodePlan
    private(set) var work: Work?
    /// The pictures that a caller is waiting for and that were not output yet.
    private(set) var asked: [Int: DecodePlan]
    /// The pictures decoded by the fast path that were not output yet.
    private(set) var waiting: Set<Int> = []
    private let planner: SeekPlanner
    private let allocator: FrameAllocator
    let options: Options
    private var stage: Stage
    /// The remaining packets to feed.
    private var feeds: ArraySlice<Feed> = []
    /// The number of packets without a picture that can still advance the decoder.
    private var pushesLeft = 0
    private var hasDrained = false
    /// Whether the next step may produce a picture without a packet.
    private(set) var hasPicturesReady = false
    /// The number of coded pictures given to decoders in earlier stages, minus those that the current decoder had
    /// before.
    private var fedBefore = 0
    /// Whether the pictures of the last step use the allocator's memory.
    private(set) var usesAllocator = true

    /// Begins to compare a restart.
    ///
    /// - Parameter plan: the plan of the pictures for which it is compared.
    init(proving claim: Int, for plan: DecodePlan, _ resources: inout GroupResources) {
        resources.makeRoom()
        let prover: RestartProver
        if let left = resources.prover, left.restart == claim {
            prover = left
        } else {
            prover = RestartProver(claim, planner: resources.planner, allocator: resources.pool.allocator)
        }
        resources.prover = prover
        (self.plan, asked, options) = (plan, [:], Options())
        (planner, allocator) = (resources.planner, resources.pool.allocator)
        stage = .proof(prover)
        fedBefore = -prover.fed
    }

    /// Begins the careful path.
    ///
    /// - Parameter asked: pictures that are planned from one restart, at least one.
    init(carefully asked: [DecodePlan], options: Options = .init(), _ resources: inout GroupResources) {
        guard let first = asked.first else { preconditionFailure("a careful run needs a picture") }
        plan = first
        self.asked = Dictionary(asked.map { ($0.target, $0) }, uniquingKeysWith: { one, _ in one })
        (planner, allocator, self.options) = (resources.planner, resources.pool.allocator, options)
        stage = .over(.left)
        beginCarefully(&resources)
    }

    /// Begins the fast path.
    ///
    /// - Parameter asked: the targets that a caller is waiting for; none for a run that prepares.
    /// - Throws: an error if a decoder cannot be opened.
    init(
        _ work: Work, asked: [DecodePlan] = [], options: Options = .init(), _ resources: inout GroupResources
    ) throws(ScrubError) {
        let (decoder, feeds) = try resources.takeDecoder(for: work)
        (self.work, self.feeds, self.options, plan) = (work, feeds[...], options, work.plan.plan)
        (planner, allocator) = (resources.planner, resources.pool.allocator)
        self.asked = Dictionary(asked.map { ($0.target, $0) }, uniquingKeysWith: { one, _ in one })
        waiting = Set(work.targets)
        decoder.learn(work.plan.table)
        // The previous run may have left some in it.
        hasPicturesReady = options.comesOneByOne
        if options.returnsTargetsOnly {
            // A restart may be denied by its own picture.
            decoder.handOutOnly(planner.canBeDenied(plan) ? work.targets + [plan.restart] : work.targets)
        }
        pushesLeft = work.plan.table?.canRepeat == true ? decoder.threadDelay + 2 : 0
        usesAllocator = decoder.usesAllocator
        fedBefore = -decoder.findings.fed
        stage = .fast(decoder)
    }

    /// The reason why the run ended; `nil` while it continues.
    var end: End? { if case .over(let end) = stage { end } else { nil } }
    /// The fast path's decoder.
    var decoder: OpenDecoder? { if case .fast(let decoder) = stage { decoder } else { nil } }
    /// Whether the careful path has begun.
    private(set) var isCareful = false
    /// The targets of the fast path's work.
    package var targets: [Int] { work?.targets ?? [] }
    /// Whether everything that the fast path's targets need was fed.
    var isFed: Bool { decoder != nil && feeds.isEmpty && (pushesLeft == 0 || hasDrained) }
    /// The number of coded pictures given to decoders so far.
    package var decoded: Int {
        switch stage {
        case .proof(let prover): fedBefore + prover.fed
        case .fast(let decoder): fedBefore + decoder.findings.fed
        case .careful(let careful): fedBefore + careful.fed
        case .over: fedBefore
        }
    }

    /// Returns the number of coded pictures that are still to be fed up to a packet.
    func unitsLeft(through last: Int) -> Int { feeds.unitCount(through: last) }

    /// Returns whether a picture will still be output.
    func brings(_ picture: Int) -> Bool { end == nil && (asked[picture] != nil || waiting.contains(picture)) }

    /// Requests a picture that the run decodes anyway.
    func ask(_ plan: DecodePlan) { asked[plan.target] = plan }

    /// Adds packets that are not in the plan, so that a target is output without a drain.
    func feedOnward(_ onward: [Feed]) { feeds = onward[...] }

    /// Feeds one packet, or outputs the last pictures.
    ///
    /// - Returns: the decided pictures, including those that were not requested.
    /// - Throws: `inputOutput` if reading fails: the same step may be retried.
    func step(_ resources: inout GroupResources) throws(ScrubError) -> [JudgedPicture] {
        switch stage {
        case .proof(let prover):
            let isDecided = try prover.step(reader: &resources.reader)
            if prover.isStarved {
                end(.starved)
            } else if isDecided {
                planner.record(prover)
                resources.prover = nil
                end(.decided)
            }
            return []
        case .fast(let decoder): return try stepFast(decoder, &resources)
        case .careful(let careful): return try stepCarefully(careful, &resources)
        case .over: preconditionFailure("a finished run has no steps")
        }
    }

    /// Abandons the run. Its decoder keeps its position.
    func leave(_ resources: inout GroupResources) {
        if let decoder { put(decoder, &resources) }
        end(.left)
    }

    // MARK: The fast path

    private func stepFast(
        _ decoder: OpenDecoder, _ resources: inout GroupResources
    ) throws(ScrubError) -> [JudgedPicture] {
        var pictures: [DecodedPicture] = []
        if hasPicturesReady, let ready = decoder.next() {
            pictures = [ready]
        } else if options.comesOneByOne, mayLeaveDecoder {
            // All ready pictures were output; the rest arrive with the packets of another run.
        } else if let first = feeds.first {
            try decoder.feed(first, reader: &resources.reader)
            feeds = feeds.dropFirst()
        } else if pushesLeft > 0, !hasDrained {
            pushesLeft -= 1
            if try !decoder.push() { pushesLeft = 0 }
        } else if !hasDrained {
            hasDrained = true
            if options.comesOneByOne { waiting.formUnion(decoder.fed?.pending.filter(planner.index.isPresented) ?? []) }
            decoder.drain()
        }
        let isOneByOne = options.comesOneByOne || hasDrained && options.drainsOneByOne
        while !(isOneByOne && !pictures.isEmpty), let picture = decoder.next() { pictures.append(picture) }
        hasPicturesReady = options.comesOneByOne && !pictures.isEmpty
        let isEmpty = hasDrained && (!isOneByOne || pictures.isEmpty)
        if decoder.findings.isStarved {
            end(.starved)
            return []
        }
        guard decoder.isClean else {
            meetTrouble(&resources)
            return []
        }
        var judged: [JudgedPicture] = []
        let hadAsked = !asked.isEmpty
        for picture in pictures {
            if planner.isDenied(plan, by: picture) {
                deny()
                return judged
            }
            let isAsked = asked.removeValue(forKey: picture.number) != nil
            waiting.remove(picture.number)
            guard isAsked || isPromised(picture.number) else { continue }
            judged.append(judge(picture.number, picture.frame, .exact))
        }
        if hadAsked, asked.isEmpty { planner.noteSound(work) }
        if waiting.isEmpty || mayLeaveDecoder && !hasPicturesReady || asked.isEmpty && isFed && isEmpty {
            put(decoder, &resources)
            end(.complete)
        } else if isEmpty, !asked.isEmpty {
            meetTrouble(&resources)
        }
        return judged
    }

    /// Whether everything is fed, and pictures may stay inside the decoder.
    private var mayLeaveDecoder: Bool { asked.isEmpty && isFed && work?.isDrained == false }

    /// Returns whether a picture output along the way is correct as far as is known: its references were not skipped.
    private func isPromised(_ picture: Int) -> Bool {
        work?.plan.unjudged.contains(picture) != true && planner.isPromised(picture, by: plan)
    }

    /// Drops the decoder, and decides the requested pictures on the careful path.
    private func meetTrouble(_ resources: inout GroupResources) {
        resources.troubled.insert(plan.restart)
        end(.troubled)
        if !asked.isEmpty { beginCarefully(&resources) }
    }

    /// Puts a decoder back, where the next run may find it at its position.
    private func put(_ decoder: OpenDecoder, _ resources: inout GroupResources) {
        if options.returnsTargetsOnly { decoder.handOutOnly(nil) }
        if decoder.isClean { resources.pool.put(decoder) }
    }

    // MARK: The careful path

    private func beginCarefully(_ resources: inout GroupResources) {
        isCareful = true
        resources.makeRoom()
        var plans = asked.values.sorted { $0.target < $1.target }
        if planner.canBeDenied(plan) { plans.append(planner.plan(forPicture: plan.restart)) }
        stage = .careful(
            CarefulDecoder(
                plans, planner: planner, allocator: allocator, hasSecondOpinions: options.hasSecondOpinions))
    }

    private func stepCarefully(
        _ careful: CarefulDecoder, _ resources: inout GroupResources
    ) throws(ScrubError) -> [JudgedPicture] {
        var judged: [JudgedPicture] = []
        for picture in try careful.step(reader: &resources.reader) {
            usesAllocator = careful.usesAllocator
            if let frame = picture.frame {
                let decoded = DecodedPicture(number: picture.number, frame: frame)
                if planner.isDenied(plan, by: decoded) {
                    deny()
                    return judged
                }
            }
            asked[picture.number] = nil
            judged.append(judge(picture.number, picture.frame, picture.verdict))
        }
        if asked.isEmpty {
            end(.complete)
        } else if careful.isStarved {
            end(.starved)
        } else {
            precondition(!careful.isOver, "every requested picture must be answered")
        }
        return judged
    }

    // MARK: What both come to

    /// Judges a picture. This is the only place where a picture of this run becomes exact or not.
    private func judge(_ number: Int, _ frame: SharedFrame?, _ verdict: Verdict) -> JudgedPicture {
        JudgedPicture(number: number, frame: frame, verdict: planner.rated(verdict, plan))
    }

    /// Handles a decoder that contradicts the container's claim: the pictures are decoded from the previous restart.
    private func deny() {
        planner.proofs.record(plan.restart, isProven: false)
        end(.decided)
    }

    private func end(_ end: End) {
        fedBefore = decoded
        stage = .over(end)
    }
}
