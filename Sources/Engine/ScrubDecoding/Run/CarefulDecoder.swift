internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// The careful path for decoding the frames of one group. It uses one thread, decodes every picture from the restart
/// on, and gets a second opinion on pictures that are not clean. Its result is authoritative if the fast path had
/// complaints.
///
/// AV1 is different: the decoder is given only the units that each picture needs, one by one. An error there spoils the
/// rest of its temporal unit. After a command that shows an empty slot, dav1d recovers only at a header that does not
/// follow a delimiter. Otherwise, units on which a picture does not depend would affect the result.
///
/// It runs packet by packet, so it can be suspended between packets. Its verdict on a picture depends on the file
/// alone, not on other requests. Use from one thread at a time.
///
/// Memory: one decoder with its own reference pictures, and one packet.
final class CarefulDecoder {
    /// A pass through a decoder.
    private struct Attempt {
        var plan: DecodePlan
        /// The pictures to decode, with the plans by which they are judged: damage before a picture's own restart does
        /// not count, wherever the pass begins.
        var targets: [Int: DecodePlan]
        var last: Int
        var reorderDelay: Int
        /// Whether pictures that are not clean are examined again.
        var isFirst: Bool
        /// Whether the decoder waits for more pictures than the stream requires, so that it outputs pictures that a
        /// linear decode drops.
        var isPatient = false
    }

    private let planner: SeekPlanner
    private let allocator: FrameAllocator?
    private let hasSecondOpinions: Bool
    private var attempts: ArraySlice<Attempt>
    private var decoder: OpenDecoder?
    private var nextPacket = 0
    /// The remaining packets to feed; `nil` for every packet.
    private var parts: ArraySlice<Feed>?
    private var hasDrained = false
    private var missing: Set<Int> = []
    /// The best result for pictures that get a second opinion.
    private var undecided: [Int: JudgedPicture] = [:]
    private var fedBefore = 0

    private var index: FrameIndex { planner.index }

    /// Creates a careful decoder.
    ///
    /// - Parameters:
    ///   - plans: the pictures to decode, all planned from the same restart.
    ///   - allocator: the allocator of pictures; `nil` for libavcodec's own memory.
    ///   - hasSecondOpinions: whether pictures that are not clean are examined again from further back, possibly from
    ///     the stream's beginning.
    init(
        _ plans: [DecodePlan], planner: SeekPlanner, allocator: FrameAllocator?, hasSecondOpinions: Bool = true
    ) {
        (self.planner, self.allocator, self.hasSecondOpinions) = (planner, allocator, hasSecondOpinions)
        attempts = []
        guard let first = plans.first, let last = plans.map(\.last).max() else { return }
        let targets = Dictionary(plans.map { ($0.target, $0) }, uniquingKeysWith: { one, _ in one })
        guard !isSelective else {
            attempts =
                targets.values.sorted { $0.target < $1.target }.map { plan in
                    Attempt(
                        plan: plan, targets: [plan.target: plan], last: plan.last, reorderDelay: index.reorderDelay,
                        isFirst: true)
                }[...]
            return
        }
        attempts = [
            Attempt(plan: first, targets: targets, last: last, reorderDelay: index.reorderDelay, isFirst: true)
        ]
    }

    /// Whether every picture was answered, or memory was refused.
    var isOver: Bool { attempts.isEmpty }
    /// Whether there was no memory for a picture, so that missing pictures are not the file's fault.
    private(set) var isStarved = false
    /// Whether the pictures use the allocator's memory.
    private(set) var usesAllocator = true
    /// The number of coded pictures given to decoders.
    var fed: Int { fedBefore + (decoder?.findings.fed ?? 0) }

    /// Feeds one packet, or drains the decoder after the last one.
    ///
    /// - Returns: the decided pictures, and others along the way that the same pass decides.
    /// - Throws: `inputOutput` if reading fails, `unavailable` if the decoder cannot be opened.
    func step(reader: inout PacketReader) throws(ScrubError) -> [JudgedPicture] {
        guard let attempt = attempts.first else { return [] }
        if decoder == nil { try open(attempt, &reader) }
        guard let decoder else { return [] }
        if let next = nextFeed(attempt) {
            try decoder.feed(next, reader: &reader)
            parts = parts?.dropFirst()
            nextPacket = next.picture + 1
        } else {
            decoder.drain()
            hasDrained = true
        }
        var decided: [JudgedPicture] = []
        while let picture = decoder.next() {
            if let found = take(picture, from: decoder, attempt) { decided.append(found) }
        }
        if decoder.findings.isStarved {
            isStarved = true
            close()
            attempts = []
            return decided
        }
        if missing.isEmpty || hasDrained { decided += finish(attempt, decoder) }
        return decided
    }

    private var isSelective: Bool { index.facts.codec == .av1 }

    private func nextFeed(_ attempt: Attempt) -> Feed? {
        if let parts { return parts.first }
        return nextPacket <= attempt.last ? Feed(picture: nextPacket) : nil
    }

    private func open(_ attempt: Attempt, _ reader: inout PacketReader) throws(ScrubError) {
        let restart = attempt.plan.restart
        // Always a new one: libavcodec's flush leaves traces of damage, which then appear in intact pictures.
        let made = try OpenDecoder(
            repeatableFrom: restart, start: attempt.plan.start, index: index,
            reorderDelay: attempt.reorderDelay, reader: &reader, allocator: allocator)
        (decoder, nextPacket, hasDrained, missing) = (made, restart, false, Set(attempt.targets.keys))
        usesAllocator = made.usesAllocator
        parts = nil
        guard isSelective else { return }
        // An incomplete result would change the verdict.
        let needed = Cancellation.performing(nil) { planner.feedPlan(attempt.plan, targets: [attempt.plan.target]) }
        if needed.isProven { parts = needed.feeds[...] }
    }

    private func close() {
        fedBefore = fed
        decoder = nil
    }

    /// Judges an output picture; `nil` if it is not decided yet, or not needed.
    private func take(_ picture: DecodedPicture, from decoder: OpenDecoder, _ attempt: Attempt) -> JudgedPicture? {
        let isWanted = missing.remove(picture.number) != nil
        guard let plan = attempt.targets[picture.number] ?? planOnTheWay(picture.number, attempt) else { return nil }
        var judged = judge(picture.number, plan, picture.frame, decoder.findings)
        if attempt.isPatient, judged.isExact {
            judged = JudgedPicture(
                number: judged.number, frame: judged.frame, verdict: .damaged(CarefulDecoder.outOfOrder))
        }
        if !attempt.isFirst || judged.isExact || plan.isSelfContained { return judged }
        if isWanted { undecided[picture.number] = judged }
        return nil
    }

    /// Returns the plan of a picture that was not requested but that this pass also decides.
    private func planOnTheWay(_ number: Int, _ attempt: Attempt) -> DecodePlan? {
        guard attempt.isFirst, !isSelective, index.isPresented(number) else { return nil }
        let plan = planner.plan(forPicture: number)
        return plan.restart == attempt.plan.restart && plan.last < nextPacket ? plan : nil
    }

    private func finish(_ attempt: Attempt, _ decoder: OpenDecoder) -> [JudgedPicture] {
        defer { close() }
        attempts.removeFirst()
        if attempt.isFirst {
            for plan in attempt.targets.values.sorted(by: { $0.target < $1.target })
            where missing.contains(plan.target) || undecided[plan.target] != nil {
                undecided[plan.target] = judge(plan.target, plan, nil, decoder.findings)
                attempts += secondOpinions(on: plan)
            }
            // If a stream begins with damage, there is no second opinion, and the first result is final.
            return settle(attempt.targets.keys.sorted())
        }
        if missing.isEmpty {
            let done = Set(attempt.targets.keys)
            attempts.removeAll { !done.isDisjoint(with: $0.targets.keys) }
            for target in done { undecided[target] = nil }
            return []
        }
        return settle(attempt.targets.keys.sorted())
    }

    /// Returns the answers for pictures for which no further attempt is made.
    private func settle(_ targets: [Int]) -> [JudgedPicture] {
        targets.compactMap { target in
            guard !attempts.contains(where: { $0.targets[target] != nil }) else { return nil }
            return undecided.removeValue(forKey: target)
        }
    }

    /// Returns the attempts that examine a doubtful picture again.
    ///
    /// A picture with complaints may only suffer from an open restart. Therefore, the attempts use a self-contained
    /// restart, and finally the beginning of the stream. A picture that is still not clean then shows the file's own
    /// damage. A picture that was not output may have been dropped because it arrived too late, for example if the
    /// stream contains it twice. With the maximum delay it is output, but it is not a picture of a linear decode.
    private func secondOpinions(on doubtful: DecodePlan) -> [Attempt] {
        // A picture that is only examined is worth a more patient decoder, but not a run from another restart.
        let fallback =
            hasSecondOpinions
            ? planner.plan(
                forPicture: doubtful.target, before: doubtful.restart, selfContainedOnly: !doubtful.isSelfContained)
            : doubtful
        // The original plan is also last: if no cleaner attempt produces a picture, its damaged one is the answer.
        return [(fallback, index.reorderDelay), (doubtful, CarefulDecoder.greatestReorderDelay)]
            .filter { plan, delay in
                plan.restart < doubtful.restart
                    || plan == doubtful && (hasSecondOpinions || delay > index.reorderDelay)
            }
            .map { plan, delay in
                Attempt(
                    plan: plan, targets: [plan.target: doubtful], last: plan.last, reorderDelay: delay, isFirst: false,
                    isPatient: delay > index.reorderDelay)
            }
    }

    private static let outOfOrder: Wording = "it is coded after pictures that are shown later, so decoders drop it"

    /// The decoded picture buffer of H.264 and HEVC holds at most 16 pictures (ITU-T H.264 A.3.1, H.265 A.4.2).
    private static let greatestReorderDelay = 16

    private func judge(
        _ number: Int, _ plan: DecodePlan, _ frame: SharedFrame?, _ findings: OpenDecoder.Findings
    ) -> JudgedPicture {
        let complaint =
            firstComplaint(plan, findings)
            ?? (planner.isMisplaced(number) ? "its time contradicts the order of its pictures" : nil)
        let verdict: Verdict =
            switch (frame, complaint) {
            case (nil, let complaint): .undecodable(Wording(complaint ?? "the decoder produced no picture for it"))
            case (_, let complaint?): .damaged(Wording(complaint))
            case (_, nil): .exact
            }
        return JudgedPicture(number: number, frame: frame, verdict: verdict)
    }

    /// Returns the first complaint about a packet on which the target depends.
    ///
    /// Leading pictures of the restart do not count: they lack earlier pictures by design, and no later picture may
    /// depend on them. Packets that the fast path would have skipped do not count either; otherwise, the verdict would
    /// depend on other requests.
    private func firstComplaint(_ plan: DecodePlan, _ findings: OpenDecoder.Findings) -> String? {
        guard !findings.complaints.isEmpty else { return nil }
        let plan = planner.judgingPlan(of: plan)
        let restartRank = index.ranks[plan.restart]
        // An incomplete result would change the verdict.
        let feeds = Cancellation.performing(nil) { planner.feedPlan(plan, targets: [plan.target]) }
        let needed = feeds.isProven ? Set(feeds.feeds.map(\.picture)) : nil
        let first = findings.complaints.keys.filter { number in
            guard number >= plan.restart, number <= plan.last else { return false }
            if let needed, !needed.contains(number) { return false }
            // Leading pictures of a stream that begins in an open group.
            if index.pictures.flags[number].contains(.undecodable) { return false }
            if plan.start == .streamStart || plan.start == .stretchStart { return true }
            return index.ranks[number] < 0 || index.ranks[number] >= restartRank
        }.min()
        return first.flatMap { number in
            findings.complaints[number].map { words in
                // The decoder's own message, which is sometimes a sentence.
                let clause = words.hasSuffix(".") ? String(words.dropLast()) : words
                if number == plan.target { return clause }
                let other =
                    switch index.frame(ofPicture: number) {
                    case let frame?: index.number(ofFrame: frame).map { "frame \($0)" } ?? "an earlier frame"
                    case nil: "a picture that is not shown"
                    }
                return "\(clause) in \(other), on which it depends"
            }
        }
    }
}
