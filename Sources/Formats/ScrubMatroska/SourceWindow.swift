import ScrubBase

/// The bytes of a file around the place that is being read.
///
/// A walk from header to header touches some 20 bytes and then leaps over a payload. If payloads are long, small reads
/// make that cheap. If they are short, as in most films that aren't 4K, the many reads make the cost. Everything is
/// then read in long pieces, which a system copies from its memory in the time that a leap takes. Which of both it is,
/// the distance from one element to the next tells as the walk goes on.
struct SourceWindow: Sendable {
    /// A block's headers and the first bytes of its payload.
    static let shortRead = 64
    private static let longRead = 512
    /// Gaps below this are read over instead of leapt over.
    private static let nearGap: Int64 = 128
    /// Fits the second cache of a processor with room to spare; longer ones cost more for each byte.
    static let bulkRead = 256 << 10
    /// Bytes from one element to the next up to which reading all is cheaper: some 0.3 us for a read, 25 GB/s for
    /// copying.
    static let bulkStride: Int64 = 8 << 10
    /// Elements after which the distance is taken again.
    private static let surveyed: Int64 = 64

    private let source: any ByteSource
    let byteCount: Int64
    /// Whether all may be read where that is cheaper.
    private let readsAhead: Bool
    private var bytes: [UInt8] = []
    /// The number of the bytes that are the file's.
    private var filled = 0
    private var start: Int64 = 0
    /// The number of bytes that the source was asked for.
    private(set) var bytesRead: Int64 = 0

    private var isBulk = false
    private var surveyStart: Int64 = 0
    private var elements: Int64 = 0

    init(_ source: any ByteSource, readsAhead: Bool = false) {
        self.source = source
        self.readsAhead = readsAhead
        byteCount = source.byteCount
    }

    /// Returns a window on the same bytes with nothing in it, which reads as this one does now.
    func emptied() -> SourceWindow {
        var window = SourceWindow(source, readsAhead: readsAhead)
        window.isBulk = isBulk
        return window
    }

    /// Returns a window on the same bytes and those that have come after them, which reads as this one does now.
    func reading(_ longer: any ByteSource) -> SourceWindow {
        var window = SourceWindow(longer, readsAhead: readsAhead)
        window.isBulk = isBulk
        window.bytesRead = bytesRead
        return window
    }

    /// Makes `count` bytes at `position` ready, which must lie in the file.
    @inline(__always)
    mutating func fill(at position: Int64, count: Int) throws(ScrubError) {
        let place = position - start
        guard place < 0 || place > Int64(filled) || Int64(count) > Int64(filled) - place else { return }
        try read(at: position, count: count)
    }

    /// Records that an element begins at `position`.
    @inline(__always)
    mutating func note(elementAt position: Int64) {
        elements += 1
        guard elements >= SourceWindow.surveyed, readsAhead else { return }
        let distance = position - surveyStart
        isBulk = distance >= 0 && distance / elements <= SourceWindow.bulkStride
        (surveyStart, elements) = (position, 0)
    }

    @inline(never)
    private mutating func read(at position: Int64, count: Int) throws(ScrubError) {
        let end = start + Int64(filled)
        let isNear = position >= end && position - end < SourceWindow.nearGap
        let usual = isNear ? SourceWindow.longRead : SourceWindow.shortRead
        let wanted = max(count, isBulk ? SourceWindow.bulkRead : usual)
        let left = max(0, byteCount - position)
        let taken = count > left ? count : Int(min(Int64(wanted), left))
        if bytes.count < taken { bytes = [UInt8](repeating: 0, count: max(taken, SourceWindow.longRead)) }
        (start, filled) = (position, 0)
        let source = source
        var room = bytes.mutableSpan
        try unsafe room.withUnsafeMutableBytes { (all) throws(ScrubError) in
            try unsafe source.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: all[..<taken]))
        }
        filled = taken
        bytesRead += Int64(taken)
    }

    /// Returns bytes that were made ready.
    @_lifetime(borrow self)
    @inline(__always)
    func span(at position: Int64, count: Int) -> Span<UInt8> {
        let first = Int(position - start)
        return bytes.span.extracting(first..<first + count)
    }
}
