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
            if isSection(between: earlier, later, sectionStarts) {
                if place - start > 1 { runs.append(start..<place) }
                start = place
            }
        }
        if run.upperBound - start > 1 { runs.append(start..<run.upperBound) }
    }

    /// Whether one of the sections, whose starts ascend, begins behind `earlier` and not behind `later`.
    private func isSection(between earlier: Int, _ later: Int, _ sectionStarts: [Int]) -> Bool {
        var (low, high) = (0, sectionStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if sectionStarts[middle] <= earlier { low = middle + 1 } else { high = middle }
        }
        return low < sectionStarts.count && sectionStarts[low] <= later
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
            guard let coded = parse(picture) else { continue }
            if coded.startsSequence { sequence += 1 }
            if let count = coded.orderCount { known[picture] = Place(sequence: sequence, count: count) }
        }
        return known
    }

    /// Lets the parser read a picture, of long samples only the head where that says enough; the order count is
    /// left out where it may not be relied on.
    private mutating func parse(_ picture: Int) -> CodedPicture? {
        let sample = SampleBytes(file: file, offset: pictures.offsets[picture], size: pictures.sizes[picture])
        if !sample.headIsWhole {
            guard var trial = parser, let head = sample.head() else { return nil }
            let coded = trial.parse(head.span)
            // The parser complains of the cut. A frame's order count is in its first slice; of two fields in a
            // sample, the second would be missed.
            if coded.orderCount != nil, coded.structure == .frame {
                parser = trial
                return coded
            }
        }
        guard let bytes = sample.whole(), var coded = parser?.parse(bytes.span) else { return nil }
        if !coded.isUnderstood { coded.orderCount = nil }
        return coded
    }
}

/// A sample in the file, of which no more is read than needed.
private struct SampleBytes {
    /// Where every header before the first slice is, nearly always.
    private static let headSize: UInt32 = 64 << 10
    /// No picture's headers are looked for in more than this.
    private static let sizeLimit: UInt32 = 16 << 20

    let file: FileSource
    let offset: Int64
    let size: UInt32

    var headIsWhole: Bool { size <= SampleBytes.headSize }

    /// The first bytes.
    func head() -> [UInt8]? { try? file.read(at: offset, count: Int(min(size, SampleBytes.headSize))) }

    /// All bytes; nothing when there are absurdly many.
    func whole() -> [UInt8]? { size <= SampleBytes.sizeLimit ? try? file.read(at: offset, count: Int(size)) : nil }
}
