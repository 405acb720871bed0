#if CommandLine
internal import ScrubBase
internal import Scrub
internal import SystemPackage

/// Lines from a file descriptor, with a maximum length, so that a line without an end does not fill the memory.
struct LineReader: ~Copyable {
    enum Line: Equatable {
        case text(String)
        /// More bytes than ``limit`` without a line ending; nothing can be read after that.
        case tooLong
        case end
    }

    /// The maximum bytes of a line, without its ending.
    static let limit = 1 << 16

    private let descriptor: FileDescriptor
    private var bytes: [UInt8] = []
    /// The beginning of the next line, and the offset up to which no line ending was found.
    private var (start, searched) = (0, 0)
    private var hasEnded = false

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Returns the next line without its ending, which the last line need not have.
    mutating func next() throws(ScrubError) -> Line {
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (start, searched) = (end + 1, end + 1) }
                return end - start > LineReader.limit ? .tooLong : .text(text(start..<end))
            }
            searched = bytes.count
            if searched - start > LineReader.limit { return .tooLong }
            if hasEnded {
                defer { start = searched }
                return start == searched ? .end : .text(text(start..<searched))
            }
            try fill()
        }
    }

    private func text(_ range: Range<Int>) -> String {
        let line = bytes[range]
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }

    private mutating func fill() throws(ScrubError) {
        bytes.removeFirst(start)
        (start, searched) = (0, searched - start)
        do {
            let piece = try unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = try unsafe descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            bytes += piece
            hasEnded = piece.isEmpty
        } catch {
            throw ScrubError(.inputOutput, "the requests cannot be read: \(error)")
        }
    }
}
#endif
