internal import Glibc
internal import Synchronization

/// Whether somebody has asked with Ctrl-C (or SIGTERM) that the work ends. The second time the process ends as always.
///
/// Thread safety: safe from any thread.
struct Interrupt: Sendable {
    private static let requests = Atomic<Int>(0)

    init() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                // Only what a signal handler may do: an atomic, and setting itself back.
                Interrupt.requests.add(1, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
    }

    /// Whether it was asked.
    var isRequested: Bool { Interrupt.requests.load(ordering: .relaxed) > 0 }
}
