extension ScrubSession {
    /// An observer of a session's updates (``ScrubSession/observe(_:)``).
    ///
    /// Thread safety: safe from any thread.
    public final class Observation: Sendable {
        private let stop: @Sendable () -> Void

        init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

        /// Ends the observation. The observing closure is not called again, but a call in progress on another thread
        /// may still finish.
        public func end() { stop() }
    }
}
