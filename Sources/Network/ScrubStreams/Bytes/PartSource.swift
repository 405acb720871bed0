internal import ScrubBase

/// A part of another source, such as a byte-range segment.
struct PartSource: PrefetchingByteSource {
    private let base: any ByteSource
    private let part: Range<Int64>

    /// Creates a part.
    ///
    /// - Precondition: the part is inside the source.
    init(_ base: any ByteSource, _ part: Range<Int64>) {
        precondition(part.lowerBound >= 0 && part.upperBound <= base.byteCount, "the part is outside its source")
        (self.base, self.part) = (base, part)
    }

    var byteCount: Int64 { part.upperBound - part.lowerBound }

    var contentIdentifier: String? { base.contentIdentifier.map { "\($0)[\(part)]" } }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        let count = Int(min(Int64(buffer.count), byteCount - offset))
        return try unsafe base.read(
            fromAbsoluteOffset: part.lowerBound + offset,
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws -> Int? {
        guard offset >= 0, offset < byteCount else { return 0 }
        let count = Int(min(Int64(buffer.count), byteCount - offset))
        return try unsafe base.readSome(
            at: part.lowerBound + offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
            unless: cancellation)
    }

    func prefetch(_ ranges: [Range<Int64>]) {
        guard let base = base as? any PrefetchingByteSource else { return }
        let whole: Range<Int64> = 0..<byteCount
        base.prefetch(
            ranges.map { $0.clamped(to: whole) }.filter { !$0.isEmpty }.map {
                part.lowerBound + $0.lowerBound..<part.lowerBound + $0.upperBound
            })
    }

    func cancel() { (base as? any PrefetchingByteSource)?.cancel() }
}
