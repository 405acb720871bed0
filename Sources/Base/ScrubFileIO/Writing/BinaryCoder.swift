package import ScrubBase

/// Appends numbers, strings and columns to bytes, in the machine's own byte order. The result is a cache for this
/// machine, with a mark that detects a different byte order.
package struct BinaryWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends an integer.
    package mutating func write<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a string with its length.
    package mutating func write(_ text: String) { write(column: Array(text.utf8)) }

    /// Appends an array with its length, padded with zeros so that the total is a multiple of eight bytes.
    package mutating func write<T: BitwiseCopyable>(column: [T]) {
        write(UInt64(column.count))
        unsafe column.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        while bytes.count % 8 != 0 { bytes.append(0) }
    }
}

/// Reads the values that ``BinaryWriter`` wrote. Every declared length is checked against the available bytes.
package struct BinaryReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    /// Creates a reader at the writer's first byte, or at any offset that is a multiple of eight bytes after it.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The number of remaining bytes.
    package var remaining: Int { bytes.count - position }

    private func need(_ count: Int) throws(ScrubError) {
        guard count >= 0, count <= remaining else { throw ScrubError(.badData, "the saved index is truncated") }
    }

    /// Reads an integer.
    @_lifetime(self: copy self)
    package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type = T.self) throws(ScrubError) -> T {
        let size = MemoryLayout<T>.size
        try need(size)
        defer { position += size }
        let at = position
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: at, as: T.self) }
    }

    /// Reads a string.
    @_lifetime(self: copy self)
    package mutating func readString() throws(ScrubError) -> String {
        String(decoding: try readColumn(of: UInt8.self), as: UTF8.self)
    }

    /// Reads an array, and skips the padding up to a multiple of eight bytes in total.
    ///
    /// - Precondition: every bit pattern is a value of `T`.
    @_lifetime(self: copy self)
    package mutating func readColumn<T: BitwiseCopyable>(of: T.Type = T.self) throws(ScrubError) -> [T] {
        let count = try read(UInt64.self)
        let (size, overflow) = Int(truncatingIfNeeded: count).multipliedReportingOverflow(by: MemoryLayout<T>.stride)
        guard count <= UInt64(Int.max), !overflow else {
            throw ScrubError(.badData, "the saved index declares \(count) values, which is too many")
        }
        try need(size)
        let at = position
        // Without this, the code below would write to the empty array that all threads share.
        let column: [T] =
            count == 0
            ? []
            : unsafe bytes.withUnsafeBytes { source in
                unsafe [T](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
                    unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: source[at..<at + size]))
                    filled = Int(count)
                }
            }
        position += size
        position += min((8 - position % 8) % 8, remaining)
        return column
    }
}
