internal import ScrubBase

extension ScrubTransport {
    /// The time that a ``ScrubTransport`` uses.
    ///
    /// Thread safety: read from any thread.
    public protocol Clock: Sendable {
        /// Nanoseconds since a moment that does not change during the clock's life; never decreasing.
        var nanoseconds: Int64 { get }
    }
}

extension ScrubTransport {
    /// The machine's monotonic time, which stands still while the machine sleeps.
    public struct SystemClock: ScrubTransport.Clock {
        private let origin = SuspendingClock().now

        /// Makes a clock that starts at 0.
        public init() {}

        /// Nanoseconds since the clock was made.
        public var nanoseconds: Int64 { (SuspendingClock().now - origin).wholeNanoseconds }
    }
}

extension ScrubTransport {
    /// A clock that moves only when it is told to, for tests and for renderings that don't run in real time.
    ///
    /// Thread safety: safe; it has a lock of its own.
    public final class ManualClock: ScrubTransport.Clock {
        private let now: Locked<Int64>

        /// Makes a clock that shows `nanoseconds`.
        public init(nanoseconds: Int64 = 0) { now = Locked(nanoseconds) }

        /// The clock's present value.
        public var nanoseconds: Int64 { now.withLock { $0 } }

        /// Moves the clock forward, by whole nanoseconds.
        ///
        /// - Precondition: `duration` is not negative.
        public func advance(by duration: Duration) {
            precondition(duration >= .zero, "a clock does not go back: advance it by 0 or more, not \(duration)")
            now.withLock { now in
                let (sum, overflow) = now.addingReportingOverflow(duration.wholeNanoseconds)
                now = overflow ? .max : sum
            }
        }
    }
}
