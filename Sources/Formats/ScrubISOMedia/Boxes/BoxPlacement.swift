import ScrubBase

/// The valid locations of the boxes that lead to media (ISO/IEC 14496-12, table 1).
///
/// libavformat reads these boxes wherever they are, in any container that it enters. This module reads them only in
/// their valid location, so a file with a misplaced box is left to libavformat.
enum BoxPlacement {
    /// The box in which each one belongs.
    private static let parents: [FourCC: FourCC] = [
        .mvhd: .moov, .trak: .moov, .mvex: .moov, .trex: .mvex,
        .tkhd: .trak, .mdia: .trak, .edts: .trak, .elst: .edts,
        .mdhd: .mdia, .minf: .mdia, .stbl: .minf,
        .stsd: .stbl, .stts: .stbl, .ctts: .stbl, .stsc: .stbl, .stsz: .stbl, .stz2: .stbl, .stco: .stbl, .co64: .stbl,
        .stss: .stbl, .stps: .stbl,
        .traf: .moof, .tfhd: .traf, .tfdt: .traf, .trun: .traf,
    ]
    /// The boxes that are searched; others do not contain boxes that lead to media.
    private static let containers: Set<FourCC> = [
        .moov, .trak, .mdia, .minf, .stbl, .edts, .mvex, .moof, .traf, "udta",
    ]

    /// Checks the boxes of a movie box or a fragment.
    ///
    /// - Parameters:
    ///   - range: the boxes, without the header of the enclosing one.
    ///   - parent: the box that they are in.
    ///   - path: their path, for the error; it is built only if there is one.
    ///   - depth: the number of other boxes around them.
    /// - Throws: `badData` with the first misplaced box.
    static func check(
        _ bytes: [UInt8], in range: Range<Int>, of parent: FourCC, path: @autoclosure () -> String, depth: Int = 0
    ) throws(ScrubError) {
        guard depth < deepest else { return }
        var quiet: [String] = []
        for box in Box.children(of: bytes, in: range, path: path(), warnings: &quiet) {
            if let own = parents[box.type], own != parent {
                throw ScrubError(.badData, "has a \(box.type) box, which belongs in \(own)", place: path())
            }
            if containers.contains(box.type) {
                try check(bytes, in: box.body, of: box.type, path: "\(path())/\(box.type)", depth: depth + 1)
            } else if box.type == .stsd, box.body.count > 8 {
                let entries = box.body.lowerBound + 8..<box.body.upperBound
                for entry in Box.children(of: bytes, in: entries, path: path(), warnings: &quiet)
                where entry.body.count > visualFields {
                    let boxes = entry.body.lowerBound + visualFields..<entry.body.upperBound
                    try check(bytes, in: boxes, of: entry.type, path: "\(path())/stsd/\(entry.type)", depth: depth + 1)
                }
            }
        }
    }

    /// A sample entry's boxes are the deepest; anything deeper consists of nested boxes of the same type.
    private static let deepest = 8

    /// The number of bytes of a visual sample entry before its boxes (ISO/IEC 14496-12, 12.1.3).
    private static let visualFields = 78
}
