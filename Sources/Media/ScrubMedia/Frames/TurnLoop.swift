internal import ScrubFileIO

/// The work of a decoding thread. It has turns of about one packet, sees newer work between them, and rests at its bell
/// when it is idle.
enum TurnLoop {
    /// What comes after a turn.
    enum Next {
        /// Another turn.
        case turn
        /// A rest until the bell rings, of so many nanoseconds at most; `nil` for no limit.
        case rest(atMost: Int64?)
    }

    /// Works until the bell is closed.
    ///
    /// - Parameters:
    ///   - bell: rung by a caller that has stored new work.
    ///   - interruption: ends the reads of a turn; a caller raises it after it has stored new work.
    ///   - turn: does one thing, and says whether there was something to do.
    static func run(bell: WorkBell, _ interruption: ReadInterruption?, turn: () -> Next) {
        while true {
            // Before the turn looks at anything: a caller that raises it has stored its work before.
            interruption?.lower()
            if bell.hasEnded { return }
            if case .rest(let limit) = turn(), !bell.rest(atMost: limit) { return }
        }
    }
}
