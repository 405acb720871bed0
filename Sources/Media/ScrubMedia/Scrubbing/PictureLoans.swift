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

    private let member: BudgetMember
    private let waitingByteCount: Locked<Int>?
    private let state = Locked(State())

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
        if let held = state.withLock({ $0.lent[key]?.loan }) { return held }
        guard member.lend(picture.byteCount, isAhead: isAhead) else { return nil }
        return state.withLock { state in
            state.serial += 1
            let serial = state.serial
            // What is held outlives the session, and so does its count.
            let loan = PictureLoan(picture, waitingIn: waitingByteCount) {
                [weak self, member, count = picture.byteCount] in
                self?.forget(key, serial)
                member.takeBack(count)
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
/// `@unchecked Sendable`: its contents change only in `deinit`, without other references.
package final class PictureLoan: @unchecked Sendable {
    private var held: SharedFrame?
    private let wait: PictureWait?
    private let end: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - waitingByteCount: counts its bytes until it is handed out.
    ///   - end: told when the picture was let go.
    init(_ picture: SharedFrame, waitingIn waitingByteCount: Locked<Int>? = nil, end: (@Sendable () -> Void)? = nil) {
        (held, self.end) = (picture, end)
        wait = waitingByteCount.map { PictureWait(of: picture.byteCount, in: $0) }
    }

    /// Says that it is in the hands of a caller from now on.
    func handOut() { wait?.end() }

    var picture: SharedFrame {
        guard let held else { preconditionFailure("a loan without its picture") }
        return held
    }

    deinit {
        // First the memory, then the word that it is there.
        held = nil
        wait?.end()
        end?()
    }
}

/// The time of a picture between its lending and its handing out. It ends once.
private final class PictureWait: Sendable {
    private let byteCount: Int
    private let total: Locked<Int>
    private let isOver = Locked(false)

    init(of byteCount: Int, in total: Locked<Int>) {
        (self.byteCount, self.total) = (byteCount, total)
        total.withLock { $0 += byteCount }
    }

    func end() {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        if !wasOver { total.withLock { $0 -= byteCount } }
    }
}
