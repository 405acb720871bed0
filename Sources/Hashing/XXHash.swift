internal import CXXHash

/// XXH3-64 over bytes: the checksum of saved indexes and the fingerprint of packets and files.
///
/// It is not cryptographic: it tells an accident from the original, not an attacker's file.
/// Cost: about 10 GB/s. Thread safety: a pure function.
package func xxh3(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBufferPointer { XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
}

/// XXH3-64 over an array's bytes.
package func xxh3(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { xxh3(bytes.span, seed: seed) }
