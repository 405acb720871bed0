package import ScrubLibAV
package import ScrubBase

/// A cache of decoded pictures, within a byte limit.
///
/// Pictures are held by reference: caching one costs the memory that its decoder allocated, without a copy. The
/// pictures farthest from the requested positions are evicted first. A position that is not revisited for a while
/// counts as increasingly distant. A value type; use from one thread at a time.
///
/// If requests jump around, pictures decoded on the way to a target are not requested. In that case, the cache
/// optionally keeps only a few.
package struct FrameCache: EvictablePictures {
    /// A requested position in display order.
    private struct Playhead: Sendable {
        var rank: Int32
        /// The clock value at its last use.
        var used: Int
        /// Its direction: 1 forward, -1 backward, 0 unknown.
        var direction: Int32
    }

    /// The maximum total size of all entries in bytes.
    package private(set) var byteLimit: Int
    package private(set) var byteCount = 0
    /// The size in bytes of its largest picture so far; 0 before the first.
    private(set) var largestByteCount = 0
    private var entries: [Int: JudgedPicture] = [:]
    /// The entries in ascending order of rank.
    private var order: [(rank: Int32, picture: Int)] = []
    private var playheads: [Playhead] = []
    private var clock = 0
    /// Whether many pictures are kept for a movement only.
    private let isFrugal: Bool
    /// Whether requests jump around.
    private var isScattered = true

    /// The distance within which two requests belong to one playhead's movement.
    private static let reach: Int32 = 64
    private static let playheadLimit = 4
    /// The number of pictures that are kept if requests jump around.
    private static let scatteredCount = 3

    /// Creates a cache.
    ///
    /// - Parameter isFrugal: whether only a few pictures are kept while requests jump around.
    package init(byteLimit: Int, isFrugal: Bool = false) {
        (self.byteLimit, self.isFrugal) = (byteLimit, isFrugal)
    }

    /// The current maximum number of bytes.
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

    /// Returns the picture nearest in display order.
    package func nearest(to rank: Int32) -> (picture: Int, frame: SharedFrame, verdict: Verdict)? {
        let start = place(of: rank)
        let above = order[start...].lazy.compactMap(found).first
        let below = order[..<start].reversed().lazy.compactMap(found).first
        guard let above, let below else { return (above ?? below).map { ($0.picture, $0.frame, $0.verdict) } }
        let nearer = abs(Int(above.rank) - Int(rank)) < abs(Int(below.rank) - Int(rank)) ? above : below
        return (nearer.picture, nearer.frame, nearer.verdict)
    }

    /// Returns the picture at an entry; `nil` if only its verdict is known.
    private func found(
        _ place: (rank: Int32, picture: Int)
    ) -> (rank: Int32, picture: Int, frame: SharedFrame, verdict: Verdict)? {
        guard let kept = entries[place.picture], let frame = kept.frame else { return nil }
        return (place.rank, place.picture, frame, kept.verdict)
    }

    /// The numbers of the exact pictures, in order of eviction.
    package var exactPictures: [Int] {
        order.filter { entries[$0.picture]?.isExact == true && entries[$0.picture]?.frame != nil }
            .map { (remoteness: remoteness($0.rank), picture: $0.picture) }
            .sorted { $0.remoteness > $1.remoteness }
            .map(\.picture)
    }

    var count: Int { entries.count }

    /// A picture with its verdict, if it is cached.
    package subscript(picture: Int) -> JudgedPicture? { entries[picture] }

    /// Records that a position in display order was requested.
    ///
    /// - Parameter isScattered: whether requests jump around (``AccessPattern/Hint/isScattered``).
    package mutating func look(at rank: Int32, isScattered: Bool = true) {
        clock += 1
        self.isScattered = isScattered
        defer { while byteCount > presentLimit, evictOne() {} }
        // The few pictures are kept for the newest position.
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

    /// Caches a picture, evicting less important ones, or not if it is the least important.
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

    /// Returns the number of pictures that fit.
    ///
    /// - Parameter estimate: the size of a picture in bytes, 1 or more, used while none is known.
    func capacity(estimate: Int) -> Int { byteLimit / (largestByteCount > 0 ? largestByteCount : max(1, estimate)) }

    /// Returns whether a picture would be kept now, because there is room or another one is less important.
    ///
    /// - Parameter estimate: as for ``capacity(estimate:)``.
    func hasRoom(for rank: Int32, estimate: Int) -> Bool {
        let size = largestByteCount > 0 ? largestByteCount : estimate
        guard size <= byteLimit else { return false }
        guard byteCount > byteLimit - size else { return true }
        let own = remoteness(rank)
        return candidates.contains { remoteness(order[$0].rank) > own }
    }

    /// The candidates for the most distant position: both ends, and around the middle between two playheads.
    private var candidates: [Int] {
        guard !order.isEmpty else { return [] }
        var places = [0, order.count - 1]
        let heads = playheads.sorted { $0.rank < $1.rank }
        // Any two, not only adjacent ones: an old playhead between two others may not be the nearest one to any
        // position.
        for (i, a) in heads.enumerated() {
            for b in heads[(i + 1)...] {
                // Just after the point at which the distance from both is equal.
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

    /// Returns the first index whose rank is not below `rank`.
    private func place(of rank: Int32) -> Int { order.partitioningIndex { $0.rank >= rank } }
}
