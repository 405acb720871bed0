/// Builds boxes whose sizes are filled in when their content is complete (ISO/IEC 14496-12, 4.2).
struct BoxWriter: Sendable {
    /// The bytes written so far.
    private(set) var bytes: [UInt8] = []

    mutating func u8(_ value: UInt8) { bytes.append(value) }

    mutating func u16(_ value: UInt16) { bytes += [UInt8(value >> 8), UInt8(value & 0xFF)] }

    mutating func u32(_ value: UInt32) { appendBigEndian(value, to: &bytes) }

    mutating func u64(_ value: UInt64) {
        u32(UInt32(truncatingIfNeeded: value >> 32))
        u32(UInt32(truncatingIfNeeded: value))
    }

    mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    mutating func raw(_ content: [UInt8]) { bytes += content }

    mutating func code(_ code: FourCC) { bytes += code.bytes }

    /// Writes a box around the output of `content`. Headers are small, so no box here comes close to 4 GiB.
    mutating func box(_ type: FourCC, _ content: (inout BoxWriter) -> Void) {
        let start = bytes.count
        u32(0)
        code(type)
        content(&self)
        let size = UInt32(truncatingIfNeeded: bytes.count - start)
        for i in 0..<4 { bytes[start + i] = UInt8(truncatingIfNeeded: size >> UInt32(24 - 8 * i)) }
    }

    /// Writes a box that begins with a version and flags.
    mutating func fullBox(
        _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout BoxWriter) -> Void
    ) {
        box(type) { writer in
            writer.u32(UInt32(version) << 24 | flags & 0xFF_FFFF)
            content(&writer)
        }
    }
}
