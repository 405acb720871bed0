package import ScrubLibAV
package import ScrubBase

/// Counts the pictures that a session has handed out and that callers still hold.
///
/// Thread safety: safe from any thread.
package final class PictureLoans: Sendable {
    private struct Lent { weak var loan: PictureLoan? }

    private let member: BudgetMember
    private let waitingByteCount: Locked<Int>?
    private let lent = Locked([ObjectIdentifier: Lent]())

    /// - Parameter waitingByteCount: counts the bytes of lent pictures that were not handed out yet
    ///   (``PictureLoan/handOut()``); `nil` if lending is handing out.
    package init(_ member: BudgetMember, waitingByteCount: Locked<Int>? = nil) {
        (self.member, self.waitingByteCount) = (member, waitingByteCount)
    }

    /// Bytes that callers hold.
    var byteCount: Int { member.lentByteCount }

    /// Lends a picture. A picture that a caller already holds costs nothing more.
    ///
    /// - Parameter isAhead: whether nothing waits for it yet.
    /// - Returns: `nil` if callers hold so much that decoding, or pictures that others wait for, would have no memory
    ///   left.
    package func lend(_ picture: SharedFrame, isAhead: Bool = false) -> PictureLoan? {
        let key = ObjectIdentifier(picture)
        if let held = lent.withLock({ $0[key]?.loan }) { return held }
        guard member.lend(picture.byteCount, isAhead: isAhead) else { return nil }
        return lent.withLock { lent in
            // What is held outlives the session, and so does its count.
            let loan = PictureLoan(picture, waitingIn: waitingByteCount) {
                [weak self, member, count = picture.byteCount] in
                self?.forget(key)
                member.takeBack(count)
            }
            lent[key] = Lent(loan: loan)
            return loan
        }
    }

    private func forget(_ key: ObjectIdentifier) {
        let next = lent.withLock { lent -> PictureLoan? in
            // Another loan of the same picture may have begun.
            let next = lent[key]?.loan
            if next == nil { lent[key] = nil }
            return next
        }
        // Its last reference may be this one by now, and its end takes the lock.
        withExtendedLifetime(next) {}
    }
}

/// A picture in the hands of a caller. It ends with the last copy.
///
/// `@unchecked Sendable`: `held` changes only in `deinit`, without other references.
package final class PictureLoan: @unchecked Sendable {
    private var held: SharedFrame?
    private let byteCount: Int
    /// The bytes that wait for their caller, these among them; `nil` once they were handed out.
    private let waiting: Locked<Locked<Int>?>
    private let end: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - waitingByteCount: counts its bytes until it is handed out.
    ///   - end: told when the picture was let go.
    init(_ picture: SharedFrame, waitingIn waitingByteCount: Locked<Int>? = nil, end: (@Sendable () -> Void)? = nil) {
        (held, byteCount, waiting, self.end) = (picture, picture.byteCount, Locked(waitingByteCount), end)
        waitingByteCount?.withLock { $0 += picture.byteCount }
    }

    /// Says that it is in the hands of a caller from now on.
    func handOut() { waiting.exchange(\.self, for: nil)?.withLock { $0 -= byteCount } }

    var picture: SharedFrame {
        guard let held else { preconditionFailure("a loan without its picture") }
        return held
    }

    deinit {
        // First the memory, then the word that it is there.
        held = nil
        handOut()
        end?()
    }
}
