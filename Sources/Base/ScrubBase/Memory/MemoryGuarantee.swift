/// The bytes that are guaranteed to a member of a ``ByteBudget``.
package struct MemoryGuarantee: Sendable, Hashable {
    /// Bytes for work: the pictures that a decoder holds, and those in transit from it.
    package let work: Int
    /// Bytes of pictures held by callers.
    package let loans: Int

    package static let none = MemoryGuarantee(work: 0, loans: 0)

    /// Creates a guarantee.
    ///
    /// - Parameters:
    ///   - work: bytes for work; negative values count as 0.
    ///   - loans: bytes held by callers; negative values count as 0.
    package init(work: Int, loans: Int) { (self.work, self.loans) = (max(0, work), max(0, loans)) }

    /// The sum of the bytes, at most `Int.max`.
    package var byteCount: Int {
        let (sum, overflow) = work.addingReportingOverflow(loans)
        return overflow ? .max : sum
    }
}
