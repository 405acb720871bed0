internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

extension ReorderCheck {
    /// Whether the display order of some pictures, of which the first is a restart, is that of their own order counts.
    /// True if these can't be read.
    package static func isBelievable(_ index: FrameIndex, _ range: ClosedRange<Int>, file: MediaSource) -> Bool {
        let facts = index.facts
        guard facts.codec == .h264 || facts.codec == .hevc, facts.route == .direct else { return true }
        var pictures = CodedPictures()
        for picture in range {
            // Pictures that show nothing, or the same again, have no place of their own to compare.
            guard index.ranks[picture] >= 0,
                pictures.offsets.last.map({ $0 < index.pictures.offsets[picture] }) ?? true
            else { return true }
            pictures.offsets.append(index.pictures.offsets[picture])
            pictures.sizes.append(index.pictures.sizes[picture])
            pictures.presentationTimes.append(Int64(index.ranks[picture]))
            pictures.flags.append(index.pictures.flags[picture])
            if !index.pictures.descriptions.isEmpty {
                pictures.descriptions.append(index.pictures.descriptions[picture])
            }
        }
        let check = ReorderCheck(pictures: pictures, facts: facts, file: file, mustBeReadable: false)
        guard check.reorderLimit != 0 else { return true }
        return check.timesAreBelievable(in: 0..<pictures.count)
    }
}
