internal import ScrubBase

/// A source whose reads fail when some work is cancelled, for readers that cannot abandon a read.
struct InterruptibleSource: ByteSource {
    private let base: any ByteSource
    private let cancellation: Cancellation

    init(_ base: any ByteSource, _ cancellation: Cancellation) { (self.base, self.cancellation) = (base, cancellation) }

    var byteCount: Int64 { base.byteCount }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let count = try unsafe base.readSome(at: offset, into: buffer, unless: cancellation) else {
            throw ScrubError.cancelled
        }
        return count
    }
}

extension ByteSource {
    /// Performs one read that stops if it is cancelled. Local sources read to the end, because they do not wait.
    ///
    /// - Returns: the number of bytes read; `nil` if the read was cancelled.
    func readSome(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws -> Int? {
        guard let source = self as? any PrefetchingByteSource else {
            return try unsafe read(fromAbsoluteOffset: offset, into: buffer)
        }
        return try unsafe source.read(fromAbsoluteOffset: offset, into: buffer, unless: cancellation)
    }

    /// The same bytes, whose reads end with the work on this thread.
    var endingWithWork: any ByteSource {
        guard let cancellation = Cancellation.current else { return self }
        return InterruptibleSource(self, cancellation)
    }
}
