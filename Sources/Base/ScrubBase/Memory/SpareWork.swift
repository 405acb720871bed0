/// Memory that is set aside for an owner's work beside its promised bytes, in pieces of one size. It lasts until an
/// owner needs the bytes that it was promised.
///
/// Use from one thread at a time. It gives back the remaining pieces when it is deinitialized.
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
    /// - Returns: false if there is no room for them; pieces that were set aside before stay.
    package func take(_ count: Int) -> Bool {
        while pieceCount < count {
            guard budget.takeSpareWork(pieceByteCount, of: owner) else { return false }
            pieceCount += 1
        }
        return true
    }

    /// Whether the memory has to be given back.
    package var isWanted: Bool { pieceCount > 0 && budget.isSpareWorkWanted(of: owner) }

    /// Gives all of it back. Free the contents of the room before the call.
    package func giveBack() {
        guard pieceCount > 0 else { return }
        budget.giveSpareWork(pieceCount * pieceByteCount, of: owner)
        pieceCount = 0
    }
}
