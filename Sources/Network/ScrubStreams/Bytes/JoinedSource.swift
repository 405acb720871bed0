internal import ScrubBase

/// A concatenation of sources: an initialization section and segments.
struct JoinedSource: PrefetchingByteSource {
    private let parts: [any ByteSource]
    /// The start offsets of the parts, and the end.
    let starts: [Int64]

    /// Creates a concatenation.
    ///
    /// - Throws: `badData` if their total size exceeds 2^63.
    init(_ parts: [any ByteSource]) throws(ScrubError) {
        var starts: [Int64] = [0]
        for part in parts {
            let (end, overflow) = (starts.last ?? 0).addingReportingOverflow(max(0, part.byteCount))
            guard !overflow else { throw ScrubError(.badData, "the segments have more than 2^63 bytes in total") }
            starts.append(end)
        }
        (self.parts, self.starts) = (parts, starts)
    }

    var byteCount: Int64 { starts.last ?? 0 }

    var contentIdentifier: String? {
        let names = parts.compactMap(\.contentIdentifier)
        return names.count == parts.count ? names.map { "\($0.utf8.count):\($0)" }.joined() : nil
    }

    /// Returns the index of the part that contains a byte.
    func part(at offset: Int64) -> Int { max(0, starts.partitioningIndex { $0 > offset } - 1) }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        let place = part(at: offset)
        let count = Int(min(Int64(buffer.count), starts[place + 1] - offset))
        return try unsafe parts[place].read(
            fromAbsoluteOffset: offset - starts[place], into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws -> Int? {
        guard offset >= 0, offset < byteCount else { return 0 }
        let place = part(at: offset)
        let count = Int(min(Int64(buffer.count), starts[place + 1] - offset))
        return try unsafe parts[place].readSome(
            at: offset - starts[place], into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
            unless: cancellation)
    }

    func prefetch(_ ranges: [Range<Int64>]) {
        for (place, part) in parts.enumerated() {
            guard let part = part as? any PrefetchingByteSource else { continue }
            let own = starts[place]..<starts[place + 1]
            let wanted = ranges.map { $0.clamped(to: own) }.filter { !$0.isEmpty }
            part.prefetch(wanted.map { $0.lowerBound - own.lowerBound..<$0.upperBound - own.lowerBound })
        }
    }

    /// Has no effect, because later videos are made of the same segments. A read ends with its own work.
    func cancel() {}
}
