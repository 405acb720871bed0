internal import CScrubXXHash

/// Returns XXH3-64 over bytes: the checksum of saved indexes and the fingerprint of packets and files.
///
/// It is not cryptographic: it tells an accident from the original, not an attacker's file.
/// Cost: about 10 GB/s. Thread safety: a pure function.
package func xxh3(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    unsafe bytes.withUnsafeBufferPointer { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
}

/// Returns XXH3-64 over an array's bytes.
package func xxh3(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { xxh3(bytes.span, seed: seed) }

/// XXH3-64 over bytes that come one part after another: the same number as ``xxh3(_:seed:)`` gives for all of them.
///
/// `@unchecked Sendable`: its owner sees to it that one thread at a time uses it.
@safe package final class XXH3Stream: @unchecked Sendable {
    // Nil when there was no memory for it.
    private let state: OpaquePointer?

    package init() {
        unsafe state = unsafe XXH3_createState()
        unsafe XXH3_64bits_reset(state)
    }

    deinit { unsafe XXH3_freeState(state) }

    /// Adds bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        unsafe XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of the bytes that were added since the beginning, or since the last call, and begins again.
    package func finish() -> UInt64 {
        defer { unsafe XXH3_64bits_reset(state) }
        return unsafe XXH3_64bits_digest(state)
    }
}

/// Returns XXH3-64 over bytes in memory of the caller's.
package func xxh3(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, 0)
}
