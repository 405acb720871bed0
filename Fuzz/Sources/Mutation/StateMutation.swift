/// The mutations of what a decoder keeps from one picture to the next: parameter sets, matrices, tables, palettes,
/// messages, ends of sequences, packets without a picture. The pictures around them stay sound.
///
/// They are made in streams without tables; another program writes such a stream into a container.
enum StateMutation {
    /// One such change; `nil` for bytes that have nothing of the kind.
    static func apply(to bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return JPEGStateMutation.apply(to: &bytes, &draw) }
        if bytes.starts(with: PNGStateMutation.signature) { return PNGStateMutation.apply(to: &bytes, &draw) }
        guard let (kind, pieces) = StreamMutation.pieces(of: bytes) else { return nil }
        switch kind {
        case "FLV": return FLVStateMutation.apply(to: &bytes, tags: pieces, &draw)
        case "start codes":
            guard let codec = UnitCodec(bytes, pieces) else { return nil }
            return apply(to: &bytes, pieces, codec, &draw)
        default: return nil
        }
    }

    private static func apply(
        to bytes: inout [UInt8], _ pieces: [Range<Int>], _ codec: UnitCodec, _ draw: inout Draw
    ) -> String? {
        let (pictures, sets) = (codec.pictures(bytes, pieces), codec.sets(bytes, pieces))
        guard pictures.count > 2 else { return nil }
        let target = pictures[1 + draw.below(pictures.count - 1)]
        switch draw.below(10) {
        case 0, 1, 2:
            // A set with other bits, in front of a picture that need not be a restart.
            guard let set = draw.one(of: sets) else { return nil }
            var copy = Array(bytes[set])
            let place = min(copy.count - 1, 4 + draw.below(max(1, copy.count - 4)))
            for _ in 0...draw.below(2) {
                copy[min(copy.count - 1, place + draw.below(3))] ^= 1 << UInt8(draw.below(8))
            }
            bytes.insert(contentsOf: copy, at: target)
            guard draw.isOne(in: 2) else { return "set of \(set) with other bits at \(target)" }
            return "set of \(set) with other bits at \(target), alone; "
                + removeSets(in: &bytes, codec, after: target + copy.count)
        case 3:
            return removeSets(in: &bytes, codec, after: draw.isOne(in: 2) ? pictures[0] : target)
        case 4, 5, 6:
            guard let (unit, name) = codec.message(&draw) else { return nil }
            let places = draw.isOne(in: 2) ? [pictures[0]] : [target]
            for place in places { bytes.insert(contentsOf: unit, at: place) }
            return "\(name) at \(places[0])"
        case 7:
            guard let end = draw.one(of: codec.ends) else { return nil }
            let count = 1 + draw.below(2)
            for _ in 0..<count { bytes.insert(contentsOf: [0, 0, 1] + end, at: target) }
            return "\(count) ends at \(target)"
        case 8:
            guard let unit = pieces.first(where: { $0.lowerBound == target }) else { return nil }
            bytes.removeSubrange(unit)
            return "unit out at \(target)"
        default:
            guard let unit = pieces.first(where: { $0.lowerBound == target }), unit.count > 6 else { return nil }
            let place = target + 3 + draw.below(min(8, unit.count - 4))
            bytes[place] ^= 1 << UInt8(draw.below(8))
            return "bit of the picture's header at \(place)"
        }
    }

    /// Takes out the sets behind a place.
    private static func removeSets(in bytes: inout [UInt8], _ codec: UnitCodec, after place: Int) -> String {
        guard let (_, pieces) = StreamMutation.pieces(of: bytes) else { return "no sets" }
        let sets = codec.sets(bytes, pieces).filter { $0.lowerBound >= place }
        for set in sets.reversed() { bytes.removeSubrange(set) }
        return "\(sets.count) sets out from \(place) on"
    }
}

/// Streams of units behind start codes, by their first unit.
enum UnitCodec {
    case h264, hevc, mpeg2, mpeg4

    init?(_ bytes: [UInt8], _ pieces: [Range<Int>]) {
        guard let first = pieces.first, first.count > 5 else { return nil }
        let (code, next) = (bytes[first.lowerBound + 3], bytes[first.lowerBound + 4])
        switch code {
        case 0xB3: self = .mpeg2
        case 0xB0,
            0x00...0x2F where pieces.contains { bytes[min($0.upperBound - 1, $0.lowerBound + 3)] == 0xB6 }:
            self = .mpeg4
        case 0x40, 0x42,
            0x46 where next == 1:
            self = .hevc
        case 0x07, 0x27, 0x47, 0x67, 0x09: self = .h264
        default: return nil
        }
    }

    private func code(_ bytes: [UInt8], _ unit: Range<Int>) -> UInt8 {
        bytes[min(unit.upperBound - 1, unit.lowerBound + 3)]
    }

    /// Where pictures begin: at their first unit.
    func pictures(_ bytes: [UInt8], _ pieces: [Range<Int>]) -> [Int] {
        pieces.filter { unit in
            let code = code(bytes, unit)
            switch self {
            case .h264: return [1, 5].contains(code & 0x1F)
            case .hevc: return code >> 1 < 22
            case .mpeg2: return code == 0
            case .mpeg4: return code == 0xB6
            }
        }
        .map(\.lowerBound)
    }

    /// What later pictures need.
    func sets(_ bytes: [UInt8], _ pieces: [Range<Int>]) -> [Range<Int>] {
        pieces.filter { unit in
            let code = code(bytes, unit)
            switch self {
            case .h264: return [7, 8].contains(code & 0x1F)
            case .hevc: return (32...34).contains(code >> 1)
            case .mpeg2: return [0xB3, 0xB5].contains(code)
            case .mpeg4: return (0x20...0x2F).contains(code)
            }
        }
    }

    /// Ends of sequences and of streams.
    var ends: [[UInt8]] {
        switch self {
        case .h264: [[10], [11]]
        case .hevc: [[36 << 1, 1], [37 << 1, 1]]
        case .mpeg2: [[0xB7]]
        case .mpeg4: [[0xB1]]
        }
    }

    /// A unit that changes what a decoder believes about later pictures.
    func message(_ draw: inout Draw) -> (unit: [UInt8], name: String)? {
        switch self {
        case .h264, .hevc:
            let (type, name) = [
                (19, "film grain"), (19, "film grain"), (47, "orientation"), (1, "picture timing"),
                (6, "recovery point"),
                (45, "frame packing"), (5, "encoder"), (147, "transfer"), (137, "mastering"),
            ][draw.below(9)]
            // Film grain has type 19 in both; orientation 47; a message that its codec does not know is passed over.
            var body = payload(type, &draw)
            if type == 5 {
                body =
                    [
                        0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
                    ] + Array("x264 - core \([20, 60, 66, 67, 144, 150, 152, 165][draw.below(8)])\0".utf8)
            }
            let head: [UInt8] = self == .h264 ? [6] : [39 << 1, 1]
            return ([0, 0, 1] + head + [UInt8(type), UInt8(body.count)] + body + [0x80], name)
        case .mpeg2:
            switch draw.below(5) {
            case 0:
                let text = ["\0TMPGEXS\0", "Lavc58", "DTG1A", "GA94"][draw.below(4)]
                return ([0, 0, 1, 0xB2] + Array(text.utf8) + [draw.byte() | 1, 0x55], "user data")
            case 1:
                let matrix = (0..<64).map { _ in 8 | draw.byte() >> 1 }
                // quant_matrix_extension: id 3, load_intra 1, 64 values, three flags that say no.
                return ([0, 0, 1, 0xB5] + bits([(3, 4), (1, 1)] + matrix.map { (Int($0), 8) } + [(0, 3)]), "matrix")
            case 2: return ([0, 0, 1, 0xB8, 0, 8, draw.byte() & 0xC0, 0x40], "group header")
            case 3:
                return (
                    [0, 0, 1, 0xB5]
                        + bits([(2, 4), (5, 3), (1, 1), (6, 8), (7, 8), (9, 8), (96, 14), (1, 1), (64, 14)]),
                    "display"
                )
            default:
                return (
                    [0, 0, 1, 0x00] + bits([(draw.below(16), 10), (1 + draw.below(3), 3), (0xFFFF, 16), (0, 3)]),
                    "header without a picture"
                )
            }
        case .mpeg4:
            switch draw.below(3) {
            case 0:
                let names = [
                    "DivX503b1393p", "DivX500Build413", "XviD0003", "XviD0046", "Lavc51.11.0", "ffmpeg", "DivX4",
                ]
                return ([0, 0, 1, 0xB2] + Array(names[draw.below(names.count)].utf8) + [0], "user data")
            case 1:
                return (
                    [0, 0, 1, 0xB3] + bits([(0, 18), (draw.below(2), 1), (draw.below(2), 1), (1, 1)]), "group header"
                )
            default:
                return (
                    [0, 0, 1, 0xB6] + bits([(1, 2), (0, 1), (1, 1), (draw.below(8), 4), (1, 1), (0, 1)]), "empty VOP"
                )
            }
        }
    }

    /// The bits of a supplemental message, with what makes it count.
    private func payload(_ type: Int, _ draw: inout Draw) -> [UInt8] {
        switch type {
        case 19:
            // cancel 0, model 0, separate colors 0, mode 0, scale, luma alone, one interval of one value, persistence.
            return bits([
                (0, 1), (0, 2), (0, 1), (0, 2), (2 + draw.below(5), 4), (4, 3), (0, 8), (0, 3), (0, 8), (255, 8),
                // se(v) of 32 to 63: 0000001xxxxxx
                (1, 7), (draw.below(64), 6), (draw.isOne(in: 2) ? 1 : 0b010, draw.isOne(in: 2) ? 1 : 3),
            ])
        case 47:
            return bits([
                (0, 1), (draw.below(2), 1), (draw.below(2), 1), (draw.below(4) << 14, 16),
                (draw.isOne(in: 2) ? 1 : 0b010, 3), (0, 1),
            ])
        default: return (0..<1 + draw.below(12)).map { _ in 0x80 | draw.byte() }
        }
    }

    /// Values of so many bits each, and zeros up to the byte.
    private func bits(_ values: [(value: Int, width: Int)]) -> [UInt8] {
        var row: [UInt8] = []
        for (value, width) in values {
            for index in (0..<width).reversed() { row.append(UInt8(value >> index & 1)) }
        }
        return stride(from: 0, to: row.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 << 1 | (start + $1 < row.count ? row[start + $1] : 0) }
        }
    }
}
