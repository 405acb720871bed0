internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// Some work for one decoder, done packet by packet, so that it can be left between any two.
final class DecodeJob {
    /// Takes a picture that nothing speaks against.
    typealias Delivery = (Int, SharedFrame) throws(ScrubError) -> Void

    /// What is to be done.
    struct Work {
        var plan: FeedPlan
        /// Pictures that the work is done for.
        var targets: [Int]
        /// Whether the decoder is drained once everything is fed, or left where it stands with pictures still inside.
        var isDrained: Bool
    }

    let plan: FeedPlan
    let decoder: WarmDecoder
    /// Pictures that the work is done for and that did not come out yet.
    private(set) var waiting: Set<Int>
    private let isDrained: Bool
    /// What is left to feed.
    private var feeds: ArraySlice<Feed>
    private let before: Int
    /// How often the decoder can still be moved on by a packet without a picture.
    private var pushesLeft: Int

    /// - Parameter feeds: what the plan's targets take from where the decoder stands.
    init(_ work: Work, decoder: WarmDecoder, feeds: [Feed]) {
        plan = work.plan
        self.decoder = decoder
        isDrained = work.isDrained
        self.feeds = feeds[...]
        decoder.learn(plan.table)
        waiting = Set(work.targets)
        pushesLeft = plan.table?.canRepeat == true ? decoder.threadDelay + 2 : 0
        before = decoder.findings.fed
    }

    /// Coded pictures given to the decoder by this job.
    var fed: Int { decoder.findings.fed - before }
    /// Whether all packets were fed.
    var isFed: Bool { feeds.isEmpty }
    /// Whether nothing is left to do, or nothing good can come of it.
    var isOver: Bool {
        !decoder.isClean || waiting.isEmpty || (isFed && !canPush && (!isDrained || decoder.restart == nil))
    }
    /// Whether the decoder can be moved on once more, as far as it keeps pictures back.
    var canPush: Bool { pushesLeft > 0 && decoder.restart != nil }

    /// Feeds the next packet, or drains the decoder after the last one. Only pictures that nothing speaks against
    /// are handed out.
    func step(
        reader: inout PacketReader, deliver: Delivery
    ) throws(ScrubError) {
        if let first = feeds.popFirst() {
            try feed(first, reader: &reader, deliver: deliver)
        } else if canPush {
            try push(deliver)
        } else if decoder.restart != nil {
            try drain(deliver: deliver)
        }
    }

    private func push(_ deliver: Delivery) throws(ScrubError) {
        guard let packet = decoder.repetition else {
            pushesLeft = 0
            return
        }
        pushesLeft -= 1
        try decoder.push(packet) { (picture, frame, findings) throws(ScrubError) in
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
