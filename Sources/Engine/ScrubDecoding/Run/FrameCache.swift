package import ScrubLibAV
package import ScrubBase

/// Decoded pictures that may be wanted again, within a number of bytes.
///
/// Pictures are kept by reference: keeping one costs the memory that its decoder allotted, and no copy. The pictures
/// that are furthest from the places that are looked at go first. A place that is not returned to for a while counts as
/// further and further away. A value; use from one thread at a time.
///
/// Where requests jump about, the pictures on the way to one are not asked for. Then it keeps a few alone, if it was
/// made so.
package struct FrameCache: EvictablePictures {
    /// A place in display order that was asked for.
    private struct Playhead: Sendable {
        var rank: Int32
        /// The clock of its last use.
        var used: Int
        /// The way it moves: 1 forward, -1 backward, 0 unknown.
        var direction: Int32
    }

    /// The most bytes that all entries together may have.
    package private(set) var byteLimit: Int
    package private(set) var byteCount = 0
    /// The most bytes that one of its pictures had so far; 0 before the first.
    private(set) var largestByteCount = 0
    private var entries: [Int: JudgedPicture] = [:]
    /// Entries by rank, ascending.
    private var order: [(rank: Int32, picture: Int)] = []
    private var playheads: [Playhead] = []
    private var clock = 0
    /// Whether many pictures are kept for a movement alone.
    private let isFrugal: Bool
    /// Whether requests jump about.
    private var isScattered = true

    /// Distance within which two requests are one playhead's movement.
    private static let reach: Int32 = 64
    private static let playheadLimit = 4
    /// Pictures that are kept where requests jump about.
    private static let scatteredCount = 3

    /// - Parameter isFrugal: whether few are kept while requests jump about.
    package init(byteLimit: Int, isFrugal: Bool = false) {
        (self.byteLimit, self.isFrugal) = (byteLimit, isFrugal)
    }

    /// The most bytes now.
    private var presentLimit: Int {
        guard isFrugal, isScattered else { return byteLimit }
        let (bytes, overflow) = largestByteCount.multipliedReportingOverflow(by: FrameCache.scatteredCount)
        return overflow ? byteLimit : min(byteLimit, bytes)
    }

    package mutating func limit(to bytes: Int) {
        byteLimit = max(0, bytes)
        while byteCount > byteLimit, evictOne() {}
    }

    package mutating func evictOne() -> Bool {
        guard let victim = candidates.max(by: { remoteness(order[$0].rank) < remoteness(order[$1].rank) }) else {
            return false
        }
        let picture = order.remove(at: victim).picture
        if let entry = entries.removeValue(forKey: picture) { byteCount -= entry.keptByteCount }
        return true
    }

    /// Returns the picture whose place in display order is nearest.
    package func nearest(to rank: Int32) -> (picture: Int, frame: SharedFrame, verdict: Verdict)? {
        let start = place(of: rank)
        let above = order[start...].lazy.compactMap(found).first
        let below = order[..<start].reversed().lazy.compactMap(found).first
        guard let above, let below else { return (above ?? below).map { ($0.picture, $0.frame, $0.verdict) } }
        let nearer = abs(Int(above.rank) - Int(rank)) < abs(Int(below.rank) - Int(rank)) ? above : below
        return (nearer.picture, nearer.frame, nearer.verdict)
    }

    /// Returns a place's picture; `nil` if only its verdict is known.
    private func found(
        _ place: (rank: Int32, picture: Int)
    ) -> (rank: Int32, picture: Int, frame: SharedFrame, verdict: Verdict)? {
        guard let kept = entries[place.picture], let frame = kept.frame else { return nil }
        return (place.rank, place.picture, frame, kept.verdict)
    }

    /// The exact pictures, by their numbers: those first that go first.
    package var exactPictures: [Int] {
        order.filter { entries[$0.picture]?.isExact == true && entries[$0.picture]?.frame != nil }
            .map { (remoteness: remoteness($0.rank), picture: $0.picture) }
            .sorted { $0.remoteness > $1.remoteness }
            .map(\.picture)
    }

    var count: Int { entries.count }

    /// A picture with its verdict, if it is there.
    package subscript(picture: Int) -> JudgedPicture? { entries[picture] }

    /// Notes that a place in display order is looked at.
    ///
    /// - Parameter isScattered: whether requests jump about (``AccessPattern/Hint/isScattered``).
    package mutating func look(at rank: Int32, isScattered: Bool = true) {
        clock += 1
        self.isScattered = isScattered
        defer { while byteCount > presentLimit, evictOne() {} }
        // The few are for the newest place.
        if isFrugal, isScattered { playheads = [] }
        let near = playheads.indices.min { abs(playheads[$0].rank - rank) < abs(playheads[$1].rank - rank) }
        if let near, abs(playheads[near].rank - rank) <= FrameCache.reach {
            let step = rank - playheads[near].rank
            playheads[near] = Playhead(
                rank: rank, used: clock, direction: step == 0 ? playheads[near].direction : step.signum())
            return
        }
        if playheads.count == FrameCache.playheadLimit,
            let oldest = playheads.indices.min(by: { playheads[$0].used < playheads[$1].used })
        {
            playheads.remove(at: oldest)
        }
        playheads.append(Playhead(rank: rank, used: clock, direction: 0))
    }

    /// Keeps a picture, at the cost of those that matter less; or not, when it matters least itself.
    package mutating func insert(_ judged: JudgedPicture, rank: Int32) {
        let picture = judged.number
        let size = judged.keptByteCount
        largestByteCount = max(largestByteCount, size)
        let limit = presentLimit
        guard size <= limit, entries[picture] == nil else { return }
        entries[picture] = judged
        order.insert((rank, picture), at: place(of: rank))
        byteCount += size
        while byteCount > limit, evictOne() {}
    }

    /// Returns the number of pictures that there is room for.
    ///
    /// - Parameter estimate: the bytes of one, 1 or more, while none is known.
    func capacity(estimate: Int) -> Int { byteLimit / (largestByteCount > 0 ? largestByteCount : max(1, estimate)) }

    /// Whether a picture would stay if it came now: there is room, or another one matters less.
    ///
    /// - Parameter estimate: as for ``capacity(estimate:)``.
    func hasRoom(for rank: Int32, estimate: Int) -> Bool {
        let size = largestByteCount > 0 ? largestByteCount : estimate
        guard size <= byteLimit else { return false }
        guard byteCount > byteLimit - size else { return true }
        let own = remoteness(rank)
        return candidates.contains { remoteness(order[$0].rank) > own }
    }

    /// Places that can be the most remote ones: both ends, and around the middle between two playheads.
    private var candidates: [Int] {
        guard !order.isEmpty else { return [] }
        var places = [0, order.count - 1]
        let heads = playheads.sorted { $0.rank < $1.rank }
        // Any two, not only neighbours: an old playhead between two others may be the nearest of nothing.
        for (i, a) in heads.enumerated() {
            for b in heads[(i + 1)...] {
                // Just behind where the remoteness from both is the same.
                let (x, y) = (weight(a, isAhead: true), weight(b, isAhead: false))
                let gap = Double(b.rank - a.rank)
                let place = place(of: a.rank + Int32(gap * y / (x + y)) + 1)
                places += [place - 1, place].filter { order.indices.contains($0) }
            }
        }
        return places
    }

    private func remoteness(_ rank: Int32) -> Double {
        playheads.map { Double(abs(rank - $0.rank)) * weight($0, isAhead: rank > $0.rank) }.min() ?? 0
    }

    /// Returns the weight of a frame of distance from a playhead.
    private func weight(_ head: Playhead, isAhead: Bool) -> Double {
        let age = Double(clock - head.used)
        let isBehind = head.direction != 0 && (head.direction > 0) != isAhead
        return (1 + age / 4) * (isBehind ? 2 : 1)
    }

    /// Returns the first place whose rank is not below `rank`.
    private func place(of rank: Int32) -> Int { order.partitioningIndex { $0.rank >= rank } }
}
