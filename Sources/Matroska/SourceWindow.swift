import ScrubBase

/// The few bytes of a file around the place that is being read.
///
/// A walk from header to header touches some 20 bytes and then leaps over a payload. Small reads make that cheap; only
/// where the next header turns out to lie right behind the last read, as among small sound packets, one longer read
/// is cheaper than several short ones.
struct SourceWindow {
    /// A block's headers and the first bytes of its payload.
    static let shortRead = 64
    private static let longRead = 512
    /// Gaps below this are read over instead of leapt over.
    private static let nearGap: Int64 = 128

    private let source: any ByteSource
    private var bytes: [UInt8] = []
    private var start: Int64 = 0
    /// How many bytes were asked of the source.
    private(set) var bytesRead: Int64 = 0

    init(_ source: any ByteSource) { self.source = source }

    private var end: Int64 { start + Int64(bytes.count) }

    /// Makes `count` bytes at `position` ready, which must lie in the file.
    mutating func fill(at position: Int64, count: Int) throws(ScrubError) {
        guard position < start || position > end || Int64(count) > end - position else { return }
        let isNear = position >= end && position - end < SourceWindow.nearGap
        let wanted = max(count, isNear ? SourceWindow.longRead : SourceWindow.shortRead)
        let room = max(0, source.byteCount - position)
        let taken = count > room ? count : Int(min(Int64(wanted), room))
        bytes = try source.read(at: position, count: taken)
        start = position
        bytesRead += Int64(taken)
    }

    /// Bytes that were made ready.
    @_lifetime(borrow self)
    func span(at position: Int64, count: Int) -> Span<UInt8> {
        let first = Int(position - start)
        return bytes.span.extracting(first..<first + count)
    }
}
