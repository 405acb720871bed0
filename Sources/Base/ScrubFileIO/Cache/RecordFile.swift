internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file of records that is only appended to, and survives being cut off at any byte. Each record carries its length
/// and a checksum, and an incomplete one counts as not written.
///
/// Use from one thread.
package final class RecordFile {
    private let file: FileDescriptor
    private let path: String
    private let checksum: @Sendable ([UInt8]) -> UInt32
    private var end: Int64
    /// Bytes of a record before its body: length and checksum.
    private static let headCount = 8
    /// The longest record that is believed.
    private static let longest = 1 << 30

    /// Opens a file, or begins it again when it does not begin with `head`.
    ///
    /// - Parameters:
    ///   - head: names the contents; a file of another head is overwritten.
    ///   - recover: takes the whole records that are there, with the places of their first bytes; false for one that is
    ///     not understood, from which on the file is cut.
    package init(
        path: String, head: [UInt8], checksum: @escaping @Sendable ([UInt8]) -> UInt32,
        recover: ([UInt8], Int64) -> Bool
    ) throws(ScrubError) {
        (self.path, self.checksum, end) = (path, checksum, Int64(head.count))
        do {
            file = try FileDescriptor.open(
                // The file is cut to its whole records: not one that a link leads to.
                FilePath(systemName: path), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            if error as? Errno == .tooManySymbolicLinkLevels { throw RecordFile.stranger("a link", path) }
            throw RecordFile.failure(error, path)
        }
        var facts = stat()
        guard unsafe fstat(file.rawValue, &facts) == 0 else { throw RecordFile.failure(Errno(rawValue: errno), path) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw RecordFile.stranger("no file", path)
        }
        // The other name belongs to another program.
        guard facts.st_nlink <= 1 else { throw RecordFile.stranger("a file with two names", path) }
        do throws(ScrubError) {
            try begin(head, recover)
        } catch {
            // An empty one that cannot be used holds nothing of another program's.
            if facts.st_size == 0 { unlink(path) }
            throw error
        }
    }

    private func begin(_ head: [UInt8], _ recover: ([UInt8], Int64) -> Bool) throws(ScrubError) {
        if (try? bytes(at: 0, count: head.count)) == head {
            while let body = record(at: end), recover(body, end + Int64(RecordFile.headCount)) {
                end += Int64(RecordFile.headCount + body.count)
            }
        } else {
            try write(head, at: 0)
        }
        do { try file.resize(to: end) } catch { throw RecordFile.failure(error, path) }
    }

    deinit { try? file.close() }

    /// Removes the file from its folder.
    package func remove() { unlink(path) }

    /// Appends a record.
    ///
    /// - Returns: the place of its first byte.
    package func append(_ body: [UInt8]) throws(ScrubError) -> Int64 {
        var head: [UInt8] = []
        head.append(littleEndian: UInt32(truncatingIfNeeded: body.count))
        head.append(littleEndian: checksum(body))
        try write(head + body, at: end)
        let start = end + Int64(RecordFile.headCount)
        end = start + Int64(body.count)
        return start
    }

    /// Returns bytes of a record.
    ///
    /// - Throws: `inputOutput` when they are not there any more.
    package func bytes(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        var failure: (any Error)?
        let found = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do {
                while filled < count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let got = try unsafe file.read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
                    if got == 0 { return }
                    filled += got
                }
            } catch { failure = error }
        }
        if let failure { throw RecordFile.failure(failure, path) }
        guard found.count == count else { throw ScrubError(.inputOutput, "was cut while it was in use", file: path) }
        return found
    }

    /// Returns the whole record at a place, if there is one.
    private func record(at place: Int64) -> [UInt8]? {
        guard let head = try? bytes(at: place, count: RecordFile.headCount), let count = head.littleEndian(at: 0),
            count <= RecordFile.longest, let sum = head.littleEndian(at: 4),
            let body = try? bytes(at: place + Int64(RecordFile.headCount), count: Int(count)), checksum(body) == sum
        else { return nil }
        return body
    }

    private func write(_ bytes: [UInt8], at offset: Int64) throws(ScrubError) {
        do {
            _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll(toAbsoluteOffset: offset, $0) }
        } catch {
            throw RecordFile.failure(error, path)
        }
    }

    private static func stranger(_ what: String, _ path: String) -> ScrubError {
        ScrubError(.inputOutput, "is \(what), and would be written over", file: path, advice: "remove it")
    }

    private static func failure(_ error: any Error, _ path: String) -> ScrubError {
        ScrubError(system: error, .inputOutput, doing: "cannot be used", file: path)
    }
}

extension [UInt8] {
    /// Appends a number, the lowest byte first.
    package mutating func append(littleEndian number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    /// Returns four bytes as a number, the lowest first; `nil` beyond the end.
    package func littleEndian(at place: Int) -> UInt32? {
        guard place >= 0, place <= count - 4 else { return nil }
        return (0..<4).reduce(0) { $0 | UInt32(self[place + $1]) << UInt32(8 * $1) }
    }
}
