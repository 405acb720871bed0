#if CommandLine
internal import Scrub
internal import ScrubBase

/// Ends a batch from outside: no film is begun from the first signal on, and those in hand have some seconds.
///
/// Thread safety: safe from any thread.
final class BatchEnding: Sendable {
    /// Seconds that films in hand have.
    private static let patience = 20.0

    private let interrupt: Interrupt
    private let asked = Locked<ContinuousClock.Instant?>(nil)

    /// - Parameter inHand: returns the number of films in work, for the answer to a signal.
    init(inHand: @escaping @Sendable () -> Int) {
        interrupt = Interrupt {
            let count = inHand()
            return count > 0 ? "finishing \(Amount.of(count, "film"))" : "ending"
        }
    }

    /// Whether no more films are to be begun.
    var isRequested: Bool { interrupt.isRequested }

    /// Drops films in hand when it has taken too long.
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
