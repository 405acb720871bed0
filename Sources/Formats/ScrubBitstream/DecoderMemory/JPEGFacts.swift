/// State that outlasts a picture in libavcodec's JPEG decoders, besides the tables (mjpegdec.c): encoder comments, the
/// color transforms of Pegasus, and the pairing of fields, which the stream's first picture determines.
struct JPEGFacts: PacketFactReader {
    private enum Fact {
        static let isFlipped: UInt8 = 1
        static let range: UInt8 = 2
        static let avid: UInt8 = 3
        static let multiscope: UInt8 = 4
        static let lossless: UInt8 = 5
        static let transform: UInt8 = 6
        static let isReversible: UInt8 = 7
        static let palette: UInt8 = 8
    }

    /// Whether the container names the codec. Without a codec tag, libavcodec ignores Intel's comment.
    let hasTag: Bool
    /// The height in the container, 0 if none.
    let height: Int
    /// The last frame header: size, precision and sampling.
    private var shape: UInt64?
    private var hasFields = false
    private var isFieldOpen = false
    /// The color transform of Pegasus and whether it changed after the first picture.
    private var kind: UInt64?
    private var changesKind = false
    private var hasBegun = false

    init(hasTag: Bool, height: Int) { (self.hasTag, self.height) = (hasTag, height) }

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var facts = PacketFacts()
        facts.needsEarlier = isFieldOpen
        var markers = JPEGMarkers(packet)
        var (fieldCount, frame): (Int, Frame?) = (0, nil)
        walk: while let (marker, segment) = markers.next() {
            let bytes = packet.extracting(segment)
            switch marker {
            case 0xFE: readComment(bytes, &facts.own)
            case 0xE0...0xEF: readApplication(bytes, &facts.own)
            case 0xF8: if bytes.count > 0, bytes[0] == 2 || bytes[0] == 3 { facts.own[Fact.palette] = bytes.digest }
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xF7:
                guard let found = Frame(marker, bytes) else { continue }
                if found.precision == 9 { facts.own[Fact.isReversible] = 1 }
                takeFrame(found, isFirst: frame == nil, &facts)
                frame = frame ?? found
            // Coded data follows the first scan's header, and with two fields also the second field.
            case 0xDA: if !hasFields, frame?.isProgressive != true { break walk }
            case 0xD9: fieldCount += 1
            default: break
            }
        }
        // The second field completes the picture, and libavcodec ignores the rest of the packet.
        isFieldOpen = hasFields && !isFieldOpen && fieldCount == 1
        facts.counted = (hasFields ? 2 : 0) | (isFieldOpen ? 1 : 0)
        facts.makesNoPicture = isFieldOpen
        // Which of the two transforms applies depends on the earlier pictures.
        let own = facts.own[Fact.lossless]
        if hasBegun, own != nil, own != kind { changesKind = true }
        (kind, hasBegun) = (own ?? kind, true)
        if changesKind { facts.needsEarlier = true }
        return facts
    }

    /// Processes a frame header.
    private mutating func takeFrame(_ frame: Frame, isFirst: Bool, _ facts: inout PacketFacts) {
        // A first picture with less than three quarters of the lines is a field. All later pictures are fields too,
        // until the size changes.
        let isField = height > 0 && frame.lines < height * 3 / 4
        if shape == nil { hasFields = isField } else if shape != frame.shape { hasFields = false }
        shape = frame.shape
        if isFirst, isField != hasFields { facts.needsEarlier = true }
    }

    /// The parts of a frame header (T.81 B.2.2) that determine whether pictures are fields.
    private struct Frame {
        let precision: UInt8
        let lines: Int
        let isProgressive: Bool
        /// Size, precision and sampling.
        let shape: UInt64

        init?(_ marker: UInt8, _ bytes: Span<UInt8>) {
            guard bytes.count >= 6, let lines = bytes.bigEndian(at: 1, bytes: 2) else { return nil }
            (self.lines, precision, isProgressive) = (lines, bytes[0], marker == 0xC2)
            // Only the sampling of the components matters.
            shape = bytes.indices.reduce(0) { sum, place in
                place >= 6 && (place - 6) % 3 != 1 ? sum : (sum ^ UInt64(bytes[place])) &* 0x100_0000_01b3
            }
        }
    }

    private func readComment(_ bytes: Span<UInt8>, _ own: inout DecoderMemory.Facts) {
        var text = bytes
        // libavcodec drops a trailing line feed, and reads up to the first zero byte.
        if text.count > 0, text[text.count - 1] == 0x0A { text = text.extracting(0..<text.count - 1) }
        if let end = text.indices.first(where: { text[$0] == 0 }) { text = text.extracting(0..<end) }
        if text.has("AVID") {
            own[Fact.avid] = bytes.digest
        } else if text.has("CS=ITU601"), text.count == 9 {
            own[Fact.range] = 1
        } else if hasTag && text.has("Intel(R) JPEG Library, version 1") || text.has("Metasoft MJPEG Codec") {
            own[Fact.isFlipped] = 1
        } else if text.has("MULTISCOPE II"), text.count == 13 {
            own[Fact.multiscope] = 1
        }
    }

    private func readApplication(_ bytes: Span<UInt8>, _ own: inout DecoderMemory.Facts) {
        if bytes.has("LJIF"), bytes.count > 12 { own[Fact.lossless] = UInt64(bytes[12]) }
        // Both spellings, because libavcodec compares the first of these names in reverse byte order.
        if bytes.has("mrfx") || bytes.has("xfrm"), bytes.count > 4 { own[Fact.transform] = UInt64(bytes[4]) }
    }
}

/// Iterates over a JPEG picture's segments (ITU-T T.81, B.1.1): markers with the bytes after their length.
struct JPEGMarkers: ~Escapable {
    private let bytes: Span<UInt8>
    private var place = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Returns the next marker and the range of its segment, which is empty for markers without a segment.
    @_lifetime(self: copy self)
    mutating func next() -> (marker: UInt8, segment: Range<Int>)? {
        guard let marker = JPEGTables.next(in: bytes, from: &place) else { return nil }
        switch marker {
        case 0xD8, 0xD9, 0xD0...0xD7, 0x01: return (marker, place..<place)
        default: break
        }
        guard let length = bytes.bigEndian(at: place, bytes: 2), length >= 2, length <= bytes.count - place else {
            return nil
        }
        let segment = place + 2..<place + length
        place += length
        return (marker, segment)
    }
}
