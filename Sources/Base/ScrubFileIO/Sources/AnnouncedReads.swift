internal import ScrubBase

/// The announced reads of a source's readers: the last announcement of each reader, with the newest reader first. Pure.
struct AnnouncedReads {
    private var views: [(number: Int, stretches: [ReadSpan])] = []
    private var last = 0

    /// The maximum number of announced ranges per reader. When a reader adds more, older ranges are dropped.
    private static let mostRanges = 512
    private static let mostBytes: Int64 = 32 << 20

    /// Returns the number of a new reader.
    mutating func newView() -> Int {
        last += 1
        return last
    }

    /// All expected reads, in the order in which they are needed.
    var stretches: [ReadSpan] { views.flatMap(\.stretches) }

    /// Replaces a reader's announcements.
    mutating func replace(_ number: Int, _ stretches: [ReadSpan]) {
        views.removeAll { $0.number == number }
        let stretches = stretches.filter { !$0.range.isEmpty }
        if !stretches.isEmpty { views.insert((number, stretches), at: 0) }
    }

    /// Adds a reader's announcement before its earlier ones.
    ///
    /// - Returns: false if the earlier announcements already include all of it.
    mutating func add(_ number: Int, _ stretches: [ReadSpan]) -> Bool {
        let known = views.first { $0.number == number }?.stretches ?? []
        let new = stretches.filter { stretch in
            !stretch.range.isEmpty && !known.contains { AnnouncedReads.has(stretch, in: $0) }
        }
        guard !new.isEmpty else { return false }
        var bytes = new.reduce(0) { $0 + Int64($1.range.count) }
        let kept = known.prefix(max(0, AnnouncedReads.mostRanges - new.count)).prefix { stretch in
            bytes += Int64(stretch.range.count)
            return bytes <= AnnouncedReads.mostBytes
        }
        replace(number, new + kept)
        return true
    }

    /// Returns whether all reads of a stretch are included in another stretch.
    private static func has(_ stretch: ReadSpan, in other: ReadSpan) -> Bool {
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

    /// Records that a reader reads bytes in an announced gap. It then reads the rest of the gap too.
    ///
    /// - Returns: whether the reader had announced the gap.
    mutating func closeGaps(around range: Range<Int64>, _ number: Int) -> Bool {
        guard let view = views.firstIndex(where: { $0.number == number }),
            let place = views[view].stretches.firstIndex(where: { stretch in
                stretch.range.overlaps(range) && stretch.gaps.contains { $0.overlaps(range) }
            })
        else { return false }
        var stretches = views[view].stretches
        let stretch = stretches.remove(at: place)
        replace(number, [ReadSpan(range), ReadSpan(stretch.range)] + stretches)
        return true
    }

    /// Returns whether a reader has announced that the given bytes will be read.
    func has(_ range: Range<Int64>, _ number: Int) -> Bool {
        views.first { $0.number == number }?.stretches.contains { $0.has(range) } ?? false
    }

    /// Removes a reader.
    ///
    /// - Returns: whether the reader had announced anything.
    mutating func forget(_ number: Int) -> Bool {
        let count = views.count
        views.removeAll { $0.number == number }
        return views.count < count
    }
}

/// A sequence of consecutive reads of a file, with the range to announce for them. Pure.
struct SequentialPass {
    private let byteCount: Int64
    private var announced: Range<Int64> = 0..<0
    private var length = SequentialPass.shortest

    /// The minimum announcement. Reading the start or end of a container unnecessarily costs no more.
    private static let shortest: Int64 = 64 << 10
    /// The maximum announcement. Half of it is in transit while the other half is read.
    private static let longest: Int64 = 8 << 20
    /// The maximum number of unneeded bytes to skip within a pass. Another request would cost as much.
    private static let leap: Int64 = 1 << 20

    init(byteCount: Int64) { self.byteCount = byteCount }

    /// Records a read.
    ///
    /// - Returns: the range to announce before the read, if any.
    mutating func read(_ offset: Int64, _ count: Int) -> Range<Int64>? {
        guard offset >= 0, offset < byteCount else { return nil }
        let end = offset + min(Int64(count), byteCount - offset)
        if offset >= announced.lowerBound, end <= announced.upperBound {
            // Enough is in transit until half of it is read.
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
