internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Distinguishes real presentation times from those written by faulty muxers, which may be decode times or other
/// pictures' presentation times.
///
/// H.264 and HEVC number their pictures in display order (`PicOrderCnt`, ITU-T H.264 8.2.1, H.265 8.3.1). The numbers
/// are in the first bytes of each sample. They are read if times are suspicious, and at a few positions in every file.
/// If the sequence parameter set rules out reordering and the times agree, nothing is read.
package struct ReorderCheck {
    let pictures: CodedPictures
    let facts: StreamFacts
    let file: MediaSource
    /// Whether suspicious times are rejected if the order count of a picture cannot be read.
    let mustBeReadable: Bool

    /// The number of pictures within which encoders show a picture out of order, if they ever do.
    package static let window = 24
    /// The number of consecutive pictures with ascending times in decode order that is suspicious in a stream that may
    /// reorder, because B pictures normally come in between.
    private static let suspiciousRun = 12
    /// The number of pictures of a whole group without any reordering that is suspicious too.
    private static let suspiciousGroup = 3
    /// The number of bytes of a sample that are read first. Access unit delimiters and the usual messages fit before
    /// the first slice.
    private static let headSize = 1024

    /// Returns whether the pictures' own order matches the times, wherever there is reason to doubt it.
    ///
    /// Cost: about seventy small reads in a stream that reorders. In a stream that may reorder according to its
    /// sequence parameter set and never does according to its times, the cost is one read per picture.
    ///
    /// In a remote file, only the beginning is inspected, which was fetched with the tables. The rest is left to
    /// ``timesAreBelievable(in:)``, when the bytes are fetched for another reason.
    func timesAreBelievable() -> Bool {
        guard facts.codec == .h264 || facts.codec == .hevc, pictures.count > 1 else { return true }
        let ascends = isAscending()
        if reorderLimit == 0 {
            // Nothing may be shown out of order, so times that imply it are wrong.
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

    /// Returns whether the order of some pictures, the first of which is a keyframe, matches their times.
    func timesAreBelievable(in range: Range<Int>) -> Bool {
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file, headSize: ReorderCheck.headSize)
        return agrees(range, &counts, mustBeReadable: false)
    }

    /// Returns the order counts of all pictures; those that cannot be read have none.
    func counts() -> [Int: OrderCounts.Place] {
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file, headSize: ReorderCheck.headSize)
        return counts.counts(from: 0, through: pictures.count - 1)
    }

    /// The first pictures that are close to the tables or at the beginning of the file.
    private var beginning: Range<Int> {
        guard let start = pictures.offsets.first else { return 0..<0 }
        let end = (1..<min(pictures.count, ReorderCheck.window)).first { picture in
            let offset = pictures.offsets[picture]
            return offset < start || offset - start > ReorderCheck.nearBytes
        }
        return 0..<(end ?? min(pictures.count, ReorderCheck.window))
    }

    /// The distance from the first picture within which bytes are available without a request.
    private static let nearBytes: Int64 = 48 << 10

    /// The number of pictures that may precede a picture in decode order and follow it in display order, according to
    /// the sequence parameter sets of all descriptions. `nil` if one of them does not specify it.
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

    /// Returns the runs of pictures whose times ascend like decode times or do not change, if the runs are long or fill
    /// a whole group.
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

    /// Returns the parts of a file that are always inspected: the beginning, the middle, and the end.
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

    /// Returns whether pictures are shown in the order of their counts. Pictures with equal times are left to
    /// ``SameTimePictures``.
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
        // Every picture with one time comes before every picture with a later time. If only adjacent pictures were
        // compared, a picture with another time could be between two that contradict each other.
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
