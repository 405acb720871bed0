extension ScrubSession {
    /// An observer of a session's updates (``ScrubSession/observe(_:)``).
    ///
    /// Thread safety: safe from any thread.
    public final class Observation: Sendable {
        private let stop: @Sendable () -> Void

        init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

        /// Ends it: calls that begin later don't come. A call that is under way in another thread may still run.
        public func end() { stop() }
    }
}
