/// Bytes to read, with the gaps between them.
///
/// A source that supports only single ranges fetches the span as one range.
package struct ReadSpan: Hashable, Sendable {
    package var range: Range<Int64>
    /// The unread gaps in ``range``, in ascending order. Each gap is between bytes that are read.
    package var gaps: [Range<Int64>]

    package init(_ range: Range<Int64>, gaps: [Range<Int64>] = []) { (self.range, self.gaps) = (range, gaps) }

    /// Returns whether the given bytes are among those to read.
    package func has(_ wanted: Range<Int64>) -> Bool {
        range.lowerBound <= wanted.lowerBound && wanted.upperBound <= range.upperBound
            && !gaps.contains { $0.overlaps(wanted) }
    }
}

/// A source that can skip unread bytes in its requests.
package protocol MultirangeByteSource: PrefetchingByteSource {
    /// Announces the next reads, like ``PrefetchingByteSource/prefetch(_:)``, with the gaps between them.
    func prefetch(stretches: [ReadSpan])
}
