internal import Synchronization

/// A time limit for work, shared by all threads that do the work: a moment on the ``LimitClock``.
///
/// Thread safety: safe from any thread.
package final class Deadline: Sendable {
    private static let clock = ContinuousClock()
    /// The origin of time for this process's deadlines.
    private static let origin = clock.now

    /// The deadline in nanoseconds after the origin; the maximum value means never.
    private let end = Atomic(Int64.max)

    /// Creates a deadline that never passes.
    package init() {}

    /// Starts the time limit.
    package func begin(_ limit: Duration) {
        end.store(LimitClock.after(limit), ordering: .relaxed)
    }

    /// Removes the time limit.
    package func stop() { end.store(.max, ordering: .relaxed) }

    /// Whether the deadline has passed. If a deadline is set, this property reads the clock, which takes 25 ns.
    package var hasPassed: Bool {
        let end = end.load(ordering: .relaxed)
        return end != .max && LimitClock.now > end
    }

    /// The current time, in nanoseconds of a clock that never stops.
    package static var now: Int64 { (clock.now - origin).wholeNanoseconds }
}
