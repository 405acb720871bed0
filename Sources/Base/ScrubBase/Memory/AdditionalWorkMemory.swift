/// Memory reserved for a member's work beyond its guarantee, in pieces of equal size. It is kept until other members
/// need the bytes (``ByteBudgetAccounting``, rule 6).
///
/// Use from one thread at a time. Deinitialization returns the remaining pieces.
package final class AdditionalWorkMemory {
    private let member: BudgetMember
    private let pieceByteCount: Int
    private let decoders: (any AdditionalDecoders)?
    private var pieceCount = 0

    /// Creates an object without any pieces.
    ///
    /// - Parameter decoders: a counter of the decoders for which the pieces are used; `nil` not to count them.
    package init(_ member: BudgetMember, pieceByteCount: Int, decoders: (any AdditionalDecoders)? = nil) {
        (self.member, self.pieceByteCount, self.decoders) = (member, max(0, pieceByteCount), decoders)
    }

    deinit { giveBack() }

    /// Reserves pieces until it has the given number.
    ///
    /// - Returns: false if there is no room for all of them; pieces already reserved are kept.
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

    /// Whether another member needs the memory back.
    package var isWanted: Bool {
        pieceCount > 0 && (member.isSpareWorkWanted || decoders?.isWanted == true)
    }

    /// Returns all pieces. Free their contents before the call.
    package func giveBack() {
        guard pieceCount > 0 else { return }
        member.giveSpareWork(pieceCount * pieceByteCount)
        decoders?.giveBack(pieceCount)
        pieceCount = 0
    }
}

/// The additional decoders of a member, beyond its first one, if decoders are counted. Used from one thread at a time.
package protocol AdditionalDecoders: AnyObject {
    /// Takes another decoder, if one is free and no other caller is waiting.
    func take() -> Bool
    /// Whether another caller is waiting for a decoder.
    var isWanted: Bool { get }
    /// Returns a number of decoders, which must be closed.
    func giveBack(_ count: Int)
}
