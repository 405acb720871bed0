/// Orders from coarse to fine.
package enum BitReversal {
    /// Returns the numbers below `count` in bit-reversed order, so that any prefix is evenly distributed.
    package static func order(_ count: Int) -> [Int] {
        guard count > 1 else { return Array(0..<max(0, count)) }
        let bits = Int.bitWidth - (count - 1).leadingZeroBitCount
        return (0..<1 << bits).map { number in
            (0..<bits).reduce(0) { $0 | (number >> $1 & 1) << (bits - 1 - $1) }
        }.filter { $0 < count }
    }
}
