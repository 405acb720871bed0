/// Bytes that can be read at any place: a file, or memory in a test.
///
/// Thread safety: implementations allow reads from several threads at once.
package protocol ByteSource: Sendable {
    /// How many bytes there are.
    var byteCount: Int64 { get }

    /// Reads exactly `count` bytes from `offset`.
    ///
    /// - Throws: ``ScrubError/Code/badData`` when the range is not inside the source (nothing is allocated then,
    ///   so a size field can never cost more memory than the file has bytes), ``ScrubError/Code/inputOutput``
    ///   when the read fails.
    func read(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8]
}

extension ByteSource {
    /// Whether `offset..<offset + count` lies inside the source.
    package func contains(offset: Int64, count: Int64) -> Bool {
        offset >= 0 && count >= 0 && offset <= byteCount && count <= byteCount - offset
    }
}

/// A byte source over memory.
package struct MemorySource: ByteSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var byteCount: Int64 { Int64(bytes.count) }

    package func read(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        guard contains(offset: offset, count: Int64(count)) else {
            throw ScrubError(.badData, "\(count) bytes at \(offset) are not inside \(byteCount)")
        }
        return Array(bytes[Int(offset)..<Int(offset) + count])
    }
}
