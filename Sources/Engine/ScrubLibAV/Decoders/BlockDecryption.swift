internal import CScrubFFmpeg

/// Decrypts AES-128 in CBC mode (FIPS 197, NIST SP 800-38A 6.2), as used by HLS segments.
///
/// Use from one thread at a time.
@safe package struct BlockDecryption: ~Copyable {
    private let context: UnsafeMutableRawPointer

    /// The number of bytes of a block, of a key, and of an initialization vector.
    package static let blockBytes = 16

    /// Expands a key.
    ///
    /// - Throws: an error if there is not enough memory.
    /// - Precondition: the key has 16 bytes.
    package init(key: [UInt8]) throws(AVError) {
        precondition(key.count == BlockDecryption.blockBytes, "a key must have 16 bytes, but this one has \(key.count)")
        unsafe context = unsafe UnsafeMutableRawPointer(try allocated(av_aes_alloc(), "av_aes_alloc"))
        unsafe av_aes_init(OpaquePointer(context), key, 128, 1)
    }

    deinit { unsafe av_free(context) }

    /// Decrypts whole blocks in place.
    ///
    /// - Parameters:
    ///   - bytes: the ciphertext, replaced by the plaintext; a multiple of 16 bytes.
    ///   - before: the preceding 16 bytes of ciphertext, or the initialization vector.
    /// - Precondition: the sizes are as described.
    package func decrypt(_ bytes: UnsafeMutableRawBufferPointer, before: [UInt8]) {
        let size = BlockDecryption.blockBytes
        precondition(bytes.count % size == 0 && before.count == size, "only whole blocks can be decrypted")
        var vector = before
        let most = Int(Int32.max) / size
        var done = 0
        while done < bytes.count {
            let count = min(most, (bytes.count - done) / size)
            guard let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).baseAddress else { return }
            let place = unsafe part.assumingMemoryBound(to: UInt8.self)
            // If source and destination are the same, libavutil itself keeps each block's ciphertext for the next one.
            unsafe av_aes_crypt(OpaquePointer(context), place, place, Int32(count), &vector, 1)
            done += count * size
        }
    }
}
