internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV
internal import ScrubBase

/// The identity of a film: its size, the first and last 64 KiB, and four samples between, hashed to 128 bits.
///
/// Two files of one size that differ only where nothing is looked at have the same key. An example is an edit in place
/// of a few bytes in the middle. Such a file has another time of change, and is examined again for that reason
/// (`BatchState`).
struct ContentKey {
    /// 32 hexadecimal digits.
    let text: String
    /// libavformat's name of the container; `nil` when it is not a film.
    let container: String?
    /// Whether its last part is nothing but zeros: room that was reserved for a copy which has not come so far.
    let endsEmpty: Bool

    private static let edge = Int64(ContainerProbe.byteCount)
    private static let sample = 16 << 10

    /// Cost: at most 192 KiB read.
    ///
    /// - Throws: `noInput` or `inputOutput` when the file cannot be read.
    init(path: String) throws(ScrubError) {
        let file = try FileSource(path: path)
        let size = file.byteCount
        let head = try file.read(at: 0, count: Int(min(ContentKey.edge, size)))
        let tailStart = max(Int64(head.count), size - ContentKey.edge)
        let tail = try file.read(at: tailStart, count: Int(size - tailStart))
        var bytes = head + tail
        // The middle of files that are all edge is known already.
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
