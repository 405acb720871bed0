internal import ScrubBase

extension MemoryPressure {
    /// A source of memory pressure levels.
    ///
    /// Thread safety: called from any thread, ``start(_:)`` and ``stop()`` once each.
    public protocol Source: AnyObject, Sendable {
        /// The origins of the information, for reports, such as `psi /proc/pressure/memory`; empty if there is none.
        var origins: [String] { get }

        /// Starts reporting the level each time that it changes. The initial level is ``MemoryPressure/Level/normal``.
        ///
        /// - Parameter tell: a closure to call with each level. It may be called on any thread and does not block.
        /// - Throws: the reason why it cannot start. A machine without such a source is not an error: ``origins`` is
        ///   empty.
        func start(_ tell: @escaping @Sendable (MemoryPressure.Level) -> Void) throws(ScrubError)

        /// Stops reporting, and releases its threads and descriptors. A report that is in progress may still arrive.
        func stop()
    }
}

extension MemoryPressure {
    /// A source whose levels the program sends itself: for programs that have better information, and for tests.
    ///
    /// Thread safety: safe from any thread.
    public final class ManualSource: MemoryPressure.Source {
        private let tell = Locked<(@Sendable (MemoryPressure.Level) -> Void)?>(nil)

        /// Creates a source that has not reported a level yet.
        public init() {}

        /// Always `manual`.
        public var origins: [String] { ["manual"] }

        /// Stores the closure that receives levels.
        public func start(_ tell: @escaping @Sendable (MemoryPressure.Level) -> Void) throws(ScrubError) {
            self.tell.withLock { $0 = tell }
        }

        /// Removes the closure that receives levels.
        public func stop() { withExtendedLifetime(tell.exchange(\.self, for: nil)) {} }

        /// Sends a level.
        public func send(_ level: MemoryPressure.Level) { tell.withLock { $0 }?(level) }
    }
}
