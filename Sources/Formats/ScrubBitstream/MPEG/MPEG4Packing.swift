/// The fate of the planes of packed MPEG-4 Part 2 (DivX) in a decoder, packet by packet.
///
/// A packet brings a P plane and the B plane after it. libavcodec keeps the B plane and decodes it when the next packet
/// comes. The next packet may have a plane that is not coded and only fills the place, or another B plane, which is
/// kept in turn (h263dec.c, `ff_mpeg4_frame_end`). If packets are lost, moved or doubled the two get out of step, and
/// decoders drop planes or show them one packet late without an error.
struct MPEG4Packing: Sendable {
    /// No more bytes than these are not inspected for a plane to keep: such are planes that are not coded.
    private static let leastByteCount = 7

    /// Whether the decoder keeps a plane for the next packet.
    private(set) var isHolding = false

    /// Notes that a packet begins with a visual object sequence, for which a decoder drops the plane that it keeps. No
    /// packet stands for that plane, and XviD ends its groups so.
    mutating func beginSequence() { isHolding = false }

    /// Takes the next packet.
    ///
    /// - Parameters:
    ///   - planes: those of the packet, in its order.
    ///   - byteCounts: for each plane, how many bytes the packet has from its start code on.
    ///   - isPacked: whether the stream says that it is packed; of others a packet's first plane alone is decoded.
    /// - Returns: whether a plane is lost, or comes late.
    mutating func breaks(at planes: [MPEG4Plane], byteCounts: [Int], isPacked: Bool) -> Bool {
        var isBroken = false
        // With a plane in hand the whole packet is what is inspected for the next one.
        let rest = isHolding ? planes[...] : planes.dropFirst()
        let isSkipped = !isHolding && planes.first?.isCoded == false
        // P planes and sprites are never kept, nor is anything behind a plane that is not coded.
        let isLong = byteCounts[rest.startIndex...].first.map { $0 > MPEG4Packing.leastByteCount } ?? false
        let isKept = isPacked && !isSkipped && isLong && rest.first.map { $0.type != .p } ?? false
        if isKept {
            isHolding = true
            // An I plane comes a packet late, and of several planes the first one alone is decoded.
            if rest.first?.type == .i || rest.first?.isCoded == false || rest.count > 1 { isBroken = true }
        } else {
            isHolding = false
            if rest.contains(where: \.isCoded) { isBroken = true }
        }
        return isBroken
    }
}
