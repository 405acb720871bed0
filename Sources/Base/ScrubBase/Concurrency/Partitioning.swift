extension RandomAccessCollection {
    /// Returns the index of the first element in the second part of a partitioned collection, or `endIndex` if all
    /// elements are in the first part.
    ///
    /// This is inlinable because other modules search columns of hundreds of thousands of values.
    ///
    /// - Parameter isInSecondPart: false for every element of the first part and true for all elements after it. If the
    ///   collection is not partitioned, the result is an arbitrary index for which the predicate is true and false for
    ///   the predecessor, or an end.
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
