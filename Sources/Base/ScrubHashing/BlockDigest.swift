// The common part of SHA-1 and SHA-256: both read blocks of 64 bytes as big-endian words.

/// Returns the hash of bytes: pads them (FIPS 180-4, 5.1.1), adds each block to the state, and writes the state out.
func digest(
    of bytes: some Sequence<UInt8>, from initial: [UInt32], _ compress: (ArraySlice<UInt8>, inout [UInt32]) -> Void
) -> [UInt8] {
    var state = initial
    var message = Array(bytes)
    let bitCount = UInt64(message.count) &* 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: bitCount >> shift)) }
    for block in stride(from: 0, to: message.count, by: 64) { compress(message[block..<block + 64], &state) }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
}

/// Returns a message schedule (FIPS 180-4, 6.1.2 and 6.2.2) whose first 16 words are a block's.
func schedule(of block: ArraySlice<UInt8>, count: Int) -> [UInt32] {
    var schedule = [UInt32](repeating: 0, count: count)
    for (place, byte) in block.enumerated() { schedule[place / 4] = schedule[place / 4] << 8 | UInt32(byte) }
    return schedule
}
