/// The order in which a run starts its files, so that its cores finish at about the same time.
///
/// Files that are a large share of the work are first, in order of decreasing length, because a long file at the end
/// would leave all other cores idle. Small files are last, the smallest at the very end. In between, the order is free,
/// so it can be the disk's.
package struct WorkOrder: Hashable, Sendable {
    /// The positions of the files that are first, in order.
    package private(set) var first: [Int] = []
    /// The positions of those in between, in the given order.
    package private(set) var middle: [Int] = []
    /// The positions of the files that are last, in order.
    package private(set) var last: [Int] = []

    /// Arranges files.
    ///
    /// - Parameters:
    ///   - weights: the likely time of each file, in any unit, 0 or more.
    ///   - cores: the number of files processed in parallel, 1 or more.
    /// - Complexity: O(n log n).
    package init(_ weights: [Double], cores: Int) {
        let (total, cores) = (weights.reduce(0, +), Double(max(1, cores)))
        let large = total / (4 * cores)
        first = weights.indices.filter { weights[$0] > large }
        first.sort { (weights[$1], $0) < (weights[$0], $1) }
        var rest = weights.indices.filter { weights[$0] <= large }
        rest.sort { (weights[$1], $0) < (weights[$0], $1) }
        // As many of the smallest as keep all cores busy for twice as long as the longest of the rest takes, but no
        // more than a quarter of all, because their likely times are uncertain.
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
