internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

extension ReorderCheck {
    /// Returns the pictures whose rank by their own order counts differs from their rank by the container's times. The
    /// first picture of the range is a restart. Empty if the counts cannot be read, or some pictures are not shown.
    ///
    /// Cost: a small read and the parsing of a header for each picture.
    package static func misplaced(_ index: FrameIndex, _ range: ClosedRange<Int>, file: MediaSource) -> [Int] {
        guard let check = group(index, range, file) else { return [] }
        let counts = check.counts()
        let known = check.pictures.presentationTimes.indices.compactMap { picture in
            counts[picture].map { (picture: picture, count: $0, rank: check.pictures.presentationTimes[picture]) }
        }
        let byTimes = known.sorted { $0.rank < $1.rank }
        let byCounts = known.sorted { ($0.count, $0.rank) < ($1.count, $1.rank) }
        return zip(byTimes, byCounts).compactMap { time, count in
            time.picture == count.picture ? nil : range.lowerBound + time.picture
        }
    }

    /// Returns whether the display order of some pictures, the first of which is a restart, matches their own order
    /// counts. True if the counts cannot be read.
    package static func isBelievable(_ index: FrameIndex, _ range: ClosedRange<Int>, file: MediaSource) -> Bool {
        guard let check = group(index, range, file) else { return true }
        return check.timesAreBelievable(in: 0..<check.pictures.count)
    }

    /// Returns a check of some pictures by their ranks; `nil` if there is nothing to compare.
    private static func group(_ index: FrameIndex, _ range: ClosedRange<Int>, _ file: MediaSource) -> ReorderCheck? {
        let facts = index.facts
        guard facts.codec == .h264 || facts.codec == .hevc, facts.route == .direct else { return nil }
        var pictures = CodedPictures()
        for picture in range {
            // Pictures that show nothing, or repeat another, have no rank to compare.
            guard index.ranks[picture] >= 0,
                pictures.offsets.last.map({ $0 < index.pictures.offsets[picture] }) ?? true
            else { return nil }
            pictures.offsets.append(index.pictures.offsets[picture])
            pictures.sizes.append(index.pictures.sizes[picture])
            pictures.presentationTimes.append(Int64(index.ranks[picture]))
            pictures.flags.append(index.pictures.flags[picture])
            if !index.pictures.descriptions.isEmpty {
                pictures.descriptions.append(index.pictures.descriptions[picture])
            }
        }
        let check = ReorderCheck(pictures: pictures, facts: facts, file: file, mustBeReadable: false)
        return check.reorderLimit == 0 ? nil : check
    }
}
