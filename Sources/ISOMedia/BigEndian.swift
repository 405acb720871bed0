import ScrubBase

/// The unsigned 16-bit number at `position`.
///
/// The tables of a film hold hundreds of thousands of numbers, so these three readers skip the cursor's error path:
/// the caller has proven beforehand that the whole table lies inside the span.
@inline(__always)
func bigEndian16(_ bytes: Span<UInt8>, at position: Int) -> UInt16 {
    UInt16(bytes[position]) << 8 | UInt16(bytes[position &+ 1])
}

/// The unsigned 32-bit number at `position`; see ``bigEndian16(_:at:)`` for who checks the bounds.
@inline(__always)
func bigEndian32(_ bytes: Span<UInt8>, at position: Int) -> UInt32 {
    UInt32(bytes[position]) << 24 | UInt32(bytes[position &+ 1]) << 16
        | UInt32(bytes[position &+ 2]) << 8 | UInt32(bytes[position &+ 3])
}

/// The unsigned 64-bit number at `position`; see ``bigEndian16(_:at:)`` for who checks the bounds.
@inline(__always)
func bigEndian64(_ bytes: Span<UInt8>, at position: Int) -> UInt64 {
    UInt64(bigEndian32(bytes, at: position)) << 32 | UInt64(bigEndian32(bytes, at: position &+ 4))
}

/// Appends a 32-bit number, highest byte first.
func appendBigEndian(_ value: UInt32, to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 24))
    bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
}

extension ScrubError {
    /// The same error with the box it happened in before the place it already has.
    func inBox(_ path: String) -> ScrubError {
        var copy = self
        copy.place = place.map { "\(path), \($0)" } ?? path
        return copy
    }
}
