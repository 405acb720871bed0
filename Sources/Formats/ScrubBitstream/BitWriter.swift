/// Writes most-significant-bit-first fields, as ``BitReader`` reads them.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 0

    /// Whether the next bit is the first of a byte.
    var isAligned: Bool { used % 8 == 0 }

    /// Writes the lowest `count` bits of a number, u(n).
    mutating func bits(_ value: Int, _ count: Int) {
        for shift in stride(from: count - 1, through: 0, by: -1) {
            if used % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(7 - used % 8)
            used += 1
        }
    }

    /// Writes an unsigned Exp-Golomb number, ue(v) (H.264 and HEVC 9.1 / 9.2).
    ///
    /// - Precondition: the number is from 0 to 2^32 - 2.
    mutating func unsigned(_ value: Int) {
        let width = Int.bitWidth - (value + 1).leadingZeroBitCount
        bits(0, width - 1)
        bits(value + 1, width)
    }

    /// Writes a signed Exp-Golomb number, se(v).
    mutating func signed(_ value: Int) { unsigned(value > 0 ? value * 2 - 1 : -value * 2) }

    /// Appends whole bytes, starting at any bit.
    mutating func append(_ more: Span<UInt8>) {
        let shift = UInt8(used % 8)
        guard shift != 0 else {
            unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            used += 8 * more.count
            return
        }
        for index in more.indices {
            bytes[bytes.count - 1] |= more[index] >> shift
            bytes.append(more[index] << (8 - shift))
        }
        used += 8 * more.count
    }

    /// Returns the bytes with emulation prevention (H.264 7.3.1) after a unit's header.
    func unit(header: [UInt8]) -> [UInt8] {
        var out = header
        out.reserveCapacity(bytes.count + bytes.count / 64 + header.count)
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte <= 3 {
                out.append(3)
                zeros = 0
            }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        // A unit does not end in a zero (7.4.1), but cabac_zero_words do.
        if bytes.last == 0 { out.append(3) }
        return out
    }
}
