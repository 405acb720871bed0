/// What is set aside for an owner's work beside what it was promised, in pieces of one size, until an owner needs what
/// it was promised.
///
/// Use from one thread at a time. What is left is given back when it goes.
package final class SpareWork {
    private let budget: ByteBudget
    private let owner: Int
    private let pieceByteCount: Int
    private var pieceCount = 0

    package init(_ budget: ByteBudget, owner: Int, pieceByteCount: Int) {
        (self.budget, self.owner, self.pieceByteCount) = (budget, owner, max(0, pieceByteCount))
    }

    deinit { giveBack() }

    /// Sees to it that so many pieces are set aside.
    ///
    /// - Returns: false where there is no room for them; what was set aside before stays.
    package func take(_ count: Int) -> Bool {
        while pieceCount < count {
            guard budget.takeSpareWork(pieceByteCount, of: owner) else { return false }
            pieceCount += 1
        }
        return true
    }

    /// Whether it has to be given back.
    package var isWanted: Bool { pieceCount > 0 && budget.isSpareWorkWanted(of: owner) }

    /// Gives all of it back. What took up the room must be let go before.
    package func giveBack() {
        guard pieceCount > 0 else { return }
        budget.giveSpareWork(pieceCount * pieceByteCount, of: owner)
        pieceCount = 0
    }
}
