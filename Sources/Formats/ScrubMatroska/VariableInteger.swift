/// A number whose first byte determines its length by its leading zero bits (RFC 8794, 4).
struct VariableInteger {
    /// The number with the marker bit, as identifiers are written.
    let marked: UInt64
    /// The length in bytes, 1 to 8.
    let length: Int

    /// Reads a number of at most `limit` bytes.
    ///
    /// - Returns: `nil` if it is longer or is truncated.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, at position: Int, limit: Int) {
        guard position >= 0, position < bytes.count else { return nil }
        let length = bytes[position].leadingZeroBitCount + 1
        guard length <= limit, length <= 8, length <= bytes.count - position else { return nil }
        if bytes.count - position >= 8 {
            // In nearly all cases, it is read in one load, and the bytes after it are shifted out.
            let word = unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            }
            marked = word.bigEndian >> UInt64(truncatingIfNeeded: 64 - 8 * length)
        } else {
            var value: UInt64 = 0
            for index in position..<position + length { value = value << 8 | UInt64(bytes[index]) }
            marked = value
        }
        self.length = length
    }

    /// The number without the marker.
    @inline(__always) var value: UInt64 { marked & mask }
    /// Whether all bits of the number are set, which means an unknown size (RFC 8794, 6.2).
    @inline(__always) var isAllOnes: Bool { value == mask }

    @inline(__always) private var mask: UInt64 { (1 << UInt64(truncatingIfNeeded: 7 * length)) &- 1 }

    /// Returns the number of bytes of the number that begins with `byte`; 9 if the byte cannot begin a number.
    static func length(firstByte byte: UInt8) -> Int { byte.leadingZeroBitCount + 1 }
}

/// Returns an unsigned integer of 0 to 8 bytes, most significant byte first (RFC 8794, 7.2).
func unsignedInteger(_ bytes: Span<UInt8>) -> UInt64? {
    guard bytes.count <= 8 else { return nil }
    var value: UInt64 = 0
    for index in bytes.indices { value = value << 8 | UInt64(bytes[index]) }
    return value
}

/// Returns a floating-point number of 0, 4 or 8 bytes (RFC 8794, 7.3).
func floatingPoint(_ bytes: Span<UInt8>) -> Double? {
    guard let bits = unsignedInteger(bytes) else { return nil }
    switch bytes.count {
    case 0: return 0
    case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 8: return Double(bitPattern: bits)
    default: return nil
    }
}
