/// The fate of the planes of packed MPEG-4 Part 2 (DivX) in a decoder, packet by packet.
///
/// A packet contains a P plane and the B plane after it. libavcodec keeps the B plane and decodes it when the next
/// packet arrives. The next packet may contain a plane that is not coded, as a mere placeholder, or another B plane,
/// which is kept in turn (h263dec.c, `ff_mpeg4_frame_end`). If packets are lost, moved or duplicated, the planes get
/// out of step, and decoders drop planes or show them one packet late without an error.
struct MPEG4Packing: Sendable {
    /// Data of at most this many bytes is not inspected for a plane to keep, because it is a plane that is not coded.
    private static let leastByteCount = 7

    /// Whether the decoder keeps a plane for the next packet.
    private(set) var isHolding = false

    /// Records that a packet begins with a visual object sequence, at which a decoder drops the plane that it keeps. No
    /// packet represents that plane. XviD ends its groups this way.
    mutating func beginSequence() { isHolding = false }

    /// Processes the next packet.
    ///
    /// - Parameters:
    ///   - planes: the packet's planes, in order.
    ///   - byteCounts: for each plane, the number of bytes in the packet from the plane's start code.
    ///   - isPacked: whether the stream is declared as packed; otherwise, only a packet's first plane is decoded.
    /// - Returns: whether a plane is lost or late.
    mutating func breaks(at planes: [MPEG4Plane], byteCounts: [Int], isPacked: Bool) -> Bool {
        var isBroken = false
        // While a plane is being kept, the entire packet is inspected for the next one.
        let rest = isHolding ? planes[...] : planes.dropFirst()
        let isSkipped = !isHolding && planes.first?.isCoded == false
        // P planes and sprites are never kept, nor is anything after a plane that is not coded.
        let isLong = byteCounts[rest.startIndex...].first.map { $0 > MPEG4Packing.leastByteCount } ?? false
        let isKept = isPacked && !isSkipped && isLong && rest.first.map { $0.type != .p } ?? false
        if isKept {
            isHolding = true
            // An I plane is one packet late, and only the first of several planes is decoded.
            if rest.first?.type == .i || rest.first?.isCoded == false || rest.count > 1 { isBroken = true }
        } else {
            isHolding = false
            if rest.contains(where: \.isCoded) { isBroken = true }
        }
        return isBroken
    }
}
