internal import ScrubFileIO

/// The work of a decoding thread. It has turns of about one packet, sees newer work between them, and rests at its bell
/// when it is idle.
package enum TurnLoop {
    /// What comes after a turn.
    package enum Next: Sendable {
        /// Another turn.
        case turn
        /// A rest until the bell rings, of so many nanoseconds at most; `nil` for no limit.
        case rest(atMost: Int64?)
        /// Nothing: all is done.
        case end
    }

    /// Works until the bell is closed, or all is done.
    ///
    /// - Parameters:
    ///   - bell: rung by a caller that has stored new work.
    ///   - turns: ends the reads of a turn; `nil` where the thread's own cancellation does, or reads never wait.
    ///   - turn: does one thing, and says whether there was something to do.
    static func run(bell: WorkBell, _ turns: TurnCancellation?, turn: () -> Next) {
        while true {
            let cancellation = turns?.begin()
            if bell.hasEnded { return }
            switch turns == nil ? turn() : Cancellation.performing(cancellation, turn) {
            case .turn: break
            case .rest(let limit): if !bell.rest(atMost: limit) { return }
            case .end: return
            }
        }
    }
}

/// Ends the present turn of a thread, because there is newer work for it. What was begun goes on in a later turn.
///
/// Thread safety: safe from any thread.
final class TurnCancellation: Sendable {
    private let present = Locked(Cancellation())

    /// Begins a turn, before it looks for work: a caller that cancels it has stored its work before.
    func begin() -> Cancellation {
        let next = Cancellation()
        present.withLock { $0 = next }
        return next
    }

    /// Ends the present turn's reads.
    func cancel() { present.withLock { $0 }.cancel() }
}
