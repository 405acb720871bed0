internal import ScrubBitstream

/// The coded pictures of a stream, one per packet, in decode order; one array per property.
///
/// A packet's index in these arrays is its number: the timestamp that is passed through the decoder and returned with
/// the picture. A sample that an edit list plays twice has two indices.
package struct CodedPictures: Sendable, Equatable {
    /// The offset of the payload in the file (direct route), or the demuxer's position of the packet (-1: unknown).
    package var offsets: [Int64] = []
    /// The numbers of payload bytes.
    package var sizes: [UInt32] = []
    /// Presentation times in time base units; ``noTime`` if a picture has none.
    package var presentationTimes: [Int64] = []
    /// Decode times in time base units; ``noTime`` if a picture has none. Empty on the direct route.
    package var decodeTimes: [Int64] = []
    package var flags: [PictureFlags] = []
    /// The low 32 bits of XXH3 over each payload, by which a packet is identified after a seek. Empty on the direct
    /// route, where the offset is enough.
    package var fingerprints: [UInt32] = []
    /// The index of the stream description that each packet needs. Empty if there is only one.
    package var descriptions: [UInt8] = []
    /// The number of reference pictures until a gradual restart has recovered, by picture (H.264 `recovery_frame_cnt`).
    package var recoveryCounts: [UInt32: UInt32] = [:]

    package init() {}

    /// Creates a copy of the pictures of an index, which can be changed.
    init(_ table: PictureTable) {
        offsets = Array(table.offsets)
        sizes = Array(table.sizes)
        presentationTimes = Array(table.presentationTimes)
        decodeTimes = Array(table.decodeTimes)
        flags = Array(table.flags)
        fingerprints = Array(table.fingerprints)
        descriptions = Array(table.descriptions)
        recoveryCounts = table.recoveryCounts
    }

    /// Reserves capacity in the columns that every picture uses.
    package mutating func reserve(_ count: Int) {
        offsets.reserveCapacity(count)
        sizes.reserveCapacity(count)
        presentationTimes.reserveCapacity(count)
        flags.reserveCapacity(count)
    }

    /// Appends pictures with the same columns that come after these in the stream.
    ///
    /// - Precondition: neither has recovery counts, which refer to pictures by index.
    package mutating func append(contentsOf next: CodedPictures) {
        precondition(recoveryCounts.isEmpty && next.recoveryCounts.isEmpty, "positions would move")
        offsets += next.offsets
        sizes += next.sizes
        presentationTimes += next.presentationTimes
        decodeTimes += next.decodeTimes
        flags += next.flags
        fingerprints += next.fingerprints
        descriptions += next.descriptions
    }

    /// Returns the pictures of a direct stream from an index on, numbered from 0.
    func suffix(from first: Int) -> CodedPictures {
        var part = CodedPictures()
        part.offsets = Array(offsets[first...])
        part.sizes = Array(sizes[first...])
        part.presentationTimes = Array(presentationTimes[first...])
        part.flags = Array(flags[first...])
        return part
    }

    /// The number of coded pictures.
    package var count: Int { offsets.count }

    /// The value of a time that the container did not give.
    package static let noTime = Int64.min
}
