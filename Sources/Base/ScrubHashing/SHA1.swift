/// Returns the SHA-1 of bytes (FIPS 180-4): for content that other programs identify by its SHA-1, not for security.
///
/// Cost: about 200 MB/s. Thread safety: a pure function.
package func sha1(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    return digest(of: bytes, from: state, compress)
}

/// Adds a block of 64 bytes to the state (FIPS 180-4, 6.1.2).
private func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var schedule = schedule(of: block, count: 80)
    for round in 16..<80 {
        schedule[round] = rotated(
            schedule[round - 3] ^ schedule[round - 8] ^ schedule[round - 14] ^ schedule[round - 16], 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for round in 0..<80 {
        let mixed: UInt32
        switch round / 20 {
        case 0: mixed = (b & c ^ ~b & d) &+ 0x5a82_7999
        case 1: mixed = (b ^ c ^ d) &+ 0x6ed9_eba1
        case 2: mixed = (b & c ^ b & d ^ c & d) &+ 0x8f1b_bcdc
        default: mixed = (b ^ c ^ d) &+ 0xca62_c1d6
        }
        (a, b, c, d, e) = (rotated(a, 5) &+ mixed &+ e &+ schedule[round], a, rotated(b, 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ value }
}

private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
