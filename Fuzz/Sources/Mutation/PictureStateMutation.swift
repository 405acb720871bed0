/// The mutations of JPEG pictures one after the other: comments, tables and sizes that later pictures keep.
enum JPEGStateMutation {
    private static let comments = [
        "Intel(R) JPEG Library, version 1", "Metasoft MJPEG Codec", "CS=ITU601", "AVID", "MULTISCOPE II", "Lavc58.1",
    ]

    static func apply(to bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        let starts = pictures(of: bytes)
        guard let start = draw.one(of: draw.isOne(in: 3) ? Array(starts.prefix(1)) : starts) else { return nil }
        switch draw.below(6) {
        case 0, 1:
            let text = comments[draw.below(comments.count)]
            let segment = [0xFF, 0xFE] + [UInt8](UInt64(text.utf8.count + 3), width: 2) + Array(text.utf8) + [0]
            bytes.insert(contentsOf: segment, at: start + 2)
            return "JPEG: comment \(text) at \(start)"
        case 2:
            let segments: [(name: String, bytes: [UInt8])] = [
                (
                    "AVI1",
                    [0xFF, 0xE0, 0, 16] + Array("AVI1".utf8) + [draw.byte() & 3] + [UInt8](repeating: 0, count: 9)
                ),
                ("Adobe", [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, draw.byte() & 3]),
                ("DRI", [0xFF, 0xDD, 0, 4, 0, UInt8(draw.below(3))]),
            ]
            let (name, segment) = segments[draw.below(segments.count)]
            bytes.insert(contentsOf: segment, at: start + 2)
            return "JPEG: \(name) at \(start)"
        default:
            let segments = segments(of: bytes, from: start)
            guard let segment = draw.one(of: segments) else { return nil }
            let marker = bytes[segment.lowerBound + 1]
            switch marker {
            case 0xC4 where draw.isOne(in: 2), 0xDB where draw.isOne(in: 2):
                bytes.removeSubrange(segment)
                return "JPEG: no segment \(marker) at \(start)"
            case 0xDB:
                let place = segment.lowerBound + 5 + draw.below(max(1, segment.count - 6))
                bytes[place] = 1 | draw.byte()
                return "JPEG: another factor at \(place)"
            case 0xC0, 0xC1:
                let height = bytes.number(at: segment.lowerBound + 5, width: 2)
                bytes.put(draw.isOne(in: 2) ? height / 2 : height &+ 8, at: segment.lowerBound + 5, width: 2)
                return "JPEG: another height at \(start)"
            default:
                bytes.insert(contentsOf: Array(bytes[segment]), at: segment.lowerBound)
                return "JPEG: segment \(marker) twice at \(start)"
            }
        }
    }

    /// Where pictures begin.
    private static func pictures(of bytes: [UInt8]) -> [Int] {
        (0..<max(0, bytes.count - 2)).filter {
            bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 && bytes[$0 + 2] == 0xFF
        }
    }

    /// A picture's segments up to its scan.
    private static func segments(of bytes: [UInt8], from start: Int) -> [Range<Int>] {
        var (found, place): ([Range<Int>], Int) = ([], start + 2)
        while place + 4 <= bytes.count, bytes[place] == 0xFF, bytes[place + 1] != 0xDA, bytes[place + 1] != 0xD9 {
            let end = place + 2 + Int(bytes.number(at: place + 2, width: 2))
            guard end <= bytes.count, end > place + 4 else { break }
            found.append(place..<end)
            place = end
        }
        return found
    }
}

/// The mutations of PNG pictures one after the other, and of an APNG's chunks in another order.
enum PNGStateMutation {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]

    static func apply(to bytes: inout [UInt8], _ draw: inout Draw) -> String? {
        let chunks = chunks(of: bytes)
        func named(_ name: String) -> [Range<Int>] {
            chunks.filter { [content = bytes] in content.has(name, at: $0.lowerBound + 4) }
        }
        let palettes = named("PLTE")
        switch draw.below(4) {
        case 0 where palettes.count > 1:
            let out = draw.isOne(in: 2) ? Array(palettes.dropFirst()) : [palettes[1 + draw.below(palettes.count - 1)]]
            for chunk in out.reversed() { bytes.removeSubrange(chunk) }
            return "PNG: \(out.count) palettes out"
        case 1 where !palettes.isEmpty:
            let chunk = palettes[draw.below(palettes.count)]
            var body = Array(bytes[chunk.lowerBound + 4..<chunk.upperBound - 4])
            for _ in 0..<8 where body.count > 8 { body[4 + draw.below(body.count - 4)] = draw.byte() }
            bytes.replaceSubrange(chunk, with: PNGMutation.whole(body))
            return "PNG: another palette at \(chunk.lowerBound)"
        case 2:
            guard let head = draw.one(of: named("IHDR")) else { return nil }
            let names = ["tRNS", "bKGD", "gAMA", "pHYs", "iCCP", "sBIT"]
            let body =
                Array(names[draw.below(names.count)].utf8)
                + (0..<[1, 3, 4, 6, 9][draw.below(5)]).map { _ in draw.byte() }
            bytes.insert(contentsOf: PNGMutation.whole(body), at: head.upperBound)
            return "PNG: a chunk more at \(head.upperBound)"
        default:
            guard chunks.count > 4 else { return nil }
            let from = chunks[1 + draw.below(chunks.count - 2)]
            let target = chunks[1 + draw.below(chunks.count - 1)].lowerBound
            let part = Array(bytes[from])
            if target <= from.lowerBound {
                bytes.removeSubrange(from)
                bytes.insert(contentsOf: part, at: target)
            } else {
                bytes.insert(contentsOf: part, at: target)
                bytes.removeSubrange(from)
            }
            return "PNG: chunk of \(from.lowerBound) at \(target)"
        }
    }

    private static func chunks(of bytes: [UInt8]) -> [Range<Int>] {
        var (found, place): ([Range<Int>], Int) = ([], 0)
        while place + 12 <= bytes.count {
            if bytes[place..<place + 8].elementsEqual(signature) {
                place += 8
                continue
            }
            let end = place + 12 + Int(min(bytes.number(at: place, width: 4), 1 << 24))
            guard end <= bytes.count else { break }
            found.append(place..<end)
            place = end
        }
        return found
    }
}

/// The mutations of FLV: sequence headers on the way, films one behind the other, units in a picture's tag.
enum FLVStateMutation {
    static func apply(to bytes: inout [UInt8], tags: [Range<Int>], _ draw: inout Draw) -> String? {
        let video = tags.filter { bytes[$0.lowerBound] & 0x1F == 9 && $0.count > 24 }
        let headers = video.filter { bytes[$0.lowerBound + 11] & 0xF == 7 && bytes[$0.lowerBound + 12] == 0 }
        let pictures = video.filter { bytes[$0.lowerBound + 11] & 0xF == 7 && bytes[$0.lowerBound + 12] == 1 }
        guard let target = draw.one(of: pictures) ?? draw.one(of: video) else { return nil }
        switch draw.below(6) {
        case 0, 1, 2:
            guard let header = draw.one(of: headers) else { return nil }
            var copy = Array(bytes[header])
            let end = copy.count - 4
            for _ in 0...draw.below(2) where end > 24 {
                copy[22 + draw.below(end - 22)] ^= 1 << UInt8(draw.below(8))
            }
            for index in 4..<8 { copy[index] = bytes[target.lowerBound + index] }
            bytes.insert(contentsOf: copy, at: target.lowerBound)
            return "FLV: another header at \(target.lowerBound)"
        case 3:
            bytes += draw.isOne(in: 2) ? bytes : Array(bytes[13...])
            return "FLV: twice"
        case 4:
            guard let header = draw.one(of: headers) else { return nil }
            bytes.removeSubrange(header)
            return "FLV: no header at \(header.lowerBound)"
        default:
            // A unit in front of the picture's own, with the tag's size and the size behind it.
            let unit: [[UInt8]] = [[10], [11], [9, 0xF0], [12, 0xFF, 0x80], [6, 5, 1, 0, 0x80]]
            let body = unit[draw.below(unit.count)]
            let size = bytes.number(at: target.lowerBound + 1, width: 3) + UInt64(4 + body.count)
            bytes.insert(contentsOf: [UInt8](UInt64(body.count), width: 4) + body, at: target.lowerBound + 16)
            bytes.put(size, at: target.lowerBound + 1, width: 3)
            bytes.put(size + 11, at: target.upperBound + body.count, width: 4)
            return "FLV: unit \(body[0]) at \(target.lowerBound)"
        }
    }
}
