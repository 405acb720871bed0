internal import Bitstream
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// A decoder that stays open between requests, and knows where it stands.
final class WarmDecoder {
    /// What is known of the packets since the restart.
    private enum History {
        /// All of them, ascending.
        case packets([Feed])
        /// What they left in the reference slots, where nothing else matters.
        case slots(ReferenceSlots)
    }

    private var run: DecodeRun
    /// Where the present run began; nothing when the decoder stands nowhere.
    private(set) var restart: Int?
    private var history = History.packets([])
    /// Describes the packets of the present run, as far as that is proven.
    private var table: DependencyTable?
    /// The furthest packet that was fed.
    private(set) var position = -1
    /// The first packet that it can go on from: its position, or one before where older frames are still held.
    var reach: Int {
        guard case .slots(let slots) = history, let restart else { return position }
        return min(position, slots.reach(from: restart))
    }
    /// What its last work would have cost from the restart on.
    private(set) var coldCost = 0
    /// Pictures that were fed and did not come out yet.
    private(set) var pending: Set<Int> = []

    init(
        index: FrameIndex, options: Decoder.Options, description: Int, allocator: FrameAllocator
    ) throws(ScrubError) {
        let run = try DecodeRun(index: index, options: options, description: description, allocator: allocator)
        (threadDelay, usesAllocator) = (run.threadDelay, run.usesAllocator)
        self.run = run
    }

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
        table = plan.table
        history = plan.table?.hasSlots == true ? .slots(ReferenceSlots()) : .packets([])
        position = -1
        pending = []
        findings = run.findings
    }

    /// Takes a table that describes what will be fed now.
    func learn(_ table: DependencyTable?) {
        if let table { self.table = table }
    }

    /// Takes down what the work that begins now would cost without what the decoder holds.
    func price(at cost: Int) { coldCost = cost }

    func feed(_ feed: Feed, reader: inout PacketReader, deliver: DecodeRun.Delivery) throws(ScrubError) {
        take(feed)
        try run.feed(feed, reader: &reader) { (picture, frame, findings) throws(ScrubError) in
            note(picture, findings)
            try deliver(picture, frame, findings)
        }
        findings = run.findings
    }

    /// Moves the decoder on by a packet without a picture.
    func push(_ bytes: [UInt8], deliver: DecodeRun.Delivery) throws(ScrubError) {
        try run.push(bytes, after: position) { (picture, frame, findings) throws(ScrubError) in
            note(picture, findings)
            try deliver(picture, frame, findings)
        }
        findings = run.findings
    }

    /// Hands out everything that is left; the decoder stands nowhere then.
    func drain(deliver: DecodeRun.Delivery) throws(ScrubError) {
        restart = nil
        try run.drain(after: position) { (picture, frame, findings) throws(ScrubError) in
            note(picture, findings)
            try deliver(picture, frame, findings)
        }
        findings = run.findings
    }

    /// Takes down that a picture came out.
    private func note(_ picture: Int, _ findings: DecodeRun.Findings) {
        pending.remove(picture)
        self.findings = findings
    }

    private func take(_ feed: Feed) {
        switch history {
        case .packets(var fed):
            // Not two owners of the array while it grows.
            history = .packets([])
            fed.append(feed)
            history = .packets(fed)
            pending.insert(feed.picture)
        case .slots(var slots):
            slots.take(feed, in: table)
            history = .slots(slots)
            if let table, table.describes(feed.picture), table.shows(feed.picture, units: feed.units) {
                pending.insert(feed.picture)
            }
        }
        position = max(position, feed.picture)
    }

    /// What is left to feed for a plan's targets, if the decoder can go on from where it stands.
    func rest(of plan: FeedPlan, targets: [Int]) -> [Feed]? {
        guard restart == plan.plan.restart, isClean else { return nil }
        return rest(of: plan.feeds, targets: targets, in: plan.table)
    }

    /// What is left of some packets that begin with the decoder's restart, if what it was fed fits them.
    ///
    /// In general it fits when everything up to the decoder's position was fed, and the targets are still to come. What
    /// it was fed beyond that does no harm: a decoder may always see more. Where the slots are known, only they count.
    ///
    /// - Parameter table: describes the packets, where that is proven.
    func rest(of feeds: [Feed], targets: [Int], in table: DependencyTable?) -> [Feed]? {
        let missing = targets.filter { !pending.contains($0) }
        switch history {
        case .slots(let slots):
            guard let restart, let table else { return nil }
            return slots.feeds(for: missing, from: restart, in: table)
        case .packets(let fed):
            guard missing.allSatisfy({ $0 > position }) else { return nil }
            var place = 0
            for (i, feed) in feeds.enumerated() {
                guard feed.picture <= position else { return Array(feeds[i...]) }
                while place < fed.count, fed[place].picture < feed.picture { place += 1 }
                guard place < fed.count, fed[place].contains(feed) else { return nil }
            }
            return []
        }
    }

    /// The packet that shows a frame once more and so moves the decoder on, where the format has one.
    var repetition: [UInt8]? {
        guard case .slots(let slots) = history, let table, table.canRepeat else { return nil }
        return slots.repeatable(in: table).map { AV1Repetition.temporalUnit(slot: $0) }
    }
}
