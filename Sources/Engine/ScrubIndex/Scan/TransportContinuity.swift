internal import ScrubFileIO

/// A check that no packets are missing in part of a transport stream, based on their counters (ISO/IEC 13818-1
/// 2.4.3.3).
///
/// libavformat marks a picture as corrupt if packets are missing, but also if only the length in a PES header does not
/// match (2.4.3.7, `PES_packet_length`), as written by some muxers. The latter does not affect the picture.
struct TransportContinuity {
    private let file: MediaSource

    init(_ file: MediaSource) { self.file = file }

    /// Packets have 188 bytes, with four additional bytes before them in the files of camcorders and discs, or sixteen
    /// after them.
    private static let spacings = [188, 192, 204]
    private static let syncByte: UInt8 = 0x47
    /// The maximum number of bytes that are read for one picture.
    private static let mostBytes = 32 << 20
    /// Null packets (2.4.3.3), which are not counted.
    private static let nullStream = 0x1FFF

    /// Returns whether no packet of any stream is missing or marked as erroneous in a range of the file.
    ///
    /// - Parameters:
    ///   - start: the beginning of a packet.
    ///   - end: the beginning of another one.
    func isWhole(from start: Int64, to end: Int64) -> Bool {
        guard start >= 0, end > start, end - start <= TransportContinuity.mostBytes, end <= file.byteCount,
            let bytes = try? file.read(at: start, count: Int(end - start))
        else { return false }
        let spacing = TransportContinuity.spacings.first { spacing in
            bytes.count % spacing == 0
                && stride(from: 0, to: bytes.count, by: spacing).allSatisfy {
                    bytes[$0] == TransportContinuity.syncByte
                }
        }
        guard let spacing else { return false }
        var last: [Int: UInt8] = [:]
        for place in stride(from: 0, to: bytes.count, by: spacing) {
            let stream = Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2])
            guard bytes[place + 1] & 0x80 == 0 else { return false }
            guard stream != TransportContinuity.nullStream else { continue }
            let (flags, count) = (bytes[place + 3], bytes[place + 3] & 0x0F)
            let (hasAdaptation, hasPayload) = (flags & 0x20 != 0, flags & 0x10 != 0)
            // discontinuity_indicator: the following packets do not continue from the previous ones.
            if hasAdaptation, bytes[place + 4] > 0, bytes[place + 5] & 0x80 != 0 { return false }
            // Packets without a payload have the counter of the previous packet, and so do repeated packets, which are
            // rare.
            if let before = last[stream], count != (hasPayload ? (before + 1) & 0x0F : before) { return false }
            last[stream] = count
        }
        return true
    }
}

extension ScanIndexer.Scanned {
    /// Clears the container's report that bytes of pictures are lost, if all packets from well before to well after
    /// them are present: in that case, only a length does not match. A length that extends beyond the end of the file
    /// is left unchanged.
    mutating func forgiveMisfits(_ file: MediaSource) {
        let places = demuxPositions
        for picture in pictures.flags.indices where pictures.flags[picture].contains(.corrupt) {
            // The packet after a gap reports it, and libavformat's parser splits pictures one packet late: the report
            // may refer to an adjacent picture.
            let (first, last) = (picture - 4, picture + 4)
            guard places.indices.contains(last), let start = first < 0 ? places.first : places[first] else { continue }
            if TransportContinuity(file).isWhole(from: start, to: places[last]) {
                pictures.flags[picture].remove(.corrupt)
            }
        }
    }
}
