/// The mutations of the chunks of PNG and APNG, with checksums that are right. They change frames' data that end early
/// or late, their rectangles, and how they are blended with earlier ones.
enum PNGMutation {
    static func apply(to bytes: inout [UInt8], chunks: [Range<Int>], _ draw: inout Draw) -> String? {
        let data = chunks.filter {
            bytes.has("IDAT", at: $0.lowerBound + 4) || bytes.has("fdAT", at: $0.lowerBound + 4)
        }
        let controls = chunks.filter { bytes.has("fcTL", at: $0.lowerBound + 4) && $0.count >= 38 }
        if draw.isOne(in: 2), let chunk = draw.one(of: controls) { return changeControl(chunk, in: &bytes, &draw) }
        guard let chunk = draw.one(of: data), chunk.count > 16 else { return nil }
        var body = Array(bytes[chunk.lowerBound + 4..<chunk.upperBound - 4])
        let place = 8 + draw.below(body.count - 8)
        let what: String
        switch draw.below(5) {
        case 0, 1:
            what = "ends after \(place) bytes"
            body.removeSubrange(place...)
        case 2:
            let count = 1 + draw.below(64)
            what = "is \(count) bytes longer"
            body += (0..<count).map { _ in draw.byte() }
        case 3:
            let count = 1 + draw.below(min(64, body.count - place))
            what = "lacks \(count) bytes at \(place)"
            body.removeSubrange(place..<place + count)
        default:
            what = "has another byte at \(place)"
            body[place] = draw.byte()
        }
        bytes.replaceSubrange(chunk, with: whole(body))
        return "PNG: data at \(chunk.lowerBound) \(what)"
    }

    /// Changes a frame's rectangle or its operations (fcTL: 4 bytes of sequence number, width, height, two offsets, a
    /// delay, dispose_op, blend_op).
    private static func changeControl(_ chunk: Range<Int>, in bytes: inout [UInt8], _ draw: inout Draw) -> String {
        var body = Array(bytes[chunk.lowerBound + 4..<chunk.upperBound - 4])
        let what: String
        switch draw.below(4) {
        case 0:
            body[28] = UInt8(draw.below(3))
            what = "dispose_op"
        case 1:
            body[29] ^= 1
            what = "blend_op"
        default:
            let place = [8, 12, 16, 20][draw.below(4)]
            let old = body.number(at: place, width: 4)
            let new = draw.isOne(in: 3) ? draw.edge(near: old) : UInt64(draw.below(Int(min(old, 4096)) + 8))
            body.put(new, at: place, width: 4)
            what = "rectangle"
        }
        bytes.replaceSubrange(chunk, with: whole(body))
        return "PNG: \(what) of the frame at \(chunk.lowerBound)"
    }

    /// A chunk of its name and data.
    static func whole(_ body: [UInt8]) -> [UInt8] {
        var sum = UInt32.max
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return [UInt8](UInt64(body.count - 4), width: 4) + body + [UInt8](UInt64(~sum), width: 4)
    }
}
