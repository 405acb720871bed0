/// Bytes that will be read, and what lies between them that will not be.
///
/// Where only single ranges can be asked for it is fetched in one piece.
package struct ReadStretch: Hashable, Sendable {
    package var range: Range<Int64>
    /// Bytes of ``range`` that are not read: ascending, each behind a byte that is read and before another one.
    package var gaps: [Range<Int64>]

    package init(_ range: Range<Int64>, gaps: [Range<Int64>] = []) { (self.range, self.gaps) = (range, gaps) }

    /// Whether some bytes are among those that will be read.
    package func has(_ wanted: Range<Int64>) -> Bool {
        range.lowerBound <= wanted.lowerBound && wanted.upperBound <= range.upperBound
            && !gaps.contains { $0.overlaps(wanted) }
    }
}

/// A source that may leave unread bytes out of what it fetches.
package protocol GapLeavingSource: PrefetchingByteSource {
    /// Says what will be read soon, as ``PrefetchingByteSource/prefetch(_:)`` does, and what between it will not be.
    func prefetch(stretches: [ReadStretch])
}
