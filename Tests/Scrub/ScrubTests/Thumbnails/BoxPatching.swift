import Foundation

/// Puts boxes into the first sample entry of an MP4 whose movie box comes last, so that no position changes.
enum BoxPatching {
    struct NoSuchBox: Error { var name: String }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        bigEndian(UInt32(8 + content.count)) + Array(name.utf8) + content
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 255) } }

    static func insert(_ box: [UInt8], intoSampleEntryOf path: String, output: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var range = 0..<bytes.count
        var sizes: [Int] = []
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] {
            let found = try find(name, in: range, bytes)
            sizes.append(found.lowerBound)
            range = found.lowerBound + 8..<found.upperBound
        }
        // Version, flags and a count come before the entries.
        let entry = range.lowerBound + 8
        sizes.append(entry)
        let end = entry + number(bytes, at: entry)
        bytes.insert(contentsOf: box, at: end)
        for place in sizes {
            bytes.replaceSubrange(place..<place + 4, with: bigEndian(UInt32(number(bytes, at: place) + box.count)))
        }
        try Data(bytes).write(to: URL(filePath: output))
    }

    /// Writes a matrix of whole numbers into the first track's header (version 0).
    static func setMatrix(_ abcd: [Int], _ path: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var range = 0..<bytes.count
        for name in ["moov", "trak", "tkhd"] {
            let found = try find(name, in: range, bytes)
            range = found.lowerBound + 8..<found.upperBound
        }
        let zero = [UInt8](repeating: 0, count: 4)
        let numbers = abcd.map { bigEndian(UInt32(bitPattern: Int32($0 * 65536))) }
        let matrix = numbers[0] + numbers[1] + zero + numbers[2] + numbers[3] + zero + zero + zero + bigEndian(1 << 30)
        bytes.replaceSubrange(range.lowerBound + 40..<range.lowerBound + 76, with: matrix)
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Four bytes as MP4 has its numbers, most significant first.
    static func number<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, at place: Int) -> Int
    where Bytes.Index == Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func find(_ name: String, in range: Range<Int>, _ bytes: [UInt8]) throws -> Range<Int> {
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            let length = number(bytes, at: at)
            if Array(bytes[at + 4..<at + 8]) == Array(name.utf8) { return at..<at + length }
            guard length >= 8 else { break }
            at += length
        }
        throw NoSuchBox(name: name)
    }
}
