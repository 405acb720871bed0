internal import Synchronization

/// A time by which work must be done, for all threads that do it: a moment of the ``LimitClock``.
///
/// Thread safety: safe from any thread.
package final class Deadline: Sendable {
    private static let clock = ContinuousClock()
    /// The beginning of time for this process's deadlines.
    private static let origin = clock.now

    /// Nanoseconds after the origin; the greatest number for never.
    private let end = Atomic(Int64.max)

    /// Makes one that never comes.
    package init() {}

    /// Begins to count.
    package func begin(_ limit: Duration) {
        end.store(LimitClock.after(limit), ordering: .relaxed)
    }

    /// Counts no more.
    package func stop() { end.store(.max, ordering: .relaxed) }

    /// Whether the deadline has passed. Costs a look at the clock, 25 ns, where it is set.
    package var hasPassed: Bool {
        let end = end.load(ordering: .relaxed)
        return end != .max && LimitClock.now > end
    }

    /// Now, in nanoseconds of a clock that never stands still.
    package static var now: Int64 { (clock.now - origin).wholeNanoseconds }
}
