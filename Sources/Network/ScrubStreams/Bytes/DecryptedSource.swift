internal import ScrubLibAV
internal import ScrubBase

/// The decrypted bytes of a segment that is encrypted as a whole with AES-128 in CBC and PKCS7 padding (RFC 8216,
/// 4.3.2.4).
///
/// Any part can be decrypted separately, because a block needs only the preceding block of ciphertext. The fetched
/// bytes are therefore the requested ones, rounded to 16 bytes. Neither key nor plaintext is ever written to disk.
final class DecryptedSource: PrefetchingByteSource {
    private let base: any ByteSource
    private let key: [UInt8]
    private let vector: [UInt8]
    let byteCount: Int64

    /// Creates a source. It reads the last block, whose padding determines the length. It stops if the work on this
    /// thread is cancelled.
    ///
    /// - Throws: `badData` if the bytes are not such ciphertext, or the key is wrong.
    /// - Precondition: key and vector have 16 bytes.
    init(_ base: any ByteSource, key: [UInt8], vector: [UInt8]) throws(ScrubError) {
        let total = base.byteCount
        guard total >= 16, total % 16 == 0 else {
            throw ScrubError(
                .badData, "AES-128 ciphertext cannot have \(total) bytes: its length must be a multiple of 16",
                advice: "the segment is truncated, or is not encrypted")
        }
        (self.base, self.key, self.vector) = (base, key, vector)
        let last = try DecryptedSource.plain(base.endingWithWork, total - 16..<total, key, vector)
        let padding = Int(last.last ?? 0)
        guard (1...16).contains(padding), last.suffix(padding).allSatisfy({ $0 == UInt8(padding) }) else {
            throw ScrubError(
                .badData, "the padding is invalid after decryption",
                advice: "the key or the IV is probably wrong")
        }
        byteCount = total - Int64(padding)
    }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try unsafe read(at: offset, into: buffer, from: base)
    }

    func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws -> Int? {
        do throws(ScrubError) {
            return try unsafe read(at: offset, into: buffer, from: InterruptibleSource(base, cancellation))
        } catch {
            guard error.isCancellation, cancellation.isCancelled else { throw error }
            return nil
        }
    }

    /// Reads and decrypts bytes.
    ///
    /// - Parameter base: the ciphertext.
    private func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, from base: any ByteSource
    ) throws(ScrubError) -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        // A limit on the bytes of one call; the caller requests the rest again.
        let count = min(Int64(min(buffer.count, 1 << 20)), byteCount - offset)
        let start = offset & ~15
        let end = (offset + count + 15) & ~15
        let bytes = try DecryptedSource.plain(base, start..<end, key, vector)
        let skipped = Int(offset - start)
        unsafe buffer.copyBytes(from: bytes[skipped..<skipped + Int(count)])
        return Int(count)
    }

    /// Decrypts whole blocks.
    private static func plain(
        _ base: any ByteSource, _ range: Range<Int64>, _ key: [UInt8], _ vector: [UInt8]
    ) throws(ScrubError) -> [UInt8] {
        let isFirst = range.lowerBound == 0
        let from = isFirst ? 0 : range.lowerBound - 16
        var bytes = try base.read(at: from, count: Int(range.upperBound - from))
        let before = isFirst ? vector : Array(bytes.prefix(16))
        if !isFirst { bytes.removeFirst(16) }
        let cipher = try translatingErrors("cannot be decrypted") { () throws(AVError) in try BlockDecryption(key: key)
        }
        unsafe bytes.withUnsafeMutableBytes { unsafe cipher.decrypt($0, before: before) }
        return bytes
    }

    func prefetch(_ ranges: [Range<Int64>]) {
        guard let base = base as? any PrefetchingByteSource else { return }
        let whole: Range<Int64> = 0..<base.byteCount
        base.prefetch(
            ranges.map { range in
                let lower = max(0, min(range.lowerBound, byteCount)) & ~15
                let upper = min(whole.upperBound, (min(max(range.upperBound, lower), byteCount) + 15) & ~15)
                return max(0, lower - 16)..<max(lower, upper)
            }.filter { !$0.isEmpty })
    }

    func cancel() { (base as? any PrefetchingByteSource)?.cancel() }
}
