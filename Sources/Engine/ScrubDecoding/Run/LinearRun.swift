internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// The consecutive pictures of a stream from a frame on, as in a linear decode of the whole file.
///
/// It begins at the frame's restart, with the references of the frames from there on, and skips nothing once the frame
/// is reached. Groups follow each other without a drain. Use from one thread at a time.
///
/// Memory: the decoder's own pictures, and one packet.
final class LinearRun {
    let decoder: OpenDecoder
    private let planner: SeekPlanner
    /// The plan at which the run begins.
    let start: DecodePlan
    /// The packets to feed up to the first frame.
    private var leadIn: ArraySlice<Feed>
    /// The next packet after those, from where all packets are fed.
    private(set) var nextPacket: Int
    private var nextRestart: Int
    /// Whether the previous packet was a picture shown before the restart.
    private var skipsField = false
    private(set) var hasEnded = false
    /// A packet that could not be read yet.
    private var left: Int?

    private var index: FrameIndex { planner.index }

    /// Creates a run.
    ///
    /// - Parameter decoder: a decoder that was given nothing since it began at the work's restart.
    init(_ work: GroupRun.Work, decoder: OpenDecoder, feeds: [Feed], planner: SeekPlanner) {
        (self.decoder, self.planner, start) = (decoder, planner, work.plan.plan)
        leadIn = feeds[...]
        nextPacket = start.last + 1
        nextRestart = planner.index.nextRestart(after: start.last) ?? .max
    }

    /// Returns the work until a frame is reached, so that a run can continue from there: all references, and the
    /// pictures shown after it.
    static func work(for plan: DecodePlan, planner: SeekPlanner) -> GroupRun.Work {
        let index = planner.index
        var targets = [plan.target]
        if let table = planner.table(for: plan, through: plan.last), !table.hasSlots {
            let first = index.ranks[plan.restart]
            for picture in plan.restart..<plan.target {
                let isReference = table.has(.reference, in: picture)
                let rank = index.ranks[picture]
                if isReference ? rank < 0 || rank >= first : rank > index.ranks[plan.target] { targets.append(picture) }
            }
        } else if plan.restart < plan.target {
            targets += plan.restart..<plan.target
        }
        return GroupRun.Work(plan: planner.feedPlan(plan, targets: targets), targets: targets, isDrained: false)
    }

    /// Whether no more pictures will be output.
    var isOver: Bool { hasEnded || !decoder.isClean }
    /// The number of coded pictures given to the decoder.
    var fed: Int { decoder.findings.fed }

    /// Returns whether a frame will still be output, and no later restart is a shorter way to it.
    func reaches(_ plan: DecodePlan) -> Bool {
        !isOver && plan.restart >= start.restart && plan.restart < nextPacket
    }

    /// Feeds the next packet, or drains the decoder after the last one.
    ///
    /// - Returns: the output pictures that nothing contradicts.
    func step(reader: inout PacketReader) throws(ScrubError) -> [DecodedPicture] {
        if let first = leadIn.first {
            try decoder.feed(first, reader: &reader)
            leadIn = leadIn.dropFirst()
        } else if let packet = try nextFed(&reader) {
            left = packet
            try decoder.feed(Feed(picture: packet), reader: &reader)
            left = nil
        } else if !hasEnded {
            hasEnded = true
            decoder.drain()
        }
        var pictures: [DecodedPicture] = []
        while let picture = decoder.next() { pictures.append(picture) }
        return decoder.isClean ? pictures : []
    }

    /// Returns the packet that could not be read yet, or the next one.
    private func nextFed(_ reader: inout PacketReader) throws(ScrubError) -> Int? {
        if let left { return left }
        return try takePacket(&reader)
    }

    /// Returns the next packet after the first frame.
    private func takePacket(_ reader: inout PacketReader) throws(ScrubError) -> Int? {
        while nextPacket < index.pictures.count {
            let packet = nextPacket
            let isSkipped = showsBeforeStart(packet)
            if isSkipped { try decoder.skip(packet, reader: &reader) }
            nextPacket += 1
            if packet == nextRestart { passRestart() }
            if !isSkipped { return packet }
        }
        return nil
    }

    /// Returns whether a packet needs pictures before the restart, as pictures shown before an open one do.
    private func showsBeforeStart(_ packet: Int) -> Bool {
        guard start.start == .restart(.open) else { return false }
        if !index.pictures.flags[packet].contains(.secondField) {
            skipsField = index.ranks[packet] >= 0 && index.ranks[packet] < index.ranks[start.restart]
        }
        return skipsField
    }

    private func passRestart() {
        let restart = nextRestart
        nextRestart = index.nextRestart(after: restart) ?? .max
        let plan = planner.plan(forPicture: restart)
        guard plan.restart == restart, planner.unprovenRestarts(of: plan).isEmpty else { return }
        switch plan.start {
        case .restart(.instantaneous): decoder.pass(restart: restart, isSelfContained: true)
        // An H.264 decoder's messages about pictures before its open restart also appear in the next group.
        case .restart(.open): decoder.pass(restart: restart, isSelfContained: index.facts.codec != .h264)
        default: break
        }
    }
}
