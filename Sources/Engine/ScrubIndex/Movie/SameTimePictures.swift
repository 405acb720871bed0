internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Pictures that share a presentation time with an adjacent picture in display order.
///
/// The container's tables cannot tell which of them is shown first; the pictures' own order counts can. Their headers
/// are read only for groups of pictures with such ties, which are few in valid files.
struct SameTimePictures {
    /// The runs of equal times, as ranges of positions in the display order.
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

    /// Appends a run. Pictures of different sections are already in the right order: a run ends where a section ends.
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

    /// Returns whether one of the sections, whose starts ascend, begins after `earlier` and not after `later`.
    private func isSection(between earlier: Int, _ later: Int) -> Bool {
        let next = sectionStarts.partitioningIndex { $0 > earlier }
        return next < sectionStarts.count && sectionStarts[next] <= later
    }

    /// Sorts the pictures of each run by their picture order counts, if all of these can be read.
    ///
    /// Times that many pictures share are often wrong, so the pictures adjacent to a run are compared too. A picture
    /// with one time may be shown only after some pictures with the next time.
    ///
    /// - Returns: whether all runs were sorted, and no adjacent picture contradicts the order.
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

    /// Returns the picture adjacent to the end of a run, if the two can be compared, which is not the case across
    /// sections or decoder descriptions.
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
