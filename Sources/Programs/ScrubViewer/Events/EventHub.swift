#if Viewer
internal import ScrubBase

/// The events in the server, for its listeners: each has a ring of its own, and one that is slow loses the oldest.
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

        /// Events that wait at most.
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

        /// Ends it: waiting calls return.
        func end() {
            let waiter = state.withLock { state in
                state.isEnded = true
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        /// Wakes it, so that it says that it is there.
        func ring() { state.exchange(\.waiter, for: nil)?.resume() }

        /// Returns the events since the last time, in the form of a stream of events; a comment without any; `nil` at
        /// the end.
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

    /// The most who listen at a time.
    static let mostListeners = 32

    /// Begins to listen; `nil` when too many do.
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

    /// Tells all listeners; without any, no text is made.
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

    /// Lets everybody say that the connection is there.
    func beat() { for listener in state.withLock({ Array($0.listeners.values) }) { listener.ring() } }

    /// Ends all streams, and those that would begin.
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
