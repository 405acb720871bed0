/// The time that one machine needs for some files, including its cores' idle time at the end.
///
/// As in `scrub batch`, files are in a ``WorkOrder``, and a free core takes the next file. A file that is a large share
/// of the remaining work gets an equally large share of the cores, as far as they are free. The last file gets all free
/// cores.
enum Makespan {
    /// - Parameters:
    ///   - costs: the seconds of one core for each file, 0 or more, in order.
    ///   - cores: the machine's cores, 1 or more.
    ///   - coresOfOneFile: the maximum number that one file keeps busy.
    /// - Returns: the seconds until the last file is finished.
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
            // Sums in another order differ in their last bits.
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
