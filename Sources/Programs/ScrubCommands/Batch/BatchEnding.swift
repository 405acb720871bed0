#if CommandLine
internal import Scrub
internal import ScrubBase

/// Ends a batch on a signal: after the first signal, no film is started, and those in progress have a few seconds.
///
/// Thread safety: safe from any thread.
final class BatchEnding: Sendable {
    /// The seconds that films in progress have.
    private static let patience = 20.0

    private let interrupt: Interrupt
    private let asked = Locked<ContinuousClock.Instant?>(nil)

    /// - Parameter inHand: returns the number of films in progress, for the response to a signal.
    init(inHand: @escaping @Sendable () -> Int) {
        interrupt = Interrupt {
            let count = inHand()
            return count > 0 ? "finishing \(Amount.of(count, "film"))" : "ending"
        }
    }

    /// Whether no more films are to be started.
    var isRequested: Bool { interrupt.isRequested }

    /// Drops films in progress if they take too long.
    var cancellation: Cancellation { Cancellation(within: nil) { self.isOver } }

    private var isOver: Bool {
        guard interrupt.isRequested else { return false }
        let first = asked.withLock { first in
            let now = first ?? ContinuousClock.now
            first = now
            return now
        }
        return first.duration(to: .now) > .seconds(BatchEnding.patience)
    }
}
#endif
