/// The orientation in a stream's display orientation SEI messages (H.264 D.2.26, H.265 D.3.17).
package enum DisplayOrientation {
    /// The message's number, the same in both standards.
    private static let messageType = 47

    /// Returns the display matrix of the messages before a packet's picture, row by row as in ISO/IEC 14496-12; `nil`
    /// if there is no such message, and for upright pictures.
    ///
    /// Rotations are rounded to multiples of 90 degrees.
    ///
    /// - Parameters:
    ///   - packet: a packet, or its first bytes.
    ///   - extradata: the stream's configuration, as the container stores it.
    package static func matrix(inPacket packet: Span<UInt8>, codec: VideoCodec, extradata: [UInt8]) -> [Int32]? {
        guard codec == .h264 || codec == .hevc, packet.count > 0 else { return nil }
        var units = NALUnits(packet, framing: NALFraming(codec: codec, extradata: extradata.span))
        while let range = units.next() {
            let unit = packet.extracting(range)
            let (header, type) = codec == .h264 ? (1, unit[0] & 31) : (2, unit[0] >> 1 & 63)
            // Slices come last.
            if codec == .h264 ? (1...5).contains(type) : type < 32 { return nil }
            guard type == (codec == .h264 ? 6 : 39), unit.count > header else { continue }
            var reader = BitReader(unit.extracting(header..<unit.count), isEscaped: true)
            if let found = message(&reader) { return found.isUpright ? nil : found.matrix }
        }
        return nil
    }

    private struct Message {
        var isMirrored = false
        var isFlipped = false
        /// Counter-clockwise, after mirroring.
        var quarterTurns = 0

        var isUpright: Bool { !isMirrored && !isFlipped && quarterTurns == 0 }

        var matrix: [Int32] {
            // Mirroring comes first. A rotation after it equals the opposite rotation before it.
            let turns = isMirrored != isFlipped ? -quarterTurns & 3 : quarterTurns
            let (cosine, sine): (Int32, Int32) = [(1, 0), (0, 1), (-1, 0), (0, -1)][turns]
            let (x, y): (Int32, Int32) = (isMirrored ? -65536 : 65536, isFlipped ? -65536 : 65536)
            return [cosine * x, -sine * y, 0, sine * x, cosine * y, 0, 0, 0, 1 << 30]
        }
    }

    private static func message(_ reader: inout BitReader) -> Message? {
        var found: Message?
        SupplementalMessages.read(&reader) { (type, _, payload) throws(HeaderError) in
            guard type == messageType else { return true }
            // display_orientation_cancel_flag
            if try payload.flag() {
                found = Message()
                return false
            }
            let (isMirrored, isFlipped) = (try payload.flag(), try payload.flag())
            // anticlockwise_rotation: 2^16 is a full turn.
            let turns = (try payload.bits(16) + 8192) / 16384 & 3
            found = Message(isMirrored: isMirrored, isFlipped: isFlipped, quarterTurns: turns)
            return false
        }
        return found
    }
}
