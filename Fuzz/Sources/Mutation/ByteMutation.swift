/// The mutations of bytes of which nothing is known.
enum ByteMutation {
    /// Changes something inside `range`.
    ///
    /// - Returns: a description of the change.
    static func apply(to bytes: inout [UInt8], in range: Range<Int>, _ draw: inout Draw) -> String {
        guard !range.isEmpty else {
            bytes.insert(draw.byte(), at: range.lowerBound)
            return "a byte more"
        }
        let place = range.lowerBound + draw.below(range.count)
        let length = draw.length(upTo: range.upperBound - place)
        switch draw.below(14) {
        case 0...3:
            bytes[place] ^= 1 << UInt8(draw.below(8))
            return "bit of byte \(place)"
        case 4:
            for index in place..<place + min(length, 16) { bytes[index] = draw.byte() }
            return "\(min(length, 16)) random bytes at \(place)"
        case 5:
            let width = [1, 2, 4, 8][draw.below(4)]
            bytes.put(draw.edge(near: bytes.number(at: place, width: width)), at: place, width: width)
            return "number of \(width) bytes at \(place)"
        case 6:
            let width = [2, 4, 8][draw.below(3)]
            bytes.putLittle(draw.edge(near: bytes.littleNumber(at: place, width: width)), at: place, width: width)
            return "little-endian number of \(width) bytes at \(place)"
        case 7:
            bytes.removeSubrange(place..<place + length)
            return "\(length) bytes out at \(place)"
        case 8:
            bytes.insert(contentsOf: Array(bytes[place..<place + length]), at: place)
            return "\(length) bytes twice at \(place)"
        case 9:
            let source = range.lowerBound + draw.below(range.count)
            let count = min(length, bytes.count - source, bytes.count - place)
            let part = Array(bytes[source..<source + count])
            bytes.replaceSubrange(place..<place + count, with: part)
            return "\(count) bytes of \(source) at \(place)"
        case 10:
            for index in place..<place + length { bytes[index] = 0 }
            return "\(length) zeros at \(place)"
        case 11:
            let count = 1 + draw.below(24)
            for _ in 0..<count { bytes[range.lowerBound + draw.below(range.count)] ^= 1 << UInt8(draw.below(8)) }
            return "\(count) bits"
        case 12:
            bytes.insert(contentsOf: (0..<min(length, 64)).map { _ in draw.byte() }, at: place)
            return "\(min(length, 64)) random bytes more at \(place)"
        default:
            bytes.removeSubrange(place...)
            return "cut at \(place)"
        }
    }

    /// Flips bits that lie near the beginning of `range`, where headers are.
    static func flipHead(of range: Range<Int>, in bytes: inout [UInt8], _ draw: inout Draw) -> String {
        let head = min(range.count, [2, 4, 8, 16, 48][draw.below(5)])
        guard head > 0 else { return "nothing" }
        let count = 1 + draw.below(3)
        for _ in 0..<count { bytes[range.lowerBound + draw.below(head)] ^= 1 << UInt8(draw.below(8)) }
        return "\(count) bits of the header at \(range.lowerBound)"
    }
}
