/// Builds headers bit by bit, most significant first, as the standards write them.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 0

    mutating func bits(_ value: Int, _ count: Int) {
        for shift in stride(from: count - 1, through: 0, by: -1) {
            if used % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(7 - used % 8)
            used += 1
        }
    }

    mutating func flag(_ value: Bool) { bits(value ? 1 : 0, 1) }

    /// ue(v).
    mutating func unsigned(_ value: Int) {
        let width = Int.bitWidth - (value + 1).leadingZeroBitCount
        bits(0, width - 1)
        bits(value + 1, width)
    }

    /// se(v).
    mutating func signed(_ value: Int) { unsigned(value > 0 ? value * 2 - 1 : -value * 2) }

    /// rbsp_trailing_bits(): a 1 and zeros up to the byte's end.
    mutating func trailing() {
        bits(1, 1)
        while used % 8 != 0 { bits(0, 1) }
    }

    /// The bytes with emulation prevention, behind `header`.
    func unit(header: [UInt8]) -> [UInt8] {
        var out = header
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte <= 3 {
                out.append(3)
                zeros = 0
            }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return out
    }
}
