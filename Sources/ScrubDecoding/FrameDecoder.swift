internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// The careful way to a frame: one thread, every picture from the restart on, and a second opinion on what is not
/// clean. It gives the last word wherever the fast way met a complaint.
///
/// Policy only: plans are made by ``DecodePlanner``, decoding is done by ``DecodeRun``. Use from one thread at a time.
///
/// Memory: the decoder's own reference pictures and one packet; each answer is handed out as soon as it is there.
struct FrameDecoder: ~Copyable {
    /// What a run came to.
    private struct Outcome {
        /// Targets that did not come out.
        var missing: Set<Int>
        var findings = DecodeRun.Findings()
    }

    typealias Answer = FrameEngine.Answer

    private let index: FrameIndex
    private let planner: DecodePlanner
    private var reader: PacketReader
    private var inspector = RestartInspector()
    private var run: DecodeRun?

    private let allocator: FrameAllocator?

    /// - Parameter allocator: where pictures are put; nothing for libavcodec's own memory.
    init(file: FileSource, index: FrameIndex, allocator: FrameAllocator?) {
        self.index = index
        self.allocator = allocator
        planner = DecodePlanner(index)
        reader = PacketReader(file: file, index: index)
    }

    /// Lets the decoder go with the pictures that it holds.
    mutating func close() { run = nil }

    /// The plan for a frame, without decoding it. May read the headers of restarts.
    private mutating func plan(forFrame frame: Int) -> DecodePlan {
        plan(forPicture: Int(index.frames[frame]))
    }

    private mutating func plan(
        forPicture picture: Int, before: Int = .max, selfContainedOnly: Bool = false
    ) -> DecodePlan {
        planner.plan(
            forPicture: picture, before: before, selfContainedOnly: selfContainedOnly,
            isReference: { inspector.isReference($0, reader: reader) },
            access: { inspector.access(of: $0, in: index, reader: reader) })
    }

    /// Decodes frames, each group of pictures once, and hands every answer out as soon as it is there.
    ///
    /// - Parameter frames: frame numbers in any order; repeats are answered once.
    mutating func decode(
        frames: [Int], deliver: (Int, Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var groups: [Int: [DecodePlan]] = [:]
        for frame in Set(frames) {
            let plan = plan(forFrame: frame)
            groups[plan.restart, default: []].append(plan)
        }
        for restart in groups.keys.sorted() {
            try decode(group: (groups[restart] ?? []).sorted { $0.target < $1.target }, deliver: deliver)
        }
    }

    private mutating func decode(
        group plans: [DecodePlan], deliver: (Int, Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        guard let first = plans.first, let last = plans.map(\.last).max() else { return }
        let byTarget = Dictionary(uniqueKeysWithValues: plans.map { ($0.target, $0) })
        var doubtful: [DecodePlan] = []
        let (index, shares) = (index, FrameDecoder.shares(of: plans))
        let outcome = try perform(
            from: first, through: last, targets: Set(byTarget.keys), reorderDelay: index.reorderDelay
        ) { (picture, frame, outcome) throws(ScrubError) in
            guard let plan = byTarget[picture], let number = index.frame(ofPicture: picture) else { return }
            var answer = FrameDecoder.judge(plan, frame, outcome, index: index)
            answer.decoded = shares[picture] ?? outcome.findings.fed
            if answer.verdict == .exact || plan.isSelfContained {
                try deliver(number, answer)
            } else {
                doubtful.append(plan)
            }
        }
        doubtful += plans.filter { outcome.missing.contains($0.target) }
        for plan in doubtful {
            guard let number = index.frame(ofPicture: plan.target) else { continue }
            var answer = try secondOpinion(on: plan, outcome)
            answer.decoded += shares[plan.target] ?? 0
            try deliver(number, answer)
        }
    }

    /// How many pictures each answer of one run cost: those fed since the answer before it.
    private static func shares(of plans: [DecodePlan]) -> [Int: Int] {
        var shares: [Int: Int] = [:]
        var done = (plans.first?.restart ?? 0) - 1
        for plan in plans {
            shares[plan.target] = max(0, plan.last - done)
            done = max(done, plan.last)
        }
        return shares
    }

    /// Looks at a doubtful picture again.
    ///
    /// A picture that did not come out may have been dropped because the decoder had to learn its reorder delay, and
    /// one with complaints may only suffer from an open restart. So: the greatest delay, and a restart that leaves
    /// nothing open, at last the beginning of the stream. What is still not clean then is the file's own damage.
    private mutating func secondOpinion(
        on doubtful: DecodePlan, _ first: Outcome
    ) throws(ScrubError) -> Answer {
        let fallback = plan(
            forPicture: doubtful.target, before: doubtful.restart, selfContainedOnly: !doubtful.isSelfContained)
        var best = FrameDecoder.judge(doubtful, nil, first, index: index)
        var decoded = 0
        // The original plan stands last too: where nothing cleaner gives a picture, its damaged one is the answer.
        for plan in [fallback, doubtful] where plan.restart < doubtful.restart || plan == doubtful {
            run = nil
            var found: Answer?
            let index = index
            let outcome = try perform(
                from: plan, through: plan.last, targets: [plan.target], reorderDelay: 16
            ) { (_, frame, outcome) throws(ScrubError) in
                found = FrameDecoder.judge(plan, frame, outcome, index: index)
            }
            run = nil
            decoded += outcome.findings.fed
            if let found {
                best = found
                break
            }
        }
        best.decoded = decoded
        return best
    }

    private mutating func perform(
        from plan: DecodePlan, through last: Int, targets: Set<Int>, reorderDelay: Int,
        deliver: (Int, SharedFrame, Outcome) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Outcome {
        let restart = plan.restart
        let description = index.pictures.description(of: restart)
        if run == nil {
            var options = Decoder.Options()
            options.isRepeatable = true
            options.reorderDelay = reorderDelay
            options.x264Build = reader.encoderBuild()
            run = try DecodeRun(
                index: index, options: options, description: description, allocator: allocator)
        }
        // A decoder that met damage is not used again: libavcodec's flush leaves traces of it behind, which then show
        // in sound pictures of later runs. The same goes for one that was left in the middle of a run.
        guard var present = run.take() else { preconditionFailure("the run was just made") }
        var outcome = Outcome(missing: targets)
        let take: DecodeRun.Delivery = { (picture, frame, findings) throws(ScrubError) in
            outcome.findings = findings
            if outcome.missing.remove(picture) != nil { try deliver(picture, frame, outcome) }
        }
        present.begin(at: restart, isSparse: false, isOpen: plan.start == .restart(.open))
        for number in restart...last where !outcome.missing.isEmpty {
            try present.feed(Feed(picture: number), reader: &reader, deliver: take)
        }
        if !outcome.missing.isEmpty { try present.drain(after: last, deliver: take) }
        outcome.findings = present.findings
        if outcome.findings.complaints.isEmpty, outcome.missing.isEmpty { run = consume present }
        return outcome
    }

    private static func judge(
        _ plan: DecodePlan, _ frame: SharedFrame?, _ outcome: Outcome, index: FrameIndex
    ) -> Answer {
        let complaint = firstComplaint(plan, outcome, index)
        let verdict: Verdict =
            switch (frame, complaint) {
            case (nil, let complaint): .undecodable(complaint ?? "the decoder made no picture of it")
            case (_, let complaint?): .damaged(complaint)
            case (_, nil): .exact
            }
        return Answer(picture: plan.target, frame: frame, verdict: verdict, decoded: outcome.findings.fed, plan: plan)
    }

    /// The first complaint on the way to the target, leaving out leading pictures of the restart: they miss what is
    /// before it by design, and nothing that shows later may depend on them.
    private static func firstComplaint(
        _ plan: DecodePlan, _ outcome: Outcome, _ index: FrameIndex
    ) -> String? {
        let restartRank = index.ranks[plan.restart]
        let first = outcome.findings.complaints.keys.filter { number in
            guard number >= plan.restart, number <= plan.last else { return false }
            // Leading pictures of a stream that begins in an open group.
            if index.pictures.flags[number].contains(.undecodable) { return false }
            if case .streamStart = plan.start { return true }
            return index.ranks[number] < 0 || index.ranks[number] >= restartRank
        }.min()
        return first.flatMap { number in
            outcome.findings.complaints[number].map { number == plan.target ? $0 : "\($0) in coded picture \(number)" }
        }
    }
}
