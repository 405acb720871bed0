internal import ScrubBase

extension MemoryPressureMonitor {
    /// A source of memory pressure levels.
    ///
    /// Thread safety: the methods may be called on any thread. A monitor calls ``stop()`` at most once, and does not
    /// call ``start(_:)`` again after it has succeeded.
    public protocol Source: AnyObject, Sendable {
        /// Where the levels come from, for reports, such as `psi /proc/pressure/memory`; empty if the machine does not
        /// report memory pressure.
        var origins: [String] { get }

        /// Starts reporting the level whenever it changes. The initial level is ``MemoryPressureMonitor/Level/normal``.
        ///
        /// - Parameter tell: a closure to call with each level. It may be called on any thread and does not block.
        /// - Throws: the reason why it cannot start. It is not an error if the machine does not report memory pressure;
        ///   ``origins`` is then empty.
        func start(_ tell: @escaping @Sendable (MemoryPressureMonitor.Level) -> Void) throws(ScrubError)

        /// Stops reporting, and releases the source's threads and descriptors. A report that is already in progress may
        /// still arrive.
        func stop()
    }
}

extension MemoryPressureMonitor {
    /// A source whose levels are sent by the program, for tests and for programs that have better information.
    ///
    /// Thread safety: safe from any thread.
    public final class ManualSource: MemoryPressureMonitor.Source {
        private let tell = Locked<(@Sendable (MemoryPressureMonitor.Level) -> Void)?>(nil)

        /// Creates a source that has not reported any level yet.
        public init() {}

        /// Always `manual`.
        public var origins: [String] { ["manual"] }

        /// Stores the closure that receives levels.
        public func start(_ tell: @escaping @Sendable (MemoryPressureMonitor.Level) -> Void) throws(ScrubError) {
            self.tell.withLock { $0 = tell }
        }

        /// Removes the closure that receives levels.
        public func stop() { withExtendedLifetime(tell.exchange(\.self, for: nil)) {} }

        /// Sends a level.
        public func send(_ level: MemoryPressureMonitor.Level) { tell.withLock { $0 }?(level) }
    }
}
