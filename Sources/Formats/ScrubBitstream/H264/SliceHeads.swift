/// Cuts H.264 packets so that a decoder reads every header and next to nothing else.
///
/// Parameter sets, supplemental information and slice headers decide which pictures a decoder hands out, and when. The
/// rest takes the time.
package struct SliceHeads: Sendable {
    /// The cut of a packet.
    package struct Cut: Sendable, Equatable {
        /// The ranges that are left out: ascending, not overlapping, inside the packet.
        package var omitted: [Range<Int>] = []
        /// The new lengths of units behind a length, and where they are written before anything is left out.
        package var lengths: [Length] = []

        /// A length to write.
        package struct Length: Sendable, Equatable {
            package var place: Int
            package var bytes: [UInt8]
        }
    }

    /// The number of bytes of a slice that stay. A header with weights for 32 references in two lists has about 430
    /// bytes.
    package static let byteCount = 512

    private let framing: NALFraming

    /// - Parameter extradata: the stream's out-of-band configuration.
    package init(extradata: [UInt8]) { framing = NALFraming(codec: .h264, extradata: extradata.span) }

    /// Returns the cut of one packet; nothing is cut if its lengths don't add up.
    package func cut(_ packet: Span<UInt8>) -> Cut {
        var units = NALUnits(packet, framing: framing)
        var cut = Cut()
        while let unit = units.next() {
            // Slices, and those of instantaneous refreshes (Table 7-1).
            guard [1, 5].contains(packet[unit.lowerBound] & 0x1f), unit.count > SliceHeads.byteCount else { continue }
            cut.omitted.append(unit.lowerBound + SliceHeads.byteCount..<unit.upperBound)
            let size = units.prefixSize
            guard size > 0 else { continue }
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: SliceHeads.byteCount >> (8 * (size - 1 - $0))) }
            cut.lengths.append(Cut.Length(place: unit.lowerBound - size, bytes: bytes))
        }
        return units.isOverrun ? Cut() : cut
    }
}
