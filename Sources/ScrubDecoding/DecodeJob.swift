internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// Some work for one decoder, done packet by packet, so that it can be left between any two.
final class DecodeJob {
    /// Takes a picture that nothing speaks against.
    typealias Delivery = (Int, SharedFrame) throws(ScrubError) -> Void

    let plan: FeedPlan
    let decoder: WarmDecoder
    /// Pictures that the work is done for and that did not come out yet.
    private(set) var waiting: Set<Int>
    /// Whether the decoder is drained once everything is fed, or left where it stands with pictures still inside.
    private let isDrained: Bool
    private var next: Int
    private let before: Int
    /// A packet without a picture, by which the decoder moves on, where the format has one.
    private var push: [UInt8]?
    private var pushes = 0

    /// - Parameter first: the place in the plan's feeds where the decoder goes on.
    init(_ plan: FeedPlan, targets: some Sequence<Int>, decoder: WarmDecoder, first: Int, isDrained: Bool) {
        self.plan = plan
        self.decoder = decoder
        self.isDrained = isDrained
        waiting = Set(targets)
        next = first
        before = decoder.findings.fed
    }

    /// Coded pictures given to the decoder by this job.
    var fed: Int { decoder.findings.fed - before }
    /// Whether all packets were fed.
    var isFed: Bool { next == plan.feeds.count }
    /// Whether nothing is left to do, or nothing good can come of it.
    var isOver: Bool {
        !decoder.isClean || waiting.isEmpty || (isFed && !canPush && (!isDrained || decoder.restart == nil))
    }
    /// Whether the decoder can be moved on once more, as far as it keeps pictures back.
    var canPush: Bool { plan.isProven && decoder.restart != nil && pushes <= decoder.threadDelay + 1 && hasPush }
    private var hasPush: Bool { push != nil || plan.table?.canRepeat == true }

    /// Feeds the next packet, or drains the decoder after the last one. Only pictures that nothing speaks against
    /// are handed out.
    func step(
        reader: inout PacketReader, deliver: Delivery
    ) throws(ScrubError) {
        if next < plan.feeds.count {
            next += 1
            try feed(plan.feeds[next - 1], reader: &reader, deliver: deliver)
        } else if canPush {
            pushes += 1
            try pushOn(deliver)
        } else if decoder.restart != nil {
            try drain(deliver: deliver)
        }
    }

    private func pushOn(_ deliver: Delivery) throws(ScrubError) {
        if push == nil {
            guard let table = plan.table, let slot = ReferenceSlots(fed: decoder.fed, table: table).repeatable else {
                pushes = .max - 1
                return
            }
            push = AV1Repetition.temporalUnit(slot: slot)
        }
        guard let push else { return }
        try decoder.push(push) { (picture, frame, findings) throws(ScrubError) in
            try take(picture, frame, findings, deliver)
        }
    }

    /// Feeds a packet that is not in the plan.
    func feed(
        _ feed: Feed, reader: inout PacketReader, deliver: Delivery
    ) throws(ScrubError) {
        try decoder.feed(feed, reader: &reader) { (picture, frame, findings) throws(ScrubError) in
            try take(picture, frame, findings, deliver)
        }
    }

    /// Ends the decoder's run: everything comes out.
    func drain(deliver: Delivery) throws(ScrubError) {
        try decoder.drain { (picture, frame, findings) throws(ScrubError) in
            try take(picture, frame, findings, deliver)
        }
    }

    private func take(
        _ picture: Int, _ frame: SharedFrame, _ findings: DecodeRun.Findings,
        _ deliver: Delivery
    ) throws(ScrubError) {
        guard findings.complaints.isEmpty else { return }
        waiting.remove(picture)
        try deliver(picture, frame)
    }
}
