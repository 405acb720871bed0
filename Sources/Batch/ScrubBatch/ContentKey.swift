internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV
internal import ScrubBase

/// The identity of a film: its size, the first and last 64 KiB, and four samples in between, hashed to 128 bits.
///
/// Two files of equal size that differ only in unsampled bytes have the same key, for example after an in-place edit of
/// a few bytes in the middle. Such a file has a different modification time and is therefore examined again
/// (`BatchState`).
struct ContentKey {
    /// 32 hexadecimal digits.
    let text: String
    /// libavformat's name for the container; `nil` if the file is not a film.
    let container: String?
    /// Whether its last part is all zeros: space reserved for a copy that has not got that far.
    let endsEmpty: Bool

    private static let edge = Int64(ContainerProbe.byteCount)
    private static let sample = 16 << 10

    /// Cost: at most 192 KiB read.
    ///
    /// - Throws: `noInput` or `inputOutput` if the file cannot be read.
    init(path: String) throws(ScrubError) {
        let file = try FileSource(path: path)
        let size = file.byteCount
        let head = try file.read(at: 0, count: Int(min(ContentKey.edge, size)))
        let tailStart = max(Int64(head.count), size - ContentKey.edge)
        let tail = try file.read(at: tailStart, count: Int(size - tailStart))
        var bytes = head + tail
        // Files that consist only of edges have no middle to read.
        if size > 4 * ContentKey.edge {
            for part in 1...Int64(4) {
                // At most 2^63 / 5 * 4, which fits.
                bytes += try file.read(at: size / 5 * part, count: ContentKey.sample)
            }
        }
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: size >> Int64(shift))) }
        text = PlainText.hexadecimal(xxh3(bytes)) + PlainText.hexadecimal(xxh3(bytes, seed: 1))
        container = ContainerProbe.container(of: head)
        let end = tail.isEmpty ? head : tail
        endsEmpty = end.count >= 4096 && end.suffix(4096).allSatisfy { $0 == 0 }
    }
}
