internal import Bitstream
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// A decoder that stays open between requests, and knows where it stands.
final class WarmDecoder {
    private var run: DecodeRun
    /// Where the present run began; nothing when the decoder stands nowhere.
    private(set) var restart: Int?
    /// What it was fed since, ascending.
    private(set) var fed: [Feed] = []
    /// Pictures that were fed and did not come out yet.
    private(set) var pending: Set<Int> = []
    /// The clock of its last use.
    var used = 0

    init(
        index: FrameIndex, options: Decoder.Options, description: Int, allocator: FrameAllocator
    ) throws(ScrubError) {
        let run = try DecodeRun(index: index, options: options, description: description, allocator: allocator)
        (threadDelay, usesAllocator) = (run.threadDelay, run.usesAllocator)
        self.run = run
    }

    /// The last packet that was fed.
    var position: Int { fed.last?.picture ?? -1 }
    /// What the run found so far; a copy, because pictures are handed out while the run is being changed.
    private(set) var findings = DecodeRun.Findings()
    /// Whether nothing that happened since the run began speaks against its pictures.
    var isClean: Bool { findings.complaints.isEmpty }
    // Copies, as `findings`: they are read while the run is being changed.
    /// Pictures that the decoder keeps back because it decodes others at the same time.
    let threadDelay: Int
    /// Whether its pictures are in the allocator's memory.
    let usesAllocator: Bool

    func begin(_ plan: FeedPlan) {
        run.begin(at: plan.plan.restart, isSparse: plan.isProven, isOpen: plan.plan.start == .restart(.open))
        restart = plan.plan.restart
        fed = []
        pending = []
        findings = run.findings
    }

    func feed(_ feed: Feed, reader: inout PacketReader, deliver: DecodeRun.Delivery) throws(ScrubError) {
        fed.append(feed)
        pending.insert(feed.picture)
        try run.feed(feed, reader: &reader) { (picture, frame, findings) throws(ScrubError) in
            pending.remove(picture)
            self.findings = findings
            try deliver(picture, frame, findings)
        }
        findings = run.findings
    }

    /// Moves the decoder on by a packet without a picture.
    func push(_ bytes: [UInt8], deliver: DecodeRun.Delivery) throws(ScrubError) {
        try run.push(bytes, after: position) { (picture, frame, findings) throws(ScrubError) in
            pending.remove(picture)
            self.findings = findings
            try deliver(picture, frame, findings)
        }
        findings = run.findings
    }

    /// Hands out everything that is left; the decoder stands nowhere then.
    func drain(deliver: DecodeRun.Delivery) throws(ScrubError) {
        restart = nil
        try run.drain(after: position) { (picture, frame, findings) throws(ScrubError) in
            pending.remove(picture)
            self.findings = findings
            try deliver(picture, frame, findings)
        }
        findings = run.findings
    }

    /// Where in a plan's feeds the decoder would go on, if what it was fed fits the plan.
    ///
    /// It fits when everything that the plan feeds up to the decoder's position was fed, and the targets are still
    /// to come. What it was fed beyond that does no harm: a decoder may always see more.
    func continuation(of plan: FeedPlan, targets: some Sequence<Int>) -> Int? {
        guard restart == plan.plan.restart, isClean else { return nil }
        guard targets.allSatisfy({ $0 > position || pending.contains($0) }) else { return nil }
        var place = 0
        for (i, feed) in plan.feeds.enumerated() {
            guard feed.picture <= position else { return i }
            while place < fed.count, fed[place].picture < feed.picture { place += 1 }
            guard place < fed.count, fed[place].contains(feed) else { return nil }
        }
        return plan.feeds.count
    }
}
