internal import CScrubFFmpeg

/// Undoes AES-128 in CBC (FIPS 197, NIST SP 800-38A 6.2), as segments of HLS are encrypted.
///
/// Use from one thread at a time.
@safe package struct BlockDecryption: ~Copyable {
    private let context: UnsafeMutableRawPointer

    /// Bytes of a block, of a key and of an initialization vector.
    package static let blockBytes = 16

    /// Expands a key.
    ///
    /// - Throws: an error if there is no memory.
    /// - Precondition: the key has 16 bytes.
    package init(key: [UInt8]) throws(AVError) {
        precondition(key.count == BlockDecryption.blockBytes, "a key of \(key.count) bytes")
        unsafe context = unsafe UnsafeMutableRawPointer(try allocated(av_aes_alloc(), "av_aes_alloc"))
        unsafe av_aes_init(OpaquePointer(context), key, 128, 1)
    }

    deinit { unsafe av_free(context) }

    /// Decrypts whole blocks in place.
    ///
    /// - Parameters:
    ///   - bytes: cipher text before, plain text afterwards; a multiple of 16.
    ///   - before: the 16 bytes of cipher text before them, or the initialization vector.
    /// - Precondition: the counts are so.
    package func decrypt(_ bytes: UnsafeMutableRawBufferPointer, before: [UInt8]) {
        let size = BlockDecryption.blockBytes
        precondition(bytes.count % size == 0 && before.count == size, "whole blocks")
        var vector = before
        let most = Int(Int32.max) / size
        var done = 0
        while done < bytes.count {
            let count = min(most, (bytes.count - done) / size)
            guard let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).baseAddress else { return }
            let place = unsafe part.assumingMemoryBound(to: UInt8.self)
            // If source and destination are one, libavutil keeps each block's cipher text for the next one itself.
            unsafe av_aes_crypt(OpaquePointer(context), place, place, Int32(count), &vector, 1)
            done += count * size
        }
    }
}
