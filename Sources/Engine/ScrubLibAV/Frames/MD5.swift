internal import CScrubFFmpeg

/// Returns the MD5 of bytes as 32 hexadecimal digits: a name, not a secret.
package func md5(_ bytes: [UInt8]) -> String {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digest in
        unsafe av_md5_sum(digest.baseAddress, bytes, bytes.count)
        return unsafe digest.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}
