/// Shortens H.264 packets so that a decoder reads every header and almost nothing else.
///
/// Parameter sets, supplemental information and slice headers determine which pictures a decoder outputs, and when. The
/// rest takes most of the time.
package struct SliceHeads: Sendable {
    /// The parts to cut from a packet.
    package struct Cut: Sendable, Equatable {
        /// The ranges to omit, in ascending order, without overlaps, inside the packet.
        package var omitted: [Range<Int>] = []
        /// The new length prefixes of units, and where to write them before anything is omitted.
        package var lengths: [Length] = []

        /// A length to write.
        package struct Length: Sendable, Equatable {
            package var place: Int
            package var bytes: [UInt8]
        }
    }

    /// The number of bytes of a slice to keep. A header with weights for 32 references in two lists has about 430
    /// bytes.
    package static let byteCount = 512

    private let framing: NALFraming

    /// - Parameter extradata: the stream's out-of-band configuration.
    package init(extradata: [UInt8]) { framing = NALFraming(codec: .h264, extradata: extradata.span) }

    /// Returns the parts to cut from one packet; nothing is cut if its lengths do not add up.
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
