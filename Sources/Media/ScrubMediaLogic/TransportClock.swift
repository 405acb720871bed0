internal import ScrubBase

extension ScrubTransport {
    /// The clock of a ``ScrubTransport``.
    ///
    /// Thread safety: may be read from any thread.
    public protocol Clock: Sendable {
        /// Nanoseconds since a fixed moment during the clock's lifetime. The value never decreases.
        var nanoseconds: Int64 { get }
    }
}

extension ScrubTransport {
    /// The system's monotonic clock, which does not advance while the machine sleeps.
    public struct SystemClock: ScrubTransport.Clock {
        private let origin = SuspendingClock().now

        /// Creates a clock that starts at 0.
        public init() {}

        /// Nanoseconds since the clock was created.
        public var nanoseconds: Int64 { (SuspendingClock().now - origin).wholeNanoseconds }
    }
}

extension ScrubTransport {
    /// A clock that advances only on request, for tests and for offline rendering.
    ///
    /// Thread safety: safe from any thread; it has an internal lock.
    public final class ManualClock: ScrubTransport.Clock {
        private let now: Locked<Int64>

        /// Creates a clock with the given value.
        public init(nanoseconds: Int64 = 0) { now = Locked(nanoseconds) }

        /// The clock's current value.
        public var nanoseconds: Int64 { now.withLock { $0 } }

        /// Advances the clock by whole nanoseconds.
        ///
        /// - Precondition: `duration` is not negative.
        public func advance(by duration: Duration) {
            precondition(duration >= .zero, "a clock cannot go backwards: advance it by 0 or more, not \(duration)")
            now.withLock { now in
                let (sum, overflow) = now.addingReportingOverflow(duration.wholeNanoseconds)
                now = overflow ? .max : sum
            }
        }
    }
}
