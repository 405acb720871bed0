internal import ScrubBase

extension MemoryPressure {
    /// A source that knows how scarce memory is.
    ///
    /// Thread safety: called from any thread, ``start(_:)`` and ``stop()`` once each.
    public protocol Source: AnyObject, Sendable {
        /// The origins of its knowledge, for reports, such as `psi /proc/pressure/memory`; empty when it knows nothing.
        var origins: [String] { get }

        /// Begins to tell levels, each when it changes; ``MemoryPressure/Level/normal`` is where it begins.
        ///
        /// - Parameter tell: may be called on any thread; it does not block.
        /// - Throws: why it cannot. A machine without such a source is not an error: ``origins`` is empty.
        func start(_ tell: @escaping @Sendable (MemoryPressure.Level) -> Void) throws(ScrubError)

        /// Ends it, with its threads and descriptors. A level that is just being told may still come.
        func stop()
    }
}

extension MemoryPressure {
    /// A source that passes on its caller's word: for programs that know better, and for tests.
    ///
    /// Thread safety: safe from any thread.
    public final class ManualSource: MemoryPressure.Source {
        private let tell = Locked<(@Sendable (MemoryPressure.Level) -> Void)?>(nil)

        /// Makes a source that says nothing yet.
        public init() {}

        /// `manual`.
        public var origins: [String] { ["manual"] }

        /// Remembers whom to tell.
        public func start(_ tell: @escaping @Sendable (MemoryPressure.Level) -> Void) throws(ScrubError) {
            self.tell.withLock { $0 = tell }
        }

        /// Forgets whom to tell.
        public func stop() { withExtendedLifetime(tell.exchange(\.self, for: nil)) {} }

        /// Tells a level.
        public func send(_ level: MemoryPressure.Level) { tell.withLock { $0 }?(level) }
    }
}
