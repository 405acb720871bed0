internal import ScrubFileIO

/// Whether the packets of a stretch of a transport stream are all there, by their own count (ISO/IEC 13818-1 2.4.3.3).
///
/// libavformat calls a picture corrupt where packets are missing, and also where only the length in a PES header does
/// not fit (2.4.3.7, `PES_packet_length`), as careless muxers write it. The second kind does not affect the picture.
struct TransportContinuity {
    private let file: MediaSource

    init(_ file: MediaSource) { self.file = file }

    /// Packets have 188 bytes, with four more in front of them in the files of camcorders and discs, or sixteen behind
    /// them.
    private static let spacings = [188, 192, 204]
    private static let syncByte: UInt8 = 0x47
    /// More is not read for one picture.
    private static let mostBytes = 32 << 20
    /// Packets of nothing (2.4.3.3): they are not counted.
    private static let nullStream = 0x1FFF

    /// Whether no packet of any stream is missing or said to be wrong in some bytes of the file.
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
            // discontinuity_indicator: the packets behind do not go on from those before.
            if hasAdaptation, bytes[place + 4] > 0, bytes[place + 5] & 0x80 != 0 { return false }
            // Packets without a payload have the count of the one before; so has one that is sent twice, which is rare
            // enough.
            if let before = last[stream], count != (hasPayload ? (before + 1) & 0x0F : before) { return false }
            last[stream] = count
        }
        return true
    }
}

extension ScanIndexer.Scanned {
    /// Takes the container's word back that bytes of pictures are lost, where packets from well before to well behind
    /// them are all there: then only a length does not fit. A length that a file's end cuts stays as it is.
    mutating func forgiveMisfits(_ file: MediaSource) {
        let places = demuxPositions
        for picture in pictures.flags.indices where pictures.flags[picture].contains(.corrupt) {
            // The packet behind a gap reports it, and libavformat's parser cuts pictures one packet late: a neighbour
            // may be meant.
            let (first, last) = (picture - 4, picture + 4)
            guard places.indices.contains(last), let start = first < 0 ? places.first : places[first] else { continue }
            if TransportContinuity(file).isWhole(from: start, to: places[last]) {
                pictures.flags[picture].remove(.corrupt)
            }
        }
    }
}
