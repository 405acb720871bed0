/// The losses of recordings, doubled and reordered parts, with everything around them as it should be. Units and
/// packets are swapped or voided, and lengths in transport streams do not fit.
enum LossMutation {
    static func apply(to bytes: inout [UInt8], form: Mutator.Form, _ draw: inout Draw) -> String? {
        switch form {
        case .stream:
            guard let (kind, pieces) = StreamMutation.pieces(of: bytes) else { return nil }
            switch kind {
            case "PNG": return PNGMutation.apply(to: &bytes, chunks: pieces, &draw)
            case "transport": return changeLength(in: &bytes, pieces, &draw)
            case "RIFF":
                let media = pieces.filter { bytes.has("00d", at: $0.lowerBound) || bytes.has("01d", at: $0.lowerBound) }
                if draw.isOne(in: 3) { return move(in: &bytes, media, &draw) }
                return void(in: &bytes, media, &draw)
            default: return move(in: &bytes, pieces, &draw)
            }
        case .elements: return void(in: &bytes, &draw)
        case .boxes: return exchange(in: &bytes, &draw)
        case .text, .table, .bytes: return nil
        }
    }

    /// Pieces that change places with a near one, go there, or are there twice.
    private static func move(in bytes: inout [UInt8], _ pieces: [Range<Int>], _ draw: inout Draw) -> String? {
        guard pieces.count > 2 else { return nil }
        let (first, distance) = (draw.below(pieces.count - 1), [1, 1, 2, 3, 8, 30][draw.below(6)])
        let last = min(pieces.count - 1, first + distance)
        let (a, b) = (pieces[first], pieces[last])
        guard a.upperBound <= b.lowerBound else { return nil }
        let (one, other, between) = (Array(bytes[a]), Array(bytes[b]), Array(bytes[a.upperBound..<b.lowerBound]))
        switch draw.below(4) {
        case 0, 1:
            bytes.replaceSubrange(a.lowerBound..<b.upperBound, with: other + between + one)
            return "pieces at \(a.lowerBound) and \(b.lowerBound) swapped"
        case 2:
            bytes.replaceSubrange(a.lowerBound..<b.upperBound, with: between + other + one)
            return "piece at \(a.lowerBound) behind the one at \(b.lowerBound)"
        default:
            bytes.insert(contentsOf: one, at: b.upperBound)
            return "piece at \(a.lowerBound) again behind \(b.upperBound)"
        }
    }

    /// Chunks that are called junk, or have nothing in them.
    private static func void(in bytes: inout [UInt8], _ chunks: [Range<Int>], _ draw: inout Draw) -> String? {
        guard let chunk = draw.one(of: chunks), chunk.count >= 8 else { return nil }
        if draw.isOne(in: 2) {
            bytes.replaceSubrange(chunk.lowerBound..<chunk.lowerBound + 4, with: Array("JUNK".utf8))
            return "chunk at \(chunk.lowerBound) is junk"
        }
        bytes.replaceSubrange(chunk.lowerBound + 4..<chunk.upperBound, with: [0, 0, 0, 0])
        return "chunk at \(chunk.lowerBound) is empty"
    }

    /// Blocks of Matroska that become void elements.
    private static func void(in bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        let blocks = ElementMutation.places(of: [0xA3, 0xA0], in: bytes)
        guard !blocks.isEmpty else { return nil }
        let first = draw.below(blocks.count)
        let count = [1, 1, 1, 2, 3][draw.below(5)]
        for block in blocks[first..<min(blocks.count, first + count)] { bytes[block] = 0xEC }
        return "\(count) blocks from \(blocks[first]) on are void"
    }

    /// Units of one length change places; else the shorter one is in the longer one's place too, with filler behind it.
    private static func exchange(in bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        guard let row = UnitMutation.chain(in: bytes, &draw), row.count > 2 else { return nil }
        let first = draw.below(row.count - 1)
        let (a, b) = (row[first], row[min(row.count - 1, first + [1, 2, 3, 8][draw.below(4)])])
        if a.count == b.count {
            let part = Array(bytes[a])
            bytes.replaceSubrange(a, with: Array(bytes[b]))
            bytes.replaceSubrange(b, with: part)
            return "units at \(a.lowerBound) and \(b.lowerBound) swapped"
        }
        let (short, long) = a.count < b.count ? (a, b) : (b, a)
        let rest = long.count - short.count
        guard rest >= 6 else { return nil }
        // Filler data is type 12 of H.264, and 38 of HEVC, whose headers have a second byte.
        let isHEVC = bytes[short.lowerBound + 5] == 1
        let filler = [UInt8](UInt64(rest - 4), width: 4) + [isHEVC ? 38 << 1 : 12, isHEVC ? 1 : 0xFF]
        let part = Array(bytes[short]) + filler + [UInt8](repeating: 0xFF, count: rest - 6)
        bytes.replaceSubrange(long, with: part)
        return "unit at \(short.lowerBound) at \(long.lowerBound) too"
    }

    /// PES_packet_length (ISO/IEC 13818-1 2.4.3.7) of a packet that begins one.
    private static func changeLength(
        in bytes: inout [UInt8], _ packets: [Range<Int>], _ draw: inout Draw
    ) -> String? {
        let places = packets.compactMap { packet -> Int? in
            let start = packet.upperBound - 188
            guard bytes[start + 1] & 0x40 != 0 else { return nil }
            let payload = start + 4 + (bytes[start + 3] & 0x20 != 0 ? 1 + Int(bytes[start + 4]) : 0)
            guard payload + 6 <= packet.upperBound, bytes[payload..<payload + 3] == [0, 0, 1] else { return nil }
            return payload + 4
        }
        guard let place = draw.one(of: places) else { return nil }
        let old = Int(bytes.number(at: place, width: 2))
        let new = draw.isOne(in: 2) ? draw.below(1 << 16) : max(0, old + draw.below(400) - 200)
        bytes.put(UInt64(new), at: place, width: 2)
        return "PES length \(old) at \(place) is \(new)"
    }
}
