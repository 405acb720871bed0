internal import ScrubBase

extension Player {
    /// An observer of a player's events (``Player/observe(_:_:)``). Releasing the observer ends the observation.
    ///
    /// Thread safety: safe from any thread.
    public final class Observation: EventSubscriber {
        private struct State {
            var buffer: EventBuffer
            var isTelling = false
            var isEnded = false
        }

        private let state: Locked<State>
        private let body: @Sendable (Player.Event) -> Void
        private let finished: @Sendable () -> Void

        init(
            _ buffer: EventBuffer, finished: @escaping @Sendable () -> Void,
            _ body: @escaping @Sendable (Player.Event) -> Void
        ) {
            state = Locked(State(buffer: buffer))
            (self.body, self.finished) = (body, finished)
        }

        /// Ends the observation. No further calls begin. A call in progress on another thread may still finish.
        public func end() { state.withLock { $0.isEnded = true } }

        func append(_ events: [Player.Event]) {
            state.withLock { state in
                guard !state.isEnded else { return }
                for event in events { state.buffer.append(event) }
            }
        }

        // Events that a call to `body` causes are delivered after the call returns. While one thread is delivering
        // events, it also delivers those of other threads.
        func wake() {
            guard beginTelling() else { return }
            while let event = next() { body(event) }
        }

        func finish() {
            if !state.withLock({ $0.isEnded }) { finished() }
        }

        private func beginTelling() -> Bool {
            state.withLock { state in
                guard !state.isTelling else { return false }
                state.isTelling = true
                return true
            }
        }

        private func next() -> Player.Event? {
            state.withLock { state in
                if !state.isEnded, let event = state.buffer.popFirst() { return event }
                state.isTelling = false
                return nil
            }
        }
    }
}
