/// The spacing of the packets of a transport stream (ISO/IEC 13818-1, 2.4.3.2).
package struct TransportLayout: Sendable, Hashable {
    /// The distance between packets: 188 bytes, 192 with a time stamp before each packet (camcorders and discs), or 204
    /// with a checksum after it.
    package let spacing: Int
    /// The number of bytes before the sync byte.
    package let prefix: Int

    /// The number of bytes of a packet itself.
    package static let packetSize = 188
    static let syncByte: UInt8 = 0x47
    /// The number of packets in a row whose sync bytes show where packets begin.
    private static let rowLength = 5

    private static let all = [(188, 0), (192, 4), (204, 0)].map { TransportLayout(spacing: $0.0, prefix: $0.1) }

    private init(spacing: Int, prefix: Int) { (self.spacing, self.prefix) = (spacing, prefix) }

    /// Finds the layout at the beginning of a file.
    ///
    /// - Returns: `nil` if it does not begin with packets.
    package init?(head: Span<UInt8>) {
        guard let found = TransportLayout.all.first(where: { $0.isRow(at: 0, of: head) }) else { return nil }
        self = found
    }

    /// Returns the first position at or after another one at which packets begin; `nil` if there is none. After damage,
    /// it is not necessarily a multiple of the spacing.
    package func firstPacket(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var place = start
        while place + prefix < bytes.count {
            if isRow(at: place, of: bytes) { return place }
            place += 1
        }
        return nil
    }

    /// Returns whether packets are in a row from a position on, as far as there are bytes.
    private func isRow(at start: Int, of bytes: Span<UInt8>) -> Bool {
        let available = (bytes.count - start - prefix + spacing - 1) / spacing
        guard available > 0 else { return false }
        return (0..<min(available, TransportLayout.rowLength)).allSatisfy {
            bytes[start + prefix + $0 * spacing] == TransportLayout.syncByte
        }
    }
}

/// A packet of a transport stream.
package struct TransportPacket {
    /// The number of its stream (PID).
    package let stream: Int
    /// Whether a PES packet or a section begins in it.
    package let startsUnit: Bool
    /// Whether the stream says that decoding can begin here (`random_access_indicator`, 2.4.3.5). Some muxers set it
    /// everywhere or nowhere.
    package let isRandomAccess: Bool
    /// The range of the payload.
    package let payload: Range<Int>

    /// Reads the packet whose sync byte is at a position.
    ///
    /// - Returns: `nil` if it is cut off, is not a packet, or is marked as erroneous.
    package init?(_ bytes: Span<UInt8>, at start: Int) {
        guard start >= 0, bytes.count - start >= TransportLayout.packetSize, bytes[start] == TransportLayout.syncByte,
            bytes[start + 1] & 0x80 == 0
        else { return nil }
        startsUnit = bytes[start + 1] & 0x40 != 0
        stream = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        let flags = bytes[start + 3]
        let end = start + TransportLayout.packetSize
        var first = start + 4
        var isRandomAccess = false
        if flags & 0x20 != 0 {
            let length = Int(bytes[start + 4])
            isRandomAccess = length > 0 && bytes[start + 5] & 0x40 != 0
            first = min(end, start + 5 + length)
        }
        self.isRandomAccess = isRandomAccess
        payload = flags & 0x10 != 0 ? first..<end : end..<end
    }
}
