internal import ScrubBase

/// The announced reads of a source's readers: the last announcement of each, the newest reader first. Pure.
struct ExpectedReads {
    private var views: [(number: Int, stretches: [ReadStretch])] = []
    private var last = 0

    /// The most ranges that one reader may have announced when it adds more: older ones go.
    private static let mostRanges = 512
    private static let mostBytes: Int64 = 32 << 20

    /// Returns the number of a new reader.
    mutating func newView() -> Int {
        last += 1
        return last
    }

    /// All that is expected, in the order of need.
    var stretches: [ReadStretch] { views.flatMap(\.stretches) }

    /// Replaces a reader's announcements.
    mutating func replace(_ number: Int, _ stretches: [ReadStretch]) {
        views.removeAll { $0.number == number }
        let stretches = stretches.filter { !$0.range.isEmpty }
        if !stretches.isEmpty { views.insert((number, stretches), at: 0) }
    }

    /// Puts a reader's announcement before its earlier ones.
    ///
    /// - Returns: false when that has all of it.
    mutating func add(_ number: Int, _ stretches: [ReadStretch]) -> Bool {
        let known = views.first { $0.number == number }?.stretches ?? []
        let new = stretches.filter { stretch in
            !stretch.range.isEmpty && !known.contains { ExpectedReads.has(stretch, in: $0) }
        }
        guard !new.isEmpty else { return false }
        var bytes = new.reduce(0) { $0 + Int64($1.range.count) }
        let kept = known.prefix(max(0, ExpectedReads.mostRanges - new.count)).prefix { stretch in
            bytes += Int64(stretch.range.count)
            return bytes <= ExpectedReads.mostBytes
        }
        replace(number, new + kept)
        return true
    }

    /// Whether all that is read of a stretch is read of another one.
    private static func has(_ stretch: ReadStretch, in other: ReadStretch) -> Bool {
        guard other.range.lowerBound <= stretch.range.lowerBound, stretch.range.upperBound <= other.range.upperBound
        else { return false }
        var place = 0
        return other.gaps.allSatisfy { gap in
            guard gap.overlaps(stretch.range) else { return true }
            while place < stretch.gaps.count, stretch.gaps[place].upperBound <= gap.lowerBound { place += 1 }
            let own = gap.clamped(to: stretch.range)
            return place < stretch.gaps.count && stretch.gaps[place].lowerBound <= own.lowerBound
                && own.upperBound <= stretch.gaps[place].upperBound
        }
    }

    /// Records that a reader reads bytes that it wanted to leave out: then it reads the rest of the gap too.
    ///
    /// - Returns: whether it had said so.
    mutating func closeGaps(around range: Range<Int64>, _ number: Int) -> Bool {
        guard let view = views.firstIndex(where: { $0.number == number }),
            let place = views[view].stretches.firstIndex(where: { stretch in
                stretch.range.overlaps(range) && stretch.gaps.contains { $0.overlaps(range) }
            })
        else { return false }
        var stretches = views[view].stretches
        let stretch = stretches.remove(at: place)
        replace(number, [ReadStretch(range), ReadStretch(stretch.range)] + stretches)
        return true
    }

    /// Whether a reader has said that some bytes will be read.
    func has(_ range: Range<Int64>, _ number: Int) -> Bool {
        views.first { $0.number == number }?.stretches.contains { $0.has(range) } ?? false
    }

    /// Forgets a reader.
    ///
    /// - Returns: whether it had said something.
    mutating func forget(_ number: Int) -> Bool {
        let count = views.count
        views.removeAll { $0.number == number }
        return views.count < count
    }
}

/// Reads that follow each other through a file, and the run that is announced for them. Pure.
struct SequentialPass {
    private let byteCount: Int64
    private var announced: Range<Int64> = 0..<0
    private var length = SequentialPass.shortest

    /// A look at the head of a container, or at its end, costs no more in vain.
    private static let shortest: Int64 = 64 << 10
    /// Half of it is on its way while the other half is read.
    private static let longest: Int64 = 8 << 20
    /// Leaps up to this far over unneeded bytes are part of the pass: asking again costs as much.
    private static let leap: Int64 = 1 << 20

    init(byteCount: Int64) { self.byteCount = byteCount }

    /// Records a read.
    ///
    /// - Returns: the range to announce before it, if any.
    mutating func read(_ offset: Int64, _ count: Int) -> Range<Int64>? {
        guard offset >= 0, offset < byteCount else { return nil }
        let end = offset + min(Int64(count), byteCount - offset)
        if offset >= announced.lowerBound, end <= announced.upperBound {
            // Enough is on its way until half of it is read.
            guard announced.upperBound < byteCount, offset >= announced.upperBound - length / 2 else { return nil }
            length = min(2 * length, SequentialPass.longest)
        } else if offset >= announced.lowerBound, offset < announced.upperBound + SequentialPass.leap,
            !announced.isEmpty
        {
            length = min(2 * length, SequentialPass.longest)
        } else {
            length = SequentialPass.shortest
        }
        announced = offset..<min(byteCount, max(end, offset + length))
        return announced
    }
}
