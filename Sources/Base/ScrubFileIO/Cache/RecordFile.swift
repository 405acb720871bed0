package import ScrubBase

/// A file of records that is only appended to, and survives truncation at any byte. Each record has its length and a
/// checksum, and an incomplete record counts as not written.
///
/// Use from one thread.
package final class RecordFile {
    private let file: PrivateFile
    private let checksum: @Sendable ([UInt8]) -> UInt32
    private var end: Int64
    /// The bytes of a record before its body: length and checksum.
    private static let headCount = 8
    /// The maximum length of a record that is accepted.
    private static let longest = 1 << 30

    /// Opens a file, or overwrites it if it does not begin with `head`.
    ///
    /// - Parameters:
    ///   - head: identifies the contents; a file with another header is overwritten.
    ///   - recover: receives the complete existing records; returns false for one that it does not understand, at which
    ///     the file is truncated.
    package init(
        path: String, head: [UInt8], checksum: @escaping @Sendable ([UInt8]) -> UInt32, recover: ([UInt8]) -> Bool
    ) throws(ScrubError) {
        (self.checksum, end) = (checksum, Int64(head.count))
        file = try PrivateFile(path: path)
        do throws(ScrubError) {
            try begin(head, recover)
        } catch {
            // An unusable empty file does not contain another program's data.
            if file.earlierByteCount == 0 { file.remove() }
            throw error
        }
    }

    private func begin(_ head: [UInt8], _ recover: ([UInt8]) -> Bool) throws(ScrubError) {
        if (try? file.bytes(at: 0, count: head.count)) == head {
            while let body = record(at: end), recover(body) { end += Int64(RecordFile.headCount + body.count) }
        } else {
            try file.write(head, at: 0)
        }
        try file.resize(to: end)
    }

    /// Appends a record.
    package func append(_ body: [UInt8]) throws(ScrubError) {
        var head: [UInt8] = []
        head.append(littleEndian: UInt32(truncatingIfNeeded: body.count))
        head.append(littleEndian: checksum(body))
        try file.write(head + body, at: end)
        end += Int64(RecordFile.headCount + body.count)
    }

    /// Returns the complete record at an offset, if there is one.
    private func record(at place: Int64) -> [UInt8]? {
        guard let head = try? file.bytes(at: place, count: RecordFile.headCount), let count = head.littleEndian(at: 0),
            count <= RecordFile.longest, let sum = head.littleEndian(at: 4),
            let body = try? file.bytes(at: place + Int64(RecordFile.headCount), count: Int(count)),
            checksum(body) == sum
        else { return nil }
        return body
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    package mutating func append(littleEndian number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    /// Returns four bytes as a little-endian number; `nil` beyond the end.
    package func littleEndian(at place: Int) -> UInt32? {
        guard place >= 0, place <= count - 4 else { return nil }
        return (0..<4).reduce(0) { $0 | UInt32(self[place + $1]) << UInt32(8 * $1) }
    }
}
