internal import ScrubFileIO
internal import ScrubBase

/// A film's head followed by a part of the film, as one file for a demuxer.
struct SplicedSource: ByteSource {
    private let head: [UInt8]
    private let file: MediaSource
    /// The part of the film that follows the head.
    let part: Range<Int64>

    init(head: [UInt8], _ file: MediaSource, _ part: Range<Int64>) {
        (self.head, self.file, self.part) = (head, file, part)
    }

    var byteCount: Int64 { Int64(head.count) + part.upperBound - part.lowerBound }

    /// Returns the offset in the film of an offset in the joined bytes; `nil` for the head.
    func filmOffset(of offset: Int64) -> Int64? {
        offset >= Int64(head.count) ? part.lowerBound + offset - Int64(head.count) : nil
    }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        if offset < head.count {
            let bytes = head[Int(offset)...].prefix(buffer.count)
            unsafe buffer.copyBytes(from: bytes)
            return bytes.count
        }
        let place = part.lowerBound + offset - Int64(head.count)
        let count = Int(min(Int64(buffer.count), part.upperBound - place))
        return try unsafe file.read(
            fromAbsoluteOffset: place, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
}
