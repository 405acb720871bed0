/// The bytes that a member of a ``ByteBudget`` can always have.
package struct MemoryGuarantee: Sendable, Hashable {
    /// Bytes for work: the pictures that a decoder holds for itself, and those on their way out of it.
    package let work: Int
    /// Bytes of pictures in the hands of callers.
    package let loans: Int

    package static let none = MemoryGuarantee(work: 0, loans: 0)

    /// - Parameters:
    ///   - work: bytes for work; below 0 is 0.
    ///   - loans: bytes in the hands of callers; below 0 is 0.
    package init(work: Int, loans: Int) { (self.work, self.loans) = (max(0, work), max(0, loans)) }

    /// All of its bytes, at most `Int.max`.
    package var byteCount: Int {
        let (sum, overflow) = work.addingReportingOverflow(loans)
        return overflow ? .max : sum
    }
}
