/// The mutations of streams without tables: transport packets, units behind start codes, chunks, frames with small
/// heads.
enum StreamMutation {
    /// Returns the pieces of a stream, by its beginning; `nil` for one that nothing here knows.
    static func pieces(of bytes: [UInt8]) -> (kind: String, pieces: [Range<Int>])? {
        for (size, sync) in [(188, 0), (192, 4)] where isTransport(bytes, size, sync) {
            return ("transport", stride(from: 0, to: bytes.count - size + 1, by: size).map { $0..<$0 + size })
        }
        if bytes.has("RIFF", at: 0) { return ("RIFF", chunks(of: bytes, from: 12, to: bytes.count)) }
        if bytes.has("DKIF", at: 0) {
            return ("IVF", frames(of: bytes, from: 32, head: 12) { $0.littleNumber(at: $1, width: 4) })
        }
        if bytes.has("FLV", at: 0) {
            return ("FLV", frames(of: bytes, from: 13, head: 15) { $0.number(at: $1 + 1, width: 3) })
        }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            return ("PNG", frames(of: bytes, from: 8, head: 12) { $0.number(at: $1, width: 4) })
        }
        let units = units(of: bytes)
        return units.count > 2 && units[0].lowerBound < 16 ? ("start codes", units) : nil
    }

    /// One change that the kind of stream has.
    static func apply(to bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        guard let (kind, pieces) = pieces(of: bytes), let piece = draw.one(of: pieces) else { return nil }
        switch kind {
        case "transport":
            let start = piece.lowerBound + piece.count - 188
            switch draw.below(10) {
            case 0:
                bytes[start + 1] |= 0x80
                return "transport: error indicator at \(start)"
            case 1:
                bytes[start + 3] = bytes[start + 3] & 0xF0 | UInt8(draw.below(16))
                return "transport: continuity counter at \(start)"
            case 2:
                bytes[start + 1] ^= 0x40
                return "transport: unit start at \(start)"
            case 3:
                bytes.put(draw.edge(near: bytes.number(at: start + 1, width: 2)) & 0x1FFF, at: start + 1, width: 2)
                return "transport: PID at \(start)"
            case 4:
                bytes[start + 4] = draw.byte()
                return "transport: adaptation at \(start)"
            default: break
            }
        case "start codes":
            // Parameter sets and headers of sequences come first; of H.264 and HEVC they have types of their own.
            let sets = pieces.filter { range in
                let code = bytes[min(range.upperBound - 1, range.lowerBound + 3)]
                return [7, 8].contains(code & 0x1F) || (64...70).contains(code & 0x7E)
                    || [0xB3, 0xB5, 0x20, 0x00].contains(code)
            }
            if draw.isOne(in: 4), let set = draw.one(of: sets) {
                return "set: "
                    + ByteMutation.flipHead(
                        of: min(set.lowerBound + 4, set.upperBound)..<set.upperBound, in: &bytes, &draw)
            }
        case "RIFF":
            if draw.isOne(in: 4) {
                let size = bytes.littleNumber(at: piece.lowerBound + 4, width: 4)
                bytes.putLittle(draw.edge(near: size), at: piece.lowerBound + 4, width: 4)
                return "RIFF: size at \(piece.lowerBound)"
            }
        default: break
        }
        return kind + ": " + PieceMutation.apply(to: &bytes, pieces: pieces, &draw)
    }

    private static func isTransport(_ bytes: [UInt8], _ size: Int, _ sync: Int) -> Bool {
        bytes.count >= 4 * size && (0..<4).allSatisfy { bytes[$0 * size + sync] == 0x47 }
    }

    /// From one start code to the next.
    private static func units(of bytes: [UInt8]) -> [Range<Int>] {
        var starts: [Int] = []
        var place = 0
        while place + 3 < bytes.count {
            if bytes[place] == 0, bytes[place + 1] == 0, bytes[place + 2] == 1 {
                starts.append(place)
                place += 3
            } else {
                place += 1
            }
        }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { $0..<$1 }
    }

    private static func frames(
        of bytes: [UInt8], from start: Int, head: Int, size: ([UInt8], Int) -> UInt64
    ) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = start
        while place + head <= bytes.count {
            let end = min(bytes.count, place + head + Int(min(size(bytes, place), 1 << 30)))
            found.append(place..<end)
            place = end
        }
        return found
    }

    private static func chunks(of bytes: [UInt8], from start: Int, to end: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = start
        while place + 8 <= end {
            let size = Int(bytes.littleNumber(at: place + 4, width: 4))
            let next = min(end, place + 8 + size + size % 2)
            if bytes.has("LIST", at: place), next >= place + 12 {
                found.append(place..<place + 12)
                found += chunks(of: bytes, from: place + 12, to: next)
            } else {
                found.append(place..<next)
            }
            place = next
        }
        return found
    }
}

/// The mutations of units behind lengths, as MP4 and Matroska have those of H.264 and HEVC.
enum UnitMutation {
    /// A row of units somewhere in the file.
    static func chain(in bytes: [UInt8], _ draw: inout Draw) -> [Range<Int>]? {
        for _ in 0..<8 {
            let start = draw.below(bytes.count)
            for place in start..<min(bytes.count, start + 4096) {
                let row = row(in: bytes, from: place)
                if row.count >= 3 { return row }
            }
        }
        return nil
    }

    private static func row(in bytes: [UInt8], from start: Int) -> [Range<Int>] {
        var row: [Range<Int>] = []
        var place = start
        while row.count < 400, place + 6 < bytes.count {
            let length = Int(bytes.number(at: place, width: 4))
            guard length >= 2, length < 1 << 20, place + 4 + length <= bytes.count, bytes[place + 4] & 0x80 == 0,
                bytes[place + 4] != 0
            else { break }
            row.append(place..<place + 4 + length)
            place += 4 + length
        }
        return row
    }

    /// Changes a unit in its place, so that no table becomes wrong.
    static func apply(to bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        guard let row = chain(in: bytes, &draw), let unit = draw.one(of: row) else { return nil }
        let body = unit.lowerBound + 4..<unit.upperBound
        switch draw.below(9) {
        case 0, 1: return "unit: " + ByteMutation.flipHead(of: body, in: &bytes, &draw)
        case 2:
            let kept = draw.below(body.count)
            for place in body.lowerBound + kept..<body.upperBound { bytes[place] = 0 }
            return "unit at \(unit.lowerBound) is zero after \(kept) bytes"
        case 3:
            bytes[body.lowerBound] = draw.byte() & 0x7F
            return "unit at \(unit.lowerBound): type"
        case 4:
            let number = draw.edge(near: UInt64(body.count))
            bytes.put(number, at: unit.lowerBound, width: 4)
            return "unit at \(unit.lowerBound): length \(number)"
        case 5:
            // Filler takes its place: the picture, or a slice of it, is lost.
            let isHEVC = body.count > 2 && bytes[body.lowerBound + 1] == 1
            bytes[body.lowerBound] = isHEVC ? 38 << 1 : 12
            return "unit at \(unit.lowerBound) becomes filler"
        case 6:
            guard let other = draw.one(of: row) else { return nil }
            let count = min(body.count, other.count - 4)
            let part = Array(bytes[other.lowerBound + 4..<other.lowerBound + 4 + count])
            bytes.replaceSubrange(body.lowerBound..<body.lowerBound + count, with: part)
            return "unit at \(unit.lowerBound) has the bytes of \(other.lowerBound)"
        default: return "unit: " + ByteMutation.apply(inPlaceOf: body, in: &bytes, &draw)
        }
    }
}

extension ByteMutation {
    /// Changes bits and bytes, or sets zeros, and moves nothing behind them.
    static func apply(inPlaceOf range: Range<Int>, in bytes: inout [UInt8], _ draw: inout Draw) -> String {
        guard !range.isEmpty else { return "nothing" }
        let place = range.lowerBound + draw.below(range.count)
        let count = min(range.upperBound - place, draw.length(upTo: 64))
        switch draw.below(4) {
        case 0:
            for index in place..<place + count { bytes[index] = draw.byte() }
            return "\(count) random bytes at \(place)"
        case 1:
            for index in place..<place + count { bytes[index] = 0 }
            return "\(count) zeros at \(place)"
        default:
            bytes[place] ^= 1 << UInt8(draw.below(8))
            return "bit of byte \(place)"
        }
    }
}
