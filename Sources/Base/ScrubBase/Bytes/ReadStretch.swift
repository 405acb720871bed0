/// Bytes that will be read, and the bytes between them that will not.
///
/// A source that can only ask for single ranges fetches it in one piece.
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

/// A source that can leave unread bytes out of its requests.
package protocol GapLeavingSource: PrefetchingByteSource {
    /// Announces the next reads, as ``PrefetchingByteSource/prefetch(_:)`` does, and the bytes between them that will
    /// not be read.
    func prefetch(stretches: [ReadStretch])
}
