/// A bounded big-endian reader over bytes from a file.
///
/// Every read is checked against the end of the bytes and throws ``ScrubError/Code/badData`` instead of trapping, so
/// that a damaged table can never crash the process.
package struct ByteCursor: ~Escapable {
    private let bytes: Span<UInt8>
    /// The offset of the next byte to read, from the start of the span.
    package private(set) var position: Int

    /// Creates a reader at the first byte of `bytes`.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        self.position = 0
    }

    /// The number of remaining bytes.
    package var remaining: Int { bytes.count - position }

    private func need(_ count: Int) throws(ScrubError) {
        guard count >= 0, count <= remaining else {
            throw ScrubError(
                .badData, "expected \(count) more bytes, but only \(remaining) are left",
                place: .byte(Int64(position)))
        }
    }

    @_lifetime(self: copy self)
    package mutating func skip(_ count: Int) throws(ScrubError) {
        try need(count)
        position += count
    }

    @_lifetime(self: copy self)
    package mutating func readUInt8() throws(ScrubError) -> UInt8 {
        try need(1)
        defer { position += 1 }
        return bytes[position]
    }

    @_lifetime(self: copy self)
    package mutating func readUInt16() throws(ScrubError) -> UInt16 {
        try need(2)
        defer { position += 2 }
        return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    @_lifetime(self: copy self)
    package mutating func readUInt32() throws(ScrubError) -> UInt32 {
        try need(4)
        defer { position += 4 }
        return UInt32(bytes[position]) << 24 | UInt32(bytes[position + 1]) << 16
            | UInt32(bytes[position + 2]) << 8 | UInt32(bytes[position + 3])
    }

    @_lifetime(self: copy self)
    package mutating func readUInt64() throws(ScrubError) -> UInt64 {
        UInt64(try readUInt32()) << 32 | UInt64(try readUInt32())
    }

    /// Returns the next `count` bytes as a separate span.
    @_lifetime(copy self)
    package mutating func readSpan(_ count: Int) throws(ScrubError) -> Span<UInt8> {
        try need(count)
        defer { position += count }
        return bytes.extracting(position..<position + count)
    }
}
