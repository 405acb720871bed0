internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase

/// Pictures that share a presentation time with their neighbour in display order.
///
/// The container's tables can't say which of them shows first; the pictures' own order counts can. Their headers are
/// read only for groups of pictures in which there are such ties, which are few in sound files.
struct TiedPictures {
    /// Runs of equal times, as ranges of places in the display order.
    private var runs: [Range<Int>] = []

    init(in order: [UInt32], times: [Int64], sectionStarts: [Int]) {
        var start = 0
        for place in order.indices.dropFirst() where times[Int(order[place])] != times[Int(order[start])] {
            append(start..<place, order, sectionStarts)
            start = place
        }
        append(start..<order.count, order, sectionStarts)
    }

    var isEmpty: Bool { runs.isEmpty }

    /// Pictures of different sections are in their right order already: a run ends where a section does.
    private mutating func append(_ run: Range<Int>, _ order: [UInt32], _ sectionStarts: [Int]) {
        guard run.count > 1 else { return }
        var start = run.lowerBound
        for place in run.dropFirst() {
            let (earlier, later) = (Int(order[place - 1]), Int(order[place]))
            if sectionStarts.contains(where: { earlier < $0 && $0 <= later }) {
                if place - start > 1 { runs.append(start..<place) }
                start = place
            }
        }
        if run.upperBound - start > 1 { runs.append(start..<run.upperBound) }
    }

    /// Sorts the pictures of each run by their picture order counts, where all of them can be read.
    func settle(_ order: inout [UInt32], pictures: CodedPictures, facts: StreamFacts, file: FileSource) {
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file)
        for run in runs {
            let tied = order[run].map(Int.init)
            guard let first = tied.min(), let last = tied.max() else { continue }
            let found = counts.counts(from: first, through: last)
            let keys = tied.map { found[$0] }
            guard !keys.contains(nil) else { continue }
            let sorted = tied.sorted { (found[$0] ?? .zero, $0) < (found[$1] ?? .zero, $1) }
            order.replaceSubrange(run, with: sorted.map { UInt32($0) })
        }
    }
}

/// Reads picture order counts from the samples' headers, a group of pictures at a time.
private struct OrderCounts {
    /// An order count, in the coded video sequence that it counts in.
    struct Place: Comparable {
        var sequence: Int
        var count: Int
        static let zero = Place(sequence: 0, count: 0)
        static func < (a: Place, b: Place) -> Bool { (a.sequence, a.count) < (b.sequence, b.count) }
    }

    let pictures: CodedPictures
    let facts: StreamFacts
    let file: FileSource
    private var known: [Int: Place] = [:]
    /// The pictures that were read already, and the parser after the last of them.
    private var read = 0..<0
    private var parser: PictureParser?
    private var sequence = 0

    init(pictures: CodedPictures, facts: StreamFacts, file: FileSource) {
        self.pictures = pictures
        self.facts = facts
        self.file = file
    }

    /// Counts of pictures from the keyframe at or before `first`; pictures that can't be read have none.
    mutating func counts(from first: Int, through last: Int) -> [Int: Place] {
        let key = (0...first).last { pictures.flags[$0].contains(.key) } ?? first
        if parser == nil || !(read.lowerBound...read.upperBound).contains(key) {
            let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[key])
            parser = PictureParser(codec: facts.codec, extradata: facts.descriptions[description].extradata)
            known = [:]
            read = key..<key
        }
        while read.upperBound <= last {
            let picture = read.upperBound
            read = read.lowerBound..<picture + 1
            guard let bytes = try? file.read(at: pictures.offsets[picture], count: Int(pictures.sizes[picture])),
                let coded = parser?.parse(bytes.span)
            else { continue }
            if coded.startsSequence { sequence += 1 }
            if coded.isUnderstood, let count = coded.orderCount {
                known[picture] = Place(sequence: sequence, count: count)
            }
        }
        return known
    }
}
