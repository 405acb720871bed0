internal import ScrubBitstream

/// The coded pictures of a stream, one per packet, in decode order; one array per property.
///
/// A packet's place in these arrays is its number: the stamp that goes through the decoder and comes back on the
/// picture. A sample that an edit list plays twice has two places.
package struct CodedPictures: Sendable, Equatable {
    /// The beginning of the payload in the file (direct route), or the demuxer's position of the packet (-1: unknown).
    package var offsets: [Int64] = []
    /// Payload bytes.
    package var sizes: [UInt32] = []
    /// Presentation times in time base units, ``noTime`` if a picture has none.
    package var presentationTimes: [Int64] = []
    /// Decode times in time base units, ``noTime`` if a picture has none. Empty on the direct route.
    package var decodeTimes: [Int64] = []
    package var flags: [PictureFlags] = []
    /// The low 32 bits of XXH3 over each payload, by which a packet is known again after a seek. Empty on the
    /// direct route, where the offset says it all.
    package var fingerprints: [UInt32] = []
    /// Which of the stream's descriptions the packet needs. Empty when there is only one.
    package var descriptions: [UInt8] = []
    /// Reference pictures until a gradual restart has recovered, by picture (H.264 `recovery_frame_cnt`).
    package var recoveryCounts: [UInt32: UInt32] = [:]

    package init() {}

    /// Makes room in the columns that every picture is in.
    package mutating func reserve(_ count: Int) {
        offsets.reserveCapacity(count)
        sizes.reserveCapacity(count)
        presentationTimes.reserveCapacity(count)
        flags.reserveCapacity(count)
    }

    /// Adds pictures with the same columns that come after these in the stream.
    ///
    /// - Precondition: neither has recovery counts, which name pictures by their place.
    package mutating func append(contentsOf next: CodedPictures) {
        precondition(recoveryCounts.isEmpty && next.recoveryCounts.isEmpty, "places would move")
        offsets += next.offsets
        sizes += next.sizes
        presentationTimes += next.presentationTimes
        decodeTimes += next.decodeTimes
        flags += next.flags
        fingerprints += next.fingerprints
        descriptions += next.descriptions
    }

    /// Returns the pictures of a direct stream from one on, numbered from 0.
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
