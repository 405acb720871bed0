internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Tells times that are presentation times from those of careless muxers. Those write times of decoding, or
/// presentation times of other pictures.
///
/// H.264 and HEVC number their pictures in display order (`PicOrderCnt`, ITU-T H.264 8.2.1, H.265 8.3.1). The numbers
/// are in the first bytes of each sample. They are read if times are suspicious, and in a few places of any file. If
/// the sequence set rules out that pictures are reordered and the times agree, nothing is read.
package struct ReorderCheck {
    let pictures: CodedPictures
    let facts: StreamFacts
    let file: MediaSource
    /// Whether a picture whose order count can't be read makes suspicious times unbelievable.
    let mustBeReadable: Bool

    /// Encoders show a picture out of its turn well within this many, if they ever do.
    package static let window = 24
    /// This many pictures whose times ascend in decode order are suspicious in a stream that may reorder: groups of
    /// B pictures come in between elsewhere.
    private static let suspiciousRun = 12
    /// A whole group of this many pictures without any reordering is suspicious too.
    private static let suspiciousGroup = 3
    /// Read of a sample at first. Access unit delimiters and the usual messages fit before the first slice.
    private static let headSize = 1024

    /// Whether the pictures' own order is that of the times, wherever there is reason to doubt it.
    ///
    /// Costs some seventy small reads in a stream that reorders. In a stream that may reorder by its sequence set and
    /// never does by its times, it costs one for each picture.
    ///
    /// Of a remote file only the beginning is inspected, which came with the tables. The rest is for
    /// ``timesAreBelievable(in:)``, when the bytes are there for another reason.
    func timesAreBelievable() -> Bool {
        guard facts.codec == .h264 || facts.codec == .hevc, pictures.count > 1 else { return true }
        let ascends = isAscending()
        if reorderLimit == 0 {
            // Nothing may be shown out of its turn, so times that say so are wrong.
            return ascends
        }
        if file.isRemote, !mustBeReadable { return timesAreBelievable(in: beginning) }
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file, headSize: ReorderCheck.headSize)
        for range in suspects() {
            guard agrees(range, &counts, mustBeReadable: mustBeReadable) else { return false }
        }
        for range in samples(ascends) {
            guard agrees(range, &counts, mustBeReadable: false) else { return false }
        }
        return true
    }

    /// Whether the order of some pictures, of which the first is a keyframe, is that of their times.
    func timesAreBelievable(in range: Range<Int>) -> Bool {
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file, headSize: ReorderCheck.headSize)
        return agrees(range, &counts, mustBeReadable: false)
    }

    /// The order counts of all pictures; those that can't be read have none.
    func counts() -> [Int: OrderCounts.Place] {
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file, headSize: ReorderCheck.headSize)
        return counts.counts(from: 0, through: pictures.count - 1)
    }

    /// The first pictures, as far as they are beside the tables or at the file's beginning.
    private var beginning: Range<Int> {
        guard let start = pictures.offsets.first else { return 0..<0 }
        let end = (1..<min(pictures.count, ReorderCheck.window)).first { picture in
            let offset = pictures.offsets[picture]
            return offset < start || offset - start > ReorderCheck.nearBytes
        }
        return 0..<(end ?? min(pictures.count, ReorderCheck.window))
    }

    /// The distance from the first picture within which bytes are there without asking for them.
    private static let nearBytes: Int64 = 48 << 10

    /// The number of pictures that may precede a picture in decoding order and follow it in display order, by all
    /// descriptions' sequence sets. `nil` if one doesn't give it.
    var reorderLimit: Int? {
        var most = 0
        for description in facts.descriptions {
            let parser = PictureParser(codec: facts.codec, extradata: description.extradata)
            guard let limit = parser.reorderLimit else { return nil }
            most = max(most, limit)
        }
        return facts.descriptions.isEmpty ? nil : most
    }

    private func isAscending() -> Bool {
        let times = pictures.presentationTimes
        for picture in times.indices.dropFirst() where times[picture] < times[picture - 1] { return false }
        return true
    }

    /// Runs of pictures whose times ascend as those of decoding do, or stand still, where they are long or fill a whole
    /// group.
    private func suspects() -> [Range<Int>] {
        let times = pictures.presentationTimes
        var found: [Range<Int>] = []
        var (latest, start, group) = (Int64.min, 0, 0)
        var isWholeGroup = true
        func close(_ run: Range<Int>, minimum: Int) {
            guard run.count >= minimum else { return }
            if let last = found.last, run.lowerBound <= last.upperBound {
                found[found.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                found.append(run)
            }
        }
        for picture in times.indices {
            if picture > group, pictures.flags[picture].contains(.key) {
                if isWholeGroup { close(group..<picture, minimum: ReorderCheck.suspiciousGroup) }
                (group, isWholeGroup) = (picture, true)
            }
            if times[picture] >= latest {
                latest = times[picture]
            } else {
                close(start..<picture, minimum: ReorderCheck.suspiciousRun)
                (start, isWholeGroup) = (picture, false)
            }
        }
        if isWholeGroup { close(group..<pictures.count, minimum: ReorderCheck.suspiciousGroup) }
        close(start..<pictures.count, minimum: ReorderCheck.suspiciousRun)
        return found
    }

    /// Returns places of a file that are inspected in any case: the beginning, the middle, the end.
    private func samples(_ ascends: Bool) -> [Range<Int>] {
        if ascends { return [] }
        let starts = Set([0, pictures.count / 2, max(0, pictures.count - ReorderCheck.window)]).sorted()
        return starts.map { start in
            let key = (0...start).last { pictures.flags[$0].contains(.key) } ?? 0
            // A distant keyframe would cost its whole group.
            let begin = start - key <= 4 * ReorderCheck.window ? key : 0
            return begin..<min(pictures.count, begin + ReorderCheck.window)
        }
    }

    /// Whether pictures show in the order of their counts. Pictures of one time are for ``TiedPictures``.
    private func agrees(_ range: Range<Int>, _ counts: inout OrderCounts, mustBeReadable: Bool) -> Bool {
        let found = counts.counts(from: range.lowerBound, through: range.upperBound - 1)
        if counts.changesEncoder { return false }
        let times = pictures.presentationTimes
        var known: [Int] = []
        for picture in range {
            if found[picture] != nil {
                known.append(picture)
            } else if mustBeReadable {
                return false
            }
        }
        known.sort { (times[$0], $0) < (times[$1], $1) }
        // Every picture of one time before every picture of a later one. Among neighbours alone a picture with
        // another's time would be between two that contradict each other.
        var highestBefore: OrderCounts.Place?
        var highest: OrderCounts.Place?
        for (place, picture) in known.enumerated() {
            guard let count = found[picture] else { continue }
            if place > 0, times[known[place - 1]] < times[picture] { highestBefore = highest }
            if let highestBefore, !(highestBefore < count) { return false }
            highest = highest.map { $0 < count ? count : $0 } ?? count
        }
        return true
    }
}
