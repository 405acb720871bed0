/// The time that one machine works on some files, with the idle time of its cores at the end.
///
/// As `scrub batch` does it: files come in a ``WorkOrder``, and a core that is free takes the next file. A file that is
/// a large part of the rest gets as large a part of the cores, as far as they are free then. The last one gets all that
/// are.
enum Makespan {
    /// - Parameters:
    ///   - costs: seconds of one core for each file, 0 or more, in the order in which they come.
    ///   - cores: of the machine, 1 or more.
    ///   - coresOfOneFile: the most that one file keeps busy.
    /// - Returns: seconds until the last file is done.
    /// - Complexity: O(n log n + n · `cores`).
    static func seconds(_ costs: [Double], cores: Int, coresOfOneFile: Int) -> Double {
        let whole = costs.reduce(0, +)
        let order = WorkOrder(costs, cores: cores)
        let ordered = (order.first + order.middle + order.last).map { costs[$0] }
        // When each core is free.
        var lanes = Array(repeating: 0.0, count: cores)
        var left = whole
        for (number, cost) in ordered.enumerated() {
            let begin = lanes.min() ?? 0
            // Sums of other orders differ in their last bits.
            let free = lanes.indices.filter { lanes[$0] <= begin * (1 + 1e-9) }
            let share = left > 0 ? Int((min(1, cost / left) * Double(cores)).rounded()) : 1
            let wanted = number == ordered.count - 1 ? free.count : max(1, share)
            let taken = free.prefix(max(1, min(wanted, coresOfOneFile)))
            for lane in taken { lanes[lane] = begin + cost / Double(taken.count) }
            left -= cost
        }
        return lanes.max() ?? 0
    }
}
