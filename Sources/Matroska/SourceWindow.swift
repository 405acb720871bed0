import ScrubBase

/// The few bytes of a file around the place that is being read.
///
/// A walk from header to header touches some 20 bytes and then leaps over a payload. Small reads make that cheap; only
/// where the next header turns out to lie near behind the last read, as among small sound packets, one longer read
/// is cheaper than several short ones. The system reads whole pages anyway.
struct SourceWindow {
    /// A block's headers and the first bytes of its payload.
    static let shortRead = 64
    private static let longRead = 4096
    /// Gaps below this are read over instead of leapt over: a quarter of a page.
    private static let nearGap: Int64 = 1024

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
        try read(at: position, count: taken)
        bytesRead += Int64(taken)
    }

    /// Reads into the memory that is there already: a walk has hundreds of thousands of reads.
    private mutating func read(at position: Int64, count: Int) throws(ScrubError) {
        guard source.contains(offset: position, count: Int64(count)) else {
            throw ScrubError(.badData, "\(count) bytes at \(position) are not inside the file's \(source.byteCount)")
        }
        if bytes.count > count { bytes.removeLast(bytes.count - count) }
        while bytes.count < count { bytes.append(0) }
        // Nothing is there until it was read.
        start = position
        let source = source
        let failure = bytes.withUnsafeMutableBytes { buffer -> ScrubError? in
            do throws(ScrubError) {
                try source.read(at: position, into: buffer)
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            bytes = []
            throw failure
        }
    }

    /// Bytes that were made ready.
    @_lifetime(borrow self)
    func span(at position: Int64, count: Int) -> Span<UInt8> {
        let first = Int(position - start)
        return bytes.span.extracting(first..<first + count)
    }
}
