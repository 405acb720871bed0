#if Viewer
internal import ScrubBase

/// The server's events, for its listeners: each has its own ring buffer, and a slow one loses the oldest events.
///
/// Thread safety: safe from any thread.
final class EventHub: Sendable {
    /// One listener's events, until it ends.
    final class Listener: Sendable {
        private struct State {
            var lines: [(number: Int, text: String)] = []
            var dropped = 0
            var isEnded = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Locked(State())

        /// The maximum number of waiting events.
        private static let limit = 256

        fileprivate func add(_ number: Int, _ text: String) {
            let waiter = state.withLock { state in
                state.lines.append((number, text))
                if state.lines.count > Listener.limit {
                    state.lines.removeFirst()
                    state.dropped += 1
                }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        /// Ends the listener: waiting calls return.
        func end() {
            let waiter = state.withLock { state in
                state.isEnded = true
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        /// Wakes the listener, so that it sends a sign of life.
        func ring() { state.exchange(\.waiter, for: nil)?.resume() }

        /// Returns the events since the last call as server-sent events; a comment if there are none; `nil` at the end.
        func next() async -> String? {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isReady = state.withLock { state in
                    guard state.lines.isEmpty, !state.isEnded, state.waiter == nil else { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
            return state.withLock { state in
                guard !state.isEnded else { return nil }
                defer { (state.lines, state.dropped) = ([], 0) }
                guard !state.lines.isEmpty else { return ":\n\n" }
                var text = state.dropped > 0 ? "data: {\"kind\":\"dropped\",\"count\":\(state.dropped)}\n\n" : ""
                for line in state.lines { text += "id: \(line.number)\ndata: \(line.text)\n\n" }
                return text
            }
        }
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var number = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// The maximum number of listeners at any one time.
    static let mostListeners = 32

    /// Starts listening; `nil` if there are too many listeners.
    ///
    /// - Returns: the listener, and a function that ends it.
    func listen() -> (listener: Listener, end: @Sendable () -> Void)? {
        let listener = Listener()
        let place = state.withLock { state -> Int? in
            guard !state.isClosed, state.listeners.count < EventHub.mostListeners else { return nil }
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
        guard let place else { return nil }
        return (
            listener,
            { [self] in
                _ = state.withLock { $0.listeners.removeValue(forKey: place) }
                listener.end()
            }
        )
    }

    /// The number of listeners.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Notifies all listeners; without any, no text is created.
    func tell(_ kind: String, _ fill: (inout JSONText) -> Void) {
        let listeners = state.withLock { state in
            if !state.listeners.isEmpty { state.number += 1 }
            return (state.number, Array(state.listeners.values))
        }
        guard !listeners.1.isEmpty else { return }
        var line = JSONText()
        line.add("kind", kind)
        fill(&line)
        for listener in listeners.1 { listener.add(listeners.0, line.text) }
    }

    /// Makes all listeners send a sign of life.
    func beat() { for listener in state.withLock({ Array($0.listeners.values) }) { listener.ring() } }

    /// Ends all streams, and rejects new ones.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.end() }
    }
}
#endif
