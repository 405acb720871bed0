internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// Some frames of one group, decoded in one pass packet by packet: what they depend on and nothing else, or the careful
/// way when anything is complained of. Use from one thread at a time.
///
/// Memory: one decoder, and the frames that came out and were not taken.
final class WindowRun {
    private enum Way {
        case fast(OpenDecoder)
        case careful(CarefulDecoder)
        case over
    }

    private let planner: SeekPlanner
    private let work: DecodeTask.Work
    private var way: Way
    private var feeds: ArraySlice<Feed>
    private var hasDrained = false
    /// Wanted frames that did not come out yet, by their coded pictures.
    private var missing: [Int: (frame: Int, plan: DecodePlan)]
    private let allocator: FrameAllocator
    private var fedBefore: Int
    /// Frames that came out and were not taken, in the order in which they did.
    var out: [(frame: Int, picture: JudgedPicture)] = []
    /// The last picture that came out on the way and is none of the wanted ones.
    private(set) var passing: DecodedPicture?
    /// Whether there was no memory for a picture.
    private(set) var isStarved = false
    /// Whether the pictures are in the allocator's memory.
    private(set) var usesAllocator = true
    /// Whether the fast way met trouble.
    private(set) var isTroubled = false

    var restart: Int { work.plan.plan.restart }

    /// - Parameters:
    ///   - members: the frames with their plans, all from the same restart, at least one.
    ///   - isTroubled: whether the fast way is known to meet trouble.
    init(
        _ members: [(frame: Int, plan: DecodePlan)], isTroubled: Bool, planner: SeekPlanner, pool: inout OpenDecoderPool
    ) throws(ScrubError) {
        guard let last = members.max(by: { $0.plan.last < $1.plan.last }) else { preconditionFailure("no frames") }
        let targets = members.map(\.plan.target)
        self.planner = planner
        allocator = pool.allocator
        missing = Dictionary(members.map { ($0.plan.target, $0) }, uniquingKeysWith: { one, _ in one })
        work = DecodeTask.Work(
            plan: planner.feedPlan(last.plan, targets: targets), targets: targets, isDrained: true)
        if isTroubled {
            pool.clear()
            (way, feeds, fedBefore) = (.over, [], 0)
            self.isTroubled = true
            beginCarefully()
        } else {
            let (decoder, feeds) = try pool.take(for: work.plan, targets: targets)
            decoder.learn(work.plan.table)
            way = .fast(decoder)
            usesAllocator = decoder.usesAllocator
            self.feeds = feeds[...]
            fedBefore = -decoder.findings.fed
        }
    }

    /// Whether a frame will still come out of it.
    func expects(_ frame: Int) -> Bool { missing.values.contains { $0.frame == frame } }
    /// Whether there is nothing more to do; frames may still have to be taken.
    var isOver: Bool { if case .over = way { true } else { isStarved } }
    /// Coded pictures given to decoders.
    var fed: Int {
        switch way {
        case .fast(let decoder): fedBefore + decoder.findings.fed
        case .careful(let careful): fedBefore + careful.fed
        case .over: fedBefore
        }
    }

    /// Does about one packet, or takes one of the last pictures.
    func step(reader: inout PacketReader, pool: inout OpenDecoderPool) throws(ScrubError) {
        passing = nil
        switch way {
        case .over: return
        case .fast(let decoder): try stepFast(decoder, reader: &reader, pool: &pool)
        case .careful(let careful):
            for (number, picture) in try careful.step(reader: &reader) {
                usesAllocator = careful.usesAllocator
                if let member = missing.removeValue(forKey: number) { out.append((member.frame, picture)) }
            }
            if careful.isStarved { isStarved = true }
            if careful.isOver || missing.isEmpty { end() }
        }
    }

    private func stepFast(
        _ decoder: OpenDecoder, reader: inout PacketReader, pool: inout OpenDecoderPool
    ) throws(ScrubError) {
        if let first = feeds.first {
            try decoder.feed(first, reader: &reader)
            feeds = feeds.dropFirst()
            var found: [DecodedPicture] = []
            while let picture = decoder.next() { found.append(picture) }
            if decoder.isClean { for picture in found { take(picture) } }
        } else {
            if !hasDrained {
                hasDrained = true
                decoder.drain()
            }
            // One by one: they may have to wait for room.
            let picture = decoder.next()
            if let picture, decoder.isClean { take(picture) }
            if picture == nil, decoder.isClean, !missing.isEmpty { return meetTrouble(pool: &pool) }
        }
        if decoder.findings.isStarved {
            isStarved = true
            return end()
        }
        if !decoder.isClean { return meetTrouble(pool: &pool) }
        guard missing.isEmpty else { return }
        planner.noteSound(work)
        end()
        pool.put(decoder)
    }

    private func take(_ picture: DecodedPicture) {
        guard let member = missing.removeValue(forKey: picture.number) else {
            passing = picture
            return
        }
        out.append((member.frame, JudgedPicture(frame: picture.frame, verdict: .exact)))
    }

    /// The fast way's decoder is let go, and the careful way has the word.
    private func meetTrouble(pool: inout OpenDecoderPool) {
        isTroubled = true
        end()
        pool.clear()
        beginCarefully()
    }

    private func beginCarefully() {
        way = .careful(CarefulDecoder(missing.values.map(\.plan), planner: planner, allocator: allocator))
    }

    private func end() {
        fedBefore = fed
        way = .over
    }

    /// Lets go of the decoder before everything came out.
    func leave(pool: inout OpenDecoderPool) {
        if case .fast(let decoder) = way, decoder.isClean { pool.put(decoder) }
        end()
    }
}
