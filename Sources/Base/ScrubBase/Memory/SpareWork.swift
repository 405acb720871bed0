/// Memory that is set aside for a member's work beside its guarantee, in pieces of one size. It lasts until others need
/// the bytes (``MemoryLedger``, rule 6).
///
/// Use from one thread at a time. It gives back the remaining pieces when it is deinitialized.
package final class SpareWork {
    private let member: BudgetMember
    private let pieceByteCount: Int
    private let decoders: (any SpareDecoders)?
    private var pieceCount = 0

    /// - Parameter decoders: a counter of the decoders that the pieces are for; `nil` to leave them uncounted.
    package init(_ member: BudgetMember, pieceByteCount: Int, decoders: (any SpareDecoders)? = nil) {
        (self.member, self.pieceByteCount, self.decoders) = (member, max(0, pieceByteCount), decoders)
    }

    deinit { giveBack() }

    /// Sees to it that so many pieces are set aside.
    ///
    /// - Returns: false if there is no room for them; pieces that were set aside before stay.
    package func take(_ count: Int) -> Bool {
        while pieceCount < count {
            guard decoders?.take() ?? true else { return false }
            guard member.takeSpareWork(pieceByteCount) else {
                decoders?.giveBack(1)
                return false
            }
            pieceCount += 1
        }
        return true
    }

    /// A Boolean value that indicates whether another member wants the memory back.
    package var isWanted: Bool {
        pieceCount > 0 && (member.isSpareWorkWanted || decoders?.isWanted == true)
    }

    /// Gives all of it back. Free the contents of the room before the call.
    package func giveBack() {
        guard pieceCount > 0 else { return }
        member.giveSpareWork(pieceCount * pieceByteCount)
        decoders?.giveBack(pieceCount)
        pieceCount = 0
    }
}

/// Decoders that a member has beside its first one, where all are counted. Used from one thread at a time.
package protocol SpareDecoders: AnyObject {
    /// Takes one more, if one is free and no other caller waits.
    func take() -> Bool
    /// Whether another caller waits for one of them.
    var isWanted: Bool { get }
    /// Gives some of them back; they are closed.
    func giveBack(_ count: Int)
}
