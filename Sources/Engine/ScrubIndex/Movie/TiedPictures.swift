internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Pictures that share a presentation time with their neighbour in display order.
///
/// The container's tables can't say which of them shows first; the pictures' own order counts can. Their headers are
/// read only for groups of pictures in which there are such ties, which are few in sound files.
struct TiedPictures {
    /// Runs of equal times, as ranges of places in the display order.
    private var runs: [Range<Int>] = []
    private let sectionStarts: [Int]

    init(in order: [UInt32], times: [Int64], sectionStarts: [Int]) {
        self.sectionStarts = sectionStarts
        var start = 0
        for place in order.indices.dropFirst() where times[Int(order[place])] != times[Int(order[start])] {
            append(start..<place, order)
            start = place
        }
        append(start..<order.count, order)
    }

    var isEmpty: Bool { runs.isEmpty }

    /// Appends a run. Pictures of different sections are already in their right order: a run ends where a section does.
    private mutating func append(_ run: Range<Int>, _ order: [UInt32]) {
        guard run.count > 1 else { return }
        var start = run.lowerBound
        for place in run.dropFirst() {
            let (earlier, later) = (Int(order[place - 1]), Int(order[place]))
            if isSection(between: earlier, later) {
                if place - start > 1 { runs.append(start..<place) }
                start = place
            }
        }
        if run.upperBound - start > 1 { runs.append(start..<run.upperBound) }
    }

    /// Whether one of the sections, whose starts ascend, begins behind `earlier` and not behind `later`.
    private func isSection(between earlier: Int, _ later: Int) -> Bool {
        let next = sectionStarts.partitioningIndex { $0 > earlier }
        return next < sectionStarts.count && sectionStarts[next] <= later
    }

    /// Sorts the pictures of each run by their picture order counts, where all of them can be read.
    ///
    /// Times that many pictures share are careless ones, so the neighbours of a run are compared too. A time may hold
    /// pictures that show only after some of the next.
    ///
    /// - Returns: whether that went for all runs, and no picture beside one contradicts it.
    func settle(_ order: inout [UInt32], pictures: CodedPictures, facts: StreamFacts, file: MediaSource) -> Bool {
        var isSettled = true
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file)
        for run in runs {
            let tied = order[run].map(Int.init)
            let before = neighbour(at: run.lowerBound - 1, of: run.lowerBound, order, pictures)
            let after = neighbour(at: run.upperBound, of: run.upperBound - 1, order, pictures)
            let all = tied + [before, after].compactMap { $0 }
            guard let first = all.min(), let last = all.max() else { continue }
            let found = counts.counts(from: first, through: last)
            let keys = tied.map { found[$0] }
            guard !keys.contains(nil) else {
                isSettled = false
                continue
            }
            let sorted = tied.sorted { (found[$0] ?? .zero, $0) < (found[$1] ?? .zero, $1) }
            order.replaceSubrange(run, with: sorted.map { UInt32($0) })
            let line = [before].compactMap { $0 } + sorted + [after].compactMap { $0 }
            let inOrder = line.compactMap { found[$0] }
            if zip(inOrder, inOrder.dropFirst()).contains(where: { $1 < $0 }) { isSettled = false }
        }
        return isSettled
    }

    /// Returns the picture at a place beside a run's end, where the two can be compared: not across sections or decoder
    /// descriptions.
    private func neighbour(at place: Int, of end: Int, _ order: [UInt32], _ pictures: CodedPictures) -> Int? {
        guard order.indices.contains(place), order.indices.contains(end) else { return nil }
        let (picture, tied) = (Int(order[place]), Int(order[end]))
        let isApart = place < end ? isSection(between: picture, tied) : isSection(between: tied, picture)
        guard !isApart else { return nil }
        let descriptions = pictures.descriptions
        guard descriptions.isEmpty || descriptions[picture] == descriptions[tied] else { return nil }
        return picture
    }
}
