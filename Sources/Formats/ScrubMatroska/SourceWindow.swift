import ScrubBase

/// The bytes of a file around the current position.
///
/// Going from header to header reads about 20 bytes and then skips a payload. If payloads are long, small reads make
/// this cheap. If they are short, as in most films that are not 4K, the number of reads dominates the cost. In that
/// case, everything is read in long pieces, which the system copies from its cache in the time of a skip. The distance
/// between elements shows which case applies.
struct SourceWindow: Sendable {
    /// The size of a short read: a block's headers and the first bytes of its payload.
    static let shortRead = 64
    private static let longRead = 512
    /// Smaller gaps are read through rather than skipped.
    private static let nearGap: Int64 = 128
    /// The size of a long read. It fits easily in a processor's second-level cache; longer reads cost more per byte.
    static let bulkRead = 256 << 10
    /// The distance in bytes between elements up to which reading everything is cheaper: about 0.3 us for a read, 25
    /// GB/s for copying.
    static let bulkStride: Int64 = 8 << 10
    /// The number of elements after which the distance is measured again.
    private static let surveyed: Int64 = 64

    private let source: any ByteSource
    let byteCount: Int64
    /// Whether everything may be read if that is cheaper.
    private let readsAhead: Bool
    private var bytes: [UInt8] = []
    /// The number of bytes loaded from the file.
    private var filled = 0
    private var start: Int64 = 0
    /// The number of bytes requested from the source.
    private(set) var bytesRead: Int64 = 0

    private var isBulk = false
    private var surveyStart: Int64 = 0
    private var elements: Int64 = 0

    init(_ source: any ByteSource, readsAhead: Bool = false) {
        self.source = source
        self.readsAhead = readsAhead
        byteCount = source.byteCount
    }

    /// Returns an empty window on the same bytes, with the current reading mode.
    func emptied() -> SourceWindow {
        var window = SourceWindow(source, readsAhead: readsAhead)
        window.isBulk = isBulk
        return window
    }

    /// Returns a window on the same bytes followed by new ones, with the current reading mode.
    func reading(_ longer: any ByteSource) -> SourceWindow {
        var window = SourceWindow(longer, readsAhead: readsAhead)
        window.isBulk = isBulk
        window.bytesRead = bytesRead
        return window
    }

    /// Loads `count` bytes at `position`, which must be inside the file.
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

    /// Returns bytes that were loaded.
    @_lifetime(borrow self)
    @inline(__always)
    func span(at position: Int64, count: Int) -> Span<UInt8> {
        let first = Int(position - start)
        return bytes.span.extracting(first..<first + count)
    }
}
