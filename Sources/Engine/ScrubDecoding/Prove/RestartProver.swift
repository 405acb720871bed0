internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A comparison of the pictures after a restart with the run from the previous restart, picture by picture.
///
/// If the previous restart also only claims to be complete some pictures later, its run is first given the stream's
/// first picture. Parts that are never refreshed then show that picture, but are black in the run from the restart.
/// Otherwise, both runs would lack the same parts and agree.
///
/// It runs packet by packet, so it can be suspended between packets and resumed later. Use from one thread at a time.
///
/// Memory: one decoder with its own pictures, and a hash for each picture between the restart and the next one.
final class RestartProver {
    /// The restart to compare.
    let restart: Int
    private let planner: SeekPlanner
    private let allocator: FrameAllocator?
    /// Whether the restart claims to be complete some pictures later (H.264 D.2.8).
    let isGradual: Bool
    /// The number of refuted restarts when the comparison was chosen. If there are more now, pictures are decoded from
    /// others. `nil` if reads have since been abandoned, so that the choice is based on incomplete information.
    let refutations: Int?
    /// The starts of the runs: the previous restart, and the restart itself.
    private var starts: [DecodePlan]
    /// The picture that the first run is given before its own.
    private var seed: Int?
    /// The last packet of both runs. At first, it is close, because most false claims fail at once.
    private var last: Int
    /// The last packet that must be compared.
    private let lastOfAll: Int
    /// The pictures that are decoded from this restart, as long as it is trusted. For a gradual one, they include those
    /// that are decoded from later ones, as long as those are trusted.
    private let compared: Set<Int>
    private var pass = 0
    private var nextPacket = 0
    private var decoder: OpenDecoder?
    /// The hashes of the first run's pictures, and of those that the second run also produced.
    private var hashes: [Int: String] = [:]
    private var seen: Set<Int> = []
    private var fedBefore = 0
    /// The result; `nil` until there is one.
    private(set) var isProven: Bool?
    /// Whether there was no memory for a picture, so that there is no result.
    private(set) var isStarved = false

    /// The number of coded pictures given to decoders.
    var fed: Int { fedBefore + (decoder?.findings.fed ?? 0) }

    init(_ restart: Int, planner: SeekPlanner, allocator: FrameAllocator?) {
        (self.restart, self.planner, self.allocator) = (restart, planner, allocator)
        let refutations = planner.proofs.refutations
        let index = planner.index
        let own = planner.plan(forPicture: restart)
        // A gradual restart is not decoded from itself, because its first complete pictures come later.
        let isGradual = own.restart != restart
        let start = DecodePlan(
            target: restart, restart: restart, start: isGradual ? .restart(.gradual) : own.start, last: restart)
        let base = planner.plan(forPicture: restart, before: restart)
        starts = [base, start]
        let first = index.restarts.first.map { Int($0) } ?? 0
        seed = base.start == .restart(.gradual) && first < base.restart ? first : nil
        // A gradual restart counts until the next one has recovered, which may be after the one following that.
        let next = index.nextRestart(after: restart)
        let end = isGradual ? next.flatMap { index.nextRestart(after: $0) } : next
        let near = (end ?? index.pictures.count) - 1
        let reach = isGradual ? RestartProver.reach(of: restart, from: near, planner) : near
        let far = reach ?? near
        // Only restarts up to this one if it is gradual: later ones may still be refuted.
        let before = isGradual ? restart + 1 : Int.max
        let compared = Set(
            (restart...max(restart, far)).filter { picture in
                index.isPresented(picture) && !index.pictures.flags[picture].contains(.secondField)
                    && planner.plan(forPicture: picture, before: before).restart == restart
            })
        if isGradual {
            last = min(far, max(near, (compared.min() ?? near) + RestartProver.firstLook))
            // A restart without pictures to compare is not proven, nor is one that would take too long.
            if compared.isEmpty || reach == nil, !Cancellation.isCurrentCancelled { isProven = false }
        } else {
            last = far
        }
        (self.isGradual, self.compared, lastOfAll) = (isGradual, compared, far)
        self.refutations = Cancellation.isCurrentCancelled ? nil : refutations
    }

    /// The number of pictures to compare from the first complete one before a long run.
    private static let firstLook = 8

    /// Returns the last picture that is decoded from a gradual restart, as long as the others that are not refuted are
    /// trusted.
    ///
    /// - Parameter near: the minimum distance of the search.
    /// - Returns: `nil` if it is far after the restart, as in a video that constantly makes false claims.
    private static func reach(of restart: Int, from near: Int, _ planner: SeekPlanner) -> Int? {
        let index = planner.index
        var (last, others, picture) = (near, 0, near + 1)
        // The first picture of another restart is followed by those shown before it.
        while picture < index.pictures.count, others <= index.reorderDelay + 1 {
            if planner.plan(forPicture: picture).restart == restart {
                (last, others) = (picture, 0)
            } else {
                others += 1
            }
            picture += 1
            if picture - near > mostBehind { return nil }
        }
        return last
    }

    private static let mostBehind = 4096

    /// Feeds one packet, or drains the decoder after the last one.
    ///
    /// - Returns: whether there is a result.
    /// - Throws: `inputOutput` if reading fails, `unavailable` if the decoder cannot be opened.
    func step(reader: inout PacketReader) throws(ScrubError) -> Bool {
        if isProven != nil { return true }
        isStarved = false
        if decoder == nil { try open(&reader) }
        guard let decoder else { return false }
        let isLast = nextPacket > last
        if isLast {
            decoder.drain()
        } else {
            try decoder.feed(Feed(picture: nextPacket), reader: &reader)
            nextPacket += 1
            if pass == 0, let seed, nextPacket > seed, !planner.index.hasSecondField(nextPacket - 1) {
                nextPacket = max(nextPacket, starts[0].restart)
            }
        }
        while let picture = decoder.next() {
            guard compared.contains(picture.number) else { continue }
            let hash = try translatingErrors("the picture cannot be hashed") { () throws(AVError) in
                try picture.frame.frame.md5()
            }
            if pass == 0 {
                hashes[picture.number] = hash
            } else if hashes[picture.number] == hash {
                seen.insert(picture.number)
            } else {
                isProven = false
            }
        }
        if decoder.findings.isStarved {
            // The pass is useless; it is restarted when there is memory.
            isStarved = true
            restartPass()
        } else if isProven == false {
            restartPass()
        } else if isLast {
            finishPass()
            restartPass()
        }
        return isProven != nil
    }

    private func finishPass() {
        if pass == 0, seed != nil, hashes.count < compared.count(where: { $0 <= last }) {
            // Order counts that jump back make a decoder drop pictures; only the stream's beginning is then reliable.
            seed = nil
            starts[0] = DecodePlan(target: restart, restart: 0, start: .streamStart, last: restart)
        } else if pass == 0 {
            pass = 1
        } else if seen.count != hashes.count || isGradual && hashes.isEmpty {
            isProven = false
        } else if last < lastOfAll {
            (last, pass) = (lastOfAll, 0)
        } else {
            isProven = true
        }
    }

    private func restartPass() {
        fedBefore = fed
        decoder = nil
        seen = []
        if pass == 0 { hashes = [:] }
    }

    private func open(_ reader: inout PacketReader) throws(ScrubError) {
        let start = starts[pass]
        let first = pass == 0 ? seed ?? start.restart : start.restart
        let made = try OpenDecoder(
            repeatableFrom: first, start: start.start, index: planner.index,
            reader: &reader, allocator: allocator)
        (decoder, nextPacket) = (made, first)
    }
}
