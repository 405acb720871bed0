package import ScrubLibAV
package import ScrubBase

/// A counter of the pictures that a session has handed out and that callers still hold.
///
/// Thread safety: safe from any thread.
package final class HeldPictures: Sendable {
    private struct Lent { weak var loan: HeldPicture? }

    private let member: BudgetMember
    private let waitingByteCount: Locked<Int>?
    private let lent = Locked([ObjectIdentifier: Lent]())

    /// Creates a counter.
    ///
    /// - Parameter waitingByteCount: counts the bytes of lent pictures that are not handed out yet
    ///   (``HeldPicture/handOut()``); `nil` if lending is handing out.
    package init(_ member: BudgetMember, waitingByteCount: Locked<Int>? = nil) {
        (self.member, self.waitingByteCount) = (member, waitingByteCount)
    }

    /// The bytes of pictures that callers hold.
    var byteCount: Int { member.lentByteCount }

    /// Lends a picture. Lending a picture that a caller already holds costs nothing.
    ///
    /// - Parameter isAhead: whether no caller is waiting for it yet.
    /// - Returns: the loan; `nil` if callers hold so much that decoding, or pictures that others are waiting for, would
    ///   have no memory left.
    package func lend(_ picture: SharedFrame, isAhead: Bool = false) -> HeldPicture? {
        let key = ObjectIdentifier(picture)
        if let held = lent.withLock({ $0[key]?.loan }) { return held }
        guard member.lend(picture.byteCount, isAhead: isAhead) else { return nil }
        return lent.withLock { lent in
            // Held pictures outlive the session, and so does this count.
            let loan = HeldPicture(picture, waitingIn: waitingByteCount) {
                [weak self, member, count = picture.byteCount] in
                self?.forget(key)
                member.takeBack(count)
            }
            lent[key] = Lent(loan: loan)
            return loan
        }
    }

    private func forget(_ key: ObjectIdentifier) {
        let next = lent.withLock { lent -> HeldPicture? in
            // Another loan of the same picture may have begun.
            let next = lent[key]?.loan
            if next == nil { lent[key] = nil }
            return next
        }
        // By now, this may be the last reference, and deinitialization takes the lock.
        withExtendedLifetime(next) {}
    }
}

/// A picture held by a caller. The loan ends with the last copy.
///
/// `@unchecked Sendable`: `held` changes only in `deinit`, without other references.
package final class HeldPicture: @unchecked Sendable {
    private var held: SharedFrame?
    private let byteCount: Int
    /// The counter of bytes that wait for their caller, including these; `nil` once they were handed out.
    private let waiting: Locked<Locked<Int>?>
    private let end: (@Sendable () -> Void)?

    /// Creates a loan.
    ///
    /// - Parameters:
    ///   - waitingByteCount: counts its bytes until it is handed out.
    ///   - end: called when the picture is released.
    init(_ picture: SharedFrame, waitingIn waitingByteCount: Locked<Int>? = nil, end: (@Sendable () -> Void)? = nil) {
        (held, byteCount, waiting, self.end) = (picture, picture.byteCount, Locked(waitingByteCount), end)
        waitingByteCount?.withLock { $0 += picture.byteCount }
    }

    /// Marks the picture as held by a caller from now on.
    func handOut() { waiting.exchange(\.self, for: nil)?.withLock { $0 -= byteCount } }

    var picture: SharedFrame {
        guard let held else { preconditionFailure("a loan must have its picture") }
        return held
    }

    deinit {
        // The memory is returned first, then reported as available.
        held = nil
        handOut()
        end?()
    }
}
