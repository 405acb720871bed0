internal import ScrubFileIO

/// The work of a decoding thread. It has turns of about one packet, sees newer work between them, and rests at its bell
/// when it is idle.
enum TurnLoop {
    /// Works until the bell is closed.
    ///
    /// - Parameters:
    ///   - bell: rung by a caller that has stored new work.
    ///   - interruption: ends the reads of a turn; a caller raises it after it has stored new work.
    ///   - turn: does one thing; false when there was nothing to do.
    static func run(bell: Handover<Void>, _ interruption: ReadInterruption?, turn: () -> Bool) {
        while true {
            // Before the turn looks at anything: a caller that raises it has stored its work before.
            interruption?.lower()
            if bell.hasEnded { return }
            if !turn(), bell.pop() == nil { return }
        }
    }
}
