/// The order counts of a coded video sequence's pictures that decoders hold back until they output them.
///
/// Decoders output the picture with the least order count as soon as more wait than `sps_max_num_reorder_pics` says
/// (H.265 C.5.2.3). A picture that comes when one behind it is out already is late: a stream has no such picture
/// (C.5.2.3), and decoders output it out of its turn.
struct HEVCOutputQueue: Sendable {
    private var waiting: [Int] = []
    private var last = Int.min

    /// Adds a picture that is to be output.
    ///
    /// - Returns: whether one behind it in output order is out already.
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
