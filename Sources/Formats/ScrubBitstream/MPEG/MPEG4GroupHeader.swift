/// The group header of MPEG-4 Part 2 (ISO/IEC 14496-2 6.2.4), which sets the time from which planes count.
package enum MPEG4GroupHeader {
    /// Whether a packet has a group header before its first plane. Decoders ignore group headers after a plane.
    package static func isBeforePlane(in packet: Span<UInt8>) -> Bool {
        var units = StartCodeUnits(packet.extracting(0..<min(packet.count, headByteCount)))
        while let range = units.next() {
            switch packet[range.lowerBound] {
            case MPEG4StartCode.group: return true
            case MPEG4StartCode.plane: return false
            default: continue
            }
        }
        return false
    }

    /// The number of first bytes to inspect, because layers and user data precede the header.
    private static let headByteCount = 4096
}
