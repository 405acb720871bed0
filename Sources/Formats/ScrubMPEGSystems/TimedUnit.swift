/// The beginning of a PES packet of a stream.
package struct TimedUnit: Sendable, Equatable {
    /// The position at which a demuxer begins to read it: that of its transport packet, or of its pack.
    package var position: Int
    package var presentationTime: Int64
    package var decodeTime: Int64
    /// Whether the stream says that decoding can begin here.
    package var isRandomAccess: Bool
}

extension TransportLayout {
    /// Returns the PES packets of a stream that begin in some bytes.
    ///
    /// - Parameters:
    ///   - stream: the stream's number (PID).
    ///   - limit: the number after which the search ends.
    package func units(of stream: Int, in bytes: Span<UInt8>, limit: Int = .max) -> [TimedUnit] {
        var found: [TimedUnit] = []
        guard var place = firstPacket(in: bytes, from: 0) else { return found }
        while place + prefix + TransportLayout.packetSize <= bytes.count, found.count < limit {
            guard let packet = TransportPacket(bytes, at: place + prefix) else {
                guard let next = firstPacket(in: bytes, from: place + 1) else { break }
                place = next
                continue
            }
            if packet.stream == stream, packet.startsUnit, !packet.payload.isEmpty,
                let header = PESHeader(bytes.extracting(packet.payload), at: 0)
            {
                found.append(
                    TimedUnit(
                        position: place, presentationTime: header.presentationTime, decodeTime: header.decodeTime,
                        isRandomAccess: packet.isRandomAccess))
            }
            place += spacing
        }
        return found
    }
}

/// Packs of a program stream (ISO/IEC 13818-1, 2.5.3).
package enum ProgramPacks {
    private static let packCode: UInt8 = 0xBA

    /// Returns whether bytes begin with a pack header.
    package static func isPack(_ bytes: Span<UInt8>, at place: Int) -> Bool {
        bytes.count - place >= 5 && bytes[place] == 0 && bytes[place + 1] == 0 && bytes[place + 2] == 1
            && bytes[place + 3] == packCode
            // MPEG-2 (2.5.3.3) or MPEG-1 (ISO/IEC 11172-1, 2.4.3.2).
            && (bytes[place + 4] & 0xC4 == 0x44 || bytes[place + 4] & 0xF1 == 0x21)
    }

    /// Returns the PES packets of a stream that begin in some bytes, at the packs that contain them.
    ///
    /// - Parameters:
    ///   - stream: the stream's number (`stream_id`), such as 0xE0 for the first video.
    ///   - limit: the number after which the search ends.
    package static func units(of stream: UInt8, in bytes: Span<UInt8>, limit: Int = .max) -> [TimedUnit] {
        var found: [TimedUnit] = []
        var (place, pack): (Int, Int?) = (0, nil)
        while place + 4 <= bytes.count, found.count < limit {
            guard bytes[place + 2] <= 1 else {
                place += 3
                continue
            }
            guard bytes[place] == 0, bytes[place + 1] == 0, bytes[place + 2] == 1 else {
                place += 1
                continue
            }
            if isPack(bytes, at: place) {
                pack = place
                place += 4
            } else if bytes[place + 3] == stream, let own = pack {
                if let header = PESHeader(bytes, at: place) {
                    found.append(
                        TimedUnit(
                            position: own, presentationTime: header.presentationTime, decodeTime: header.decodeTime,
                            isRandomAccess: false))
                }
                pack = nil
                place += 6
            } else {
                place += 1
            }
        }
        return found
    }
}
