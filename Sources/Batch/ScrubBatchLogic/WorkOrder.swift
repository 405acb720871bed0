/// In which order the files of a run are begun, so that its cores end at about the same time.
///
/// Files that are a large part of all come first, the longest of them before the others. One of those that comes last
/// is worked on while all other cores have nothing to do. Files that are small come last, the smallest at the very end.
/// Between them the order is free, so it can be the disk's.
package struct WorkOrder: Hashable, Sendable {
    /// Positions of the files that come first, in their order.
    package private(set) var first: [Int] = []
    /// Positions of those between, in the order in which they were given.
    package private(set) var middle: [Int] = []
    /// Positions of those that come last, in their order.
    package private(set) var last: [Int] = []

    /// Arranges files.
    ///
    /// - Parameters:
    ///   - weights: the likely time of each, in any unit, 0 or more.
    ///   - cores: the number that are worked on side by side, 1 or more.
    /// - Complexity: O(n log n).
    package init(_ weights: [Double], cores: Int) {
        let (total, cores) = (weights.reduce(0, +), Double(max(1, cores)))
        let large = total / (4 * cores)
        first = weights.indices.filter { weights[$0] > large }
        first.sort { (weights[$1], $0) < (weights[$0], $1) }
        var rest = weights.indices.filter { weights[$0] <= large }
        rest.sort { (weights[$1], $0) < (weights[$0], $1) }
        // As many of the smallest as keep all cores busy for twice as long as the longest of the rest takes. They are
        // no more than a quarter of all, because their likely times are not known well.
        var left = rest.first.map { min(2 * cores * weights[$0], total / 4) } ?? 0
        var end = rest.endIndex
        while end > rest.startIndex, left > 0 {
            end -= 1
            left -= weights[rest[end]]
        }
        last = Array(rest[end...])
        middle = rest[..<end].sorted()
    }
}
