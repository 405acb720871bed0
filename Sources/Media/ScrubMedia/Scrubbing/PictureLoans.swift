package import ScrubLibAV
package import ScrubBase

/// Counts the pictures that a session has handed out and that callers still hold.
///
/// Thread safety: safe from any thread.
package final class PictureLoans: Sendable {
    private struct Lent {
        weak var loan: PictureLoan?
        let serial: Int
    }

    private struct State {
        var lent: [ObjectIdentifier: Lent] = [:]
        var serial = 0
    }

    private let budget: ByteBudget
    private let owner: Int
    private let state = Locked(State())

    package init(_ budget: ByteBudget, owner: Int) { (self.budget, self.owner) = (budget, owner) }

    /// Bytes that callers hold.
    var byteCount: Int { budget.lentByteCount(of: owner) }

    /// Lends a picture. One that a caller already holds costs nothing more.
    ///
    /// - Parameter isAhead: whether nothing waits for it yet.
    /// - Returns: `nil` when callers hold so much that decoding, or what others wait for, would have no memory left.
    package func lend(_ picture: SharedFrame, isAhead: Bool = false) -> PictureLoan? {
        let key = ObjectIdentifier(picture)
        if let held = state.withLock({ $0.lent[key]?.loan }) { return held }
        guard budget.lend(picture.byteCount, by: owner, isAhead: isAhead) else { return nil }
        return state.withLock { state in
            state.serial += 1
            let serial = state.serial
            // What is held outlives the session, and so does its count.
            let loan = PictureLoan(picture) { [weak self, budget, owner, count = picture.byteCount] in
                self?.forget(key, serial)
                budget.takeBack(count, by: owner)
            }
            state.lent[key] = Lent(loan: loan, serial: serial)
            return loan
        }
    }

    private func forget(_ key: ObjectIdentifier, _ serial: Int) {
        state.withLock { state in
            // Another loan of the same picture may have begun.
            if state.lent[key]?.serial == serial { state.lent[key] = nil }
        }
    }
}

/// A picture in the hands of a caller. It ends with the last copy.
///
/// `@unchecked Sendable`: what it holds changes only in `deinit`, without other references.
package final class PictureLoan: @unchecked Sendable {
    private var held: SharedFrame?
    private let end: (@Sendable () -> Void)?

    /// - Parameter end: told when the picture was let go.
    init(_ picture: SharedFrame, end: (@Sendable () -> Void)? = nil) { (held, self.end) = (picture, end) }

    var picture: SharedFrame {
        guard let held else { preconditionFailure("a loan without its picture") }
        return held
    }

    deinit {
        // First the memory, then the word that it is there.
        held = nil
        end?()
    }
}
