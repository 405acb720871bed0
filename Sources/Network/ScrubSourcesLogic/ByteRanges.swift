/// A set of bytes in a medium, as ascending ranges that neither overlap nor touch.
///
/// Touching ranges are joined, so that equal sets are equal values. Empty ranges add nothing.
///
/// Cost: lookup is a binary search; inserting and removing also move the subsequent ranges.
package struct ByteRanges: Hashable, Sendable {
    /// The ranges in ascending order. None is empty or touches the next one.
    package private(set) var ranges: [Range<Int64>]

    /// Creates an empty set.
    package init() { ranges = [] }

    /// Creates a set with one range, which may be empty.
    package init(_ range: Range<Int64>) { ranges = range.isEmpty ? [] : [range] }

    /// Creates a set from ranges in any order, which may overlap.
    package init(_ ranges: some Sequence<Range<Int64>>) {
        self.ranges = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound {
                // The greater end: a range inside another must not shorten it.
                self.ranges[self.ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The number of bytes, at most `Int64.max`.
    package var byteCount: Int64 {
        var sum: Int64 = 0
        for range in ranges {
            let (length, tooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            let (next, overflow) = sum.addingReportingOverflow(length)
            if tooLong || overflow { return .max }
            sum = next
        }
        return sum
    }

    /// The range from the first byte to the last one, including holes.
    package var span: Range<Int64>? {
        guard let first = ranges.first, let last = ranges.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    /// Returns the index of the first range that ends after `place`: the one that contains it, or the next one.
    private func indexEnding(after place: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].upperBound > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the range that contains a byte.
    package func range(containing place: Int64) -> Range<Int64>? {
        let index = indexEnding(after: place)
        guard index < ranges.count, ranges[index].lowerBound <= place else { return nil }
        return ranges[index]
    }

    /// Returns whether the set contains a byte.
    package func contains(_ place: Int64) -> Bool { range(containing: place) != nil }

    /// Returns whether the set contains every byte of a range; true for an empty range.
    package func contains(_ wanted: Range<Int64>) -> Bool {
        guard !wanted.isEmpty else { return true }
        guard let found = range(containing: wanted.lowerBound) else { return false }
        return wanted.upperBound <= found.upperBound
    }

    /// Returns whether the set contains any byte of a range.
    package func overlaps(_ wanted: Range<Int64>) -> Bool {
        guard !wanted.isEmpty else { return false }
        let index = indexEnding(after: wanted.lowerBound)
        return index < ranges.count && ranges[index].lowerBound < wanted.upperBound
    }

    /// Returns the number of bytes from `place` up to the first hole.
    package func run(from place: Int64) -> Int64 {
        guard let found = range(containing: place) else { return 0 }
        let (length, overflow) = found.upperBound.subtractingReportingOverflow(place)
        return overflow ? .max : length
    }

    /// Returns the first range that begins at `place` or after it.
    package func firstRange(startingFrom place: Int64) -> Range<Int64>? {
        var index = indexEnding(after: place)
        if index < ranges.count, ranges[index].lowerBound < place { index += 1 }
        return index < ranges.count ? ranges[index] : nil
    }

    /// Inserts a range.
    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        // Touching ranges are joined: from the first that ends at its start or later, to the last that begins at its
        // end or before.
        var first = indexEnding(after: range.lowerBound)
        if first > 0, ranges[first - 1].upperBound == range.lowerBound { first -= 1 }
        var end = first
        var joined = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            joined =
                min(joined.lowerBound, ranges[end].lowerBound)..<max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(joined))
    }

    /// Inserts the bytes of another set.
    package mutating func formUnion(_ other: ByteRanges) {
        guard !other.isEmpty else { return }
        if other.ranges.count < 8 {
            for range in other.ranges { insert(range) }
        } else {
            self = ByteRanges(ranges + other.ranges)
        }
    }

    /// Returns the union of both sets.
    package func union(_ other: ByteRanges) -> ByteRanges {
        var copy = self
        copy.formUnion(other)
        return copy
    }

    /// Removes a range.
    package mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = indexEnding(after: range.lowerBound)
        var end = first
        var left: [Range<Int64>] = []
        while end < ranges.count, ranges[end].lowerBound < range.upperBound {
            let found = ranges[end]
            if found.lowerBound < range.lowerBound { left.append(found.lowerBound..<range.lowerBound) }
            if found.upperBound > range.upperBound { left.append(range.upperBound..<found.upperBound) }
            end += 1
        }
        guard first < end else { return }
        ranges.replaceSubrange(first..<end, with: left)
    }

    /// Removes the bytes of another set.
    package mutating func subtract(_ other: ByteRanges) {
        for range in other.ranges { remove(range) }
    }

    /// Returns the bytes that are not in another set.
    package func subtracting(_ other: ByteRanges) -> ByteRanges {
        var copy = self
        copy.subtract(other)
        return copy
    }

    /// Returns the bytes in a range.
    package func intersection(_ window: Range<Int64>) -> ByteRanges {
        var result = ByteRanges()
        guard !window.isEmpty else { return result }
        var index = indexEnding(after: window.lowerBound)
        while index < ranges.count, ranges[index].lowerBound < window.upperBound {
            result.ranges.append(ranges[index].clamped(to: window))
            index += 1
        }
        return result
    }

    /// Returns the bytes in both sets.
    package func intersection(_ other: ByteRanges) -> ByteRanges {
        var result = ByteRanges()
        var (mine, others) = (0, 0)
        while mine < ranges.count, others < other.ranges.count {
            let common = ranges[mine].clamped(to: other.ranges[others])
            if !common.isEmpty { result.ranges.append(common) }
            if ranges[mine].upperBound < other.ranges[others].upperBound { mine += 1 } else { others += 1 }
        }
        return result
    }

    /// Returns the bytes of a range that are not in the set.
    package func holes(in window: Range<Int64>) -> ByteRanges {
        var result = ByteRanges()
        guard !window.isEmpty else { return result }
        var place = window.lowerBound
        var index = indexEnding(after: place)
        while index < ranges.count, ranges[index].lowerBound < window.upperBound {
            if place < ranges[index].lowerBound { result.ranges.append(place..<ranges[index].lowerBound) }
            place = ranges[index].upperBound
            index += 1
        }
        if place < window.upperBound { result.ranges.append(place..<window.upperBound) }
        return result
    }
}

extension ByteRanges: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Range<Int64>...) { self.init(elements) }
}
