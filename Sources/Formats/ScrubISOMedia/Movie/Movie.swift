package import ScrubBase

/// A parsed ISO base media or QuickTime file: the movie box and the headers of its fragments, without the media.
///
/// The time to read it is in proportion to the movie box, whatever the size of the file.
package struct Movie: Sendable {
    /// The first brand that the file names (`ftyp`, ISO/IEC 14496-12, 4.3); QuickTime files may have none.
    package internal(set) var majorBrand: FourCC?
    /// Time units of the movie per second (`mvhd`), never 0.
    package internal(set) var timescale: UInt32 = 1
    /// The declared length of the presentation, in the movie's timescale.
    package internal(set) var duration: UInt64 = 0
    /// The nine numbers of the movie's display matrix (`mvhd`), which applies after a track's own.
    package internal(set) var matrix: [Int32] = Track.identityMatrix
    /// The tracks in file order.
    package internal(set) var tracks: [Track] = []
    /// The number of movie fragments after the movie box.
    package internal(set) var fragmentCount = 0
    /// Whether the movie consists of fragments or declares that fragments may follow (`mvex`).
    package internal(set) var isFragmented = false
    /// The segment indices of the file, in file order.
    package internal(set) var segmentIndexes: [SegmentIndex] = []
    /// The starting points that `mfra` declares, by track.
    package internal(set) var randomAccessHints: [UInt32: [RandomAccessHint]] = [:]
    /// The number of bytes of the file's last box that are missing from the file.
    package internal(set) var missingBytes: Int64 = 0
    /// The first offset at which there are zeros instead of a box; `nil` if there are none. This happens in a file
    /// whose size was set before its bytes arrived.
    package internal(set) var unwrittenFrom: Int64?
    /// The announced total length of all fragments, in the movie's timescale (`mehd`, ISO/IEC 14496-12, 8.8.2). It is
    /// nil without the box, and 0 if a writer never came back to fill it in.
    package internal(set) var announcedDuration: UInt64?
    /// Irregularities that did not prevent reading.
    package internal(set) var warnings: [String] = []
    /// The warnings about films in the file that are skipped, as they are by libavformat.
    package internal(set) var omissions: [String] = []

    /// The `ftyp` box with its header, empty if the file has no such box.
    var fileType: [UInt8] = []
    /// The content of the `moov` box.
    var moov: [UInt8] = []

    /// Reads the headers of a file.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the movie box is missing or damaged, ``ScrubError/Code/unavailable`` if
    ///   it is compressed.
    package init(reading source: any ByteSource) throws(ScrubError) {
        var reader = MovieReader(source)
        self = try reader.read()
    }

    init() {}

    /// Whether the file begins like one of this family: with a known box of a plausible size, after any number of boxes
    /// that may precede it.
    package static func isISOMedia(_ source: any ByteSource) -> Bool {
        let decisive: Set<FourCC> = [.ftyp, .styp, .moov, .moof, .sidx]
        let passing: Set<FourCC> = [
            .mdat, .free, .skip, .wide, .uuid, "pnot", "PICT", "pict", "udta", "prfl", "emsg",
        ]
        var walk = FileBoxWalk(source)
        do throws(ScrubError) {
            for _ in 0..<64 {
                guard let box = try walk.next() else { return false }
                if decisive.contains(box.type) { return true }
                guard passing.contains(box.type), !box.isTruncated || box.type == .mdat else { return false }
            }
        } catch {
            return false
        }
        return false
    }

    /// Returns the track with the number `id`.
    package func track(id: UInt32) -> Track? { tracks.first { $0.id == id } }
}
