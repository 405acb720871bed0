/// The order counts of a coded video sequence's pictures that decoders hold back until they output them.
///
/// Decoders output the picture with the lowest order count as soon as more are waiting than `sps_max_num_reorder_pics`
/// allows (H.265 C.5.2.3). A picture that arrives after a later one was output is late. A valid stream has no such
/// picture (C.5.2.3), and decoders output it out of order.
struct HEVCOutputQueue: Sendable {
    private var waiting: [Int] = []
    private var last = Int.min

    /// Adds a picture to output.
    ///
    /// - Returns: whether a picture that follows it in output order was already output.
    mutating func add(_ order: Int, reorderLimit: Int) -> Bool {
        let isLate = order < last
        waiting.append(order)
        while waiting.count > max(0, reorderLimit), let next = waiting.min() {
            waiting.removeAll { $0 == next }
            last = max(last, next)
        }
        return isLate
    }
}
