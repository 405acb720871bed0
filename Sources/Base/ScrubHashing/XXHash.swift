internal import CScrubXXHash

/// Returns the XXH3-64 of bytes: the checksum of saved indexes and the fingerprint of packets and files.
///
/// It is not cryptographic: it detects accidental changes, not an attacker's file. Cost: about 10 GB/s. Thread safety:
/// a pure function.
package func xxh3(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    unsafe bytes.withUnsafeBufferPointer { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
}

/// Returns the XXH3-64 of an array's bytes.
package func xxh3(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { xxh3(bytes.span, seed: seed) }

/// XXH3-64 over bytes in several parts, with the same result as ``xxh3(_:seed:)`` over all of the parts together.
///
/// `@unchecked Sendable`: the owner ensures that only one thread uses it at a time.
@safe package final class XXH3Stream: @unchecked Sendable {
    // `nil` if there was no memory for it.
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

    /// Returns the checksum of the bytes added since the beginning or the last call, and starts over.
    package func finish() -> UInt64 {
        defer { unsafe XXH3_64bits_reset(state) }
        return unsafe XXH3_64bits_digest(state)
    }
}

/// Returns the XXH3-64 of bytes in the caller's memory.
package func xxh3(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, 0)
}
