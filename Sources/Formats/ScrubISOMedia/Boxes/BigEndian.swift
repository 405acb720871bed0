import ScrubBase

/// Returns the unsigned 16-bit number at `position`.
///
/// A film's tables contain hundreds of thousands of numbers, so these three readers skip the cursor's error path. The
/// caller has already verified that the whole table is inside the span. Extracting the field first checks its bounds
/// once; the optimizer then combines the bytes into one load.
@inline(__always)
func bigEndian16(_ bytes: Span<UInt8>, at position: Int) -> UInt16 {
    let field = bytes.extracting(position..<position &+ 2)
    return UInt16(field[0]) << 8 | UInt16(field[1])
}

/// Returns the unsigned 32-bit number at `position`; see ``bigEndian16(_:at:)`` about bounds checking.
@inline(__always)
func bigEndian32(_ bytes: Span<UInt8>, at position: Int) -> UInt32 {
    let field = bytes.extracting(position..<position &+ 4)
    return UInt32(field[0]) << 24 | UInt32(field[1]) << 16 | UInt32(field[2]) << 8 | UInt32(field[3])
}

/// Returns the unsigned 64-bit number at `position`; see ``bigEndian16(_:at:)`` about bounds checking.
@inline(__always)
func bigEndian64(_ bytes: Span<UInt8>, at position: Int) -> UInt64 {
    let field = bytes.extracting(position..<position &+ 8)
    let high = UInt64(field[0]) << 56 | UInt64(field[1]) << 48 | UInt64(field[2]) << 40 | UInt64(field[3]) << 32
    let low = UInt64(field[4]) << 24 | UInt64(field[5]) << 16 | UInt64(field[6]) << 8 | UInt64(field[7])
    return high | low
}

/// Appends a 32-bit number, highest byte first.
func appendBigEndian(_ value: UInt32, to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 24))
    bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
}

extension ScrubError {
    /// Returns the same error, with the box in which it occurred added before its place.
    func inBox(_ path: String) -> ScrubError {
        var copy = self
        copy.place = place.map { .box("\(path), \($0)") } ?? .box(path)
        return copy
    }
}
