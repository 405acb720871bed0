extension RandomAccessCollection {
    /// Returns the first place whose element belongs to the second part of a collection in two parts, or `endIndex`
    /// when all belong to the first.
    ///
    /// Inlinable: other modules look up places in columns of hundreds of thousands of values.
    ///
    /// - Parameter isInSecondPart: false for every element of the first part and true for all behind it. In a
    ///   collection that is not so divided, the result is some place for which it is true, with one before it for which
    ///   it is not, or an end.
    /// - Complexity: O(log *n*) calls.
    @inlinable
    package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = self.count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if isInSecondPart(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
