internal import Glibc
internal import Scrub
internal import Synchronization

/// Whether somebody has asked with Ctrl-C (or SIGTERM) that the work ends. The second time the process ends as always.
///
/// Thread safety: safe from any thread.
struct Interrupt: Sendable {
    /// The signal that came, 0 for none.
    private static let request = Atomic<Int32>(0)

    init() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                // Only what a signal handler may do: an atomic, and setting another one in its place.
                Interrupt.request.store(number, ordering: .relaxed)
                signal(number) { number in
                    // Nothing else runs any more that would bring a terminal back.
                    TerminalRestore.restoreNow()
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
        }
    }

    /// Whether it was asked.
    var isRequested: Bool { Interrupt.request.load(ordering: .relaxed) != 0 }

    /// Ends the process by the signal that asked for it, once everything is cleaned up: a shell that sees a command end by
    /// SIGINT ends its loop too, and one that sees an exit code goes on with the next file.
    static func endIfRequested() {
        let number = request.load(ordering: .relaxed)
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        raise(number)
    }
}
