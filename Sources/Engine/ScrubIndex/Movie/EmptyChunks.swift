internal import ScrubFileIO
internal import ScrubBase

/// Chunks at the end of an AVI that contain no picture. libavformat skips those without bytes.
///
/// A chunk of a video stream is one tick of its clock (OpenDML AVI File Format Extensions 1.02, `dwScale` and
/// `dwRate`). A chunk without a picture shows the previous picture for another tick. Capture programs write one for
/// each picture that they had to drop.
enum EmptyChunks {
    /// The number of bytes that are read at once.
    private static let window = 64 << 10

    /// Returns the number of chunks of a video stream from a position on.
    ///
    /// Cost: the following chunks are read from header to header; if they are small, everything is read.
    ///
    /// - Parameters:
    ///   - start: the beginning of a chunk's header.
    ///   - stream: the stream's index in the file.
    static func count(from start: Int64, ofStream stream: Int, in file: MediaSource) -> Int64 {
        guard (0..<100).contains(stream), start >= 0 else { return 0 }
        let digits = [UInt8(ascii: "0") + UInt8(stream / 10), UInt8(ascii: "0") + UInt8(stream % 10)]
        let names = ["dc", "db"].map { digits + Array($0.utf8) }
        var position = start
        var (bytes, first): ([UInt8], Int64) = ([], start)
        var count: Int64 = 0
        while file.byteCount - position >= 8 {
            let left = file.byteCount - position
            if position < first || position + min(12, left) > first + Int64(bytes.count) {
                guard let read = try? file.read(at: position, count: Int(min(Int64(window), left))) else {
                    return count
                }
                (bytes, first) = (read, position)
            }
            let head = bytes[Int(position - first)...].prefix(12)
            let name = head.prefix(4)
            // Unrelated bytes after the last chunk.
            guard name.allSatisfy({ (0x20...0x7E).contains($0) }) else { return count }
            let kind = head.dropFirst(8)
            if name.elementsEqual("RIFF".utf8)
                || name.elementsEqual("LIST".utf8)
                    && (kind.elementsEqual("movi".utf8) || kind.elementsEqual("rec ".utf8))
            {
                position += 12
                continue
            }
            let size = head.dropFirst(4).prefix(4).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if names.contains(where: { name.elementsEqual($0) }) { count += 1 }
            position += 8 + size + size % 2
        }
        return count
    }
}
