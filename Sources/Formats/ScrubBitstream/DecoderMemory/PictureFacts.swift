/// PNG: a picture with a palette color type and no palette uses the palette of an earlier picture (pngdec.c).
struct PNGFacts: PacketFactReader {
    private static let palette: UInt8 = 1
    private var hasPalette = false

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var facts = PacketFacts()
        var (isIndexed, ownPalette) = (false, UInt64?.none)
        PNGChunk.forEach(of: packet) { chunk in
            switch chunk.name {
            case PNGChunk.header where chunk.content.count >= 10:
                isIndexed = packet[chunk.content.lowerBound + 9] == 3
            case PNGChunk.palette: ownPalette = packet.extracting(chunk.content).digest
            default: break
            }
            return chunk.name != PNGChunk.imageData
        }
        facts.needsEarlier = isIndexed && ownPalette == nil && hasPalette
        if isIndexed, ownPalette == nil { facts.isOrdered = hasPalette }
        if ownPalette != nil { hasPalette = true }
        return facts
    }
}

/// TIFF: the palette, the order of planes and the chroma sampling persist from page to page (tiff.c, `init_image`).
struct TIFFFacts: PacketFactReader {
    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var facts = PacketFacts()
        guard packet.count >= 8 else { return facts }
        let isLittle = packet[0] == 0x49
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, count <= packet.count - place else { return nil }
            return (0..<count).reduce(0) { $0 << 8 | Int(packet[place + (isLittle ? count - 1 - $1 : $1)]) }
        }
        guard let directory = number(4, 4), let entries = number(directory, 2) else { return facts }
        for entry in 0..<entries {
            let place = directory + 2 + 12 * entry
            guard let tag = number(place, 2), let value = number(place + 8, 4) else { break }
            switch tag {
            case 284, 530: facts.own[UInt8(tag == 284 ? 1 : 2)] = UInt64(value)
            case 320: facts.own[3] = 1
            default: break
            }
        }
        return facts
    }
}

/// CineForm: the second picture of a pair (TransformType 2) needs the first, and the type persists (cfhd.c).
struct CineFormFacts: PacketFactReader {
    private static let transformType = 10
    /// Tags come before the bands.
    private static let lookedAt = 64

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var facts = PacketFacts()
        for place in stride(from: 0, to: min(packet.count - 3, 4 * CineFormFacts.lookedAt), by: 4) {
            guard packet.bigEndian(at: place, bytes: 2) == CineFormFacts.transformType else { continue }
            if packet[place + 3] != 0 { facts.isOrdered = true }
        }
        return facts
    }
}
