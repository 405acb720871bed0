internal import ScrubBase

/// A changing value that is sent to each subscriber separately: a slow one misses intermediate values, but never the
/// newest.
///
/// Thread safety: safe from any thread. Subscribers do not retain it; their streams end with it.
package final class LatestValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var next = 0
        var subscribers: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Locked<State>

    package init(_ value: Value) { state = Locked(State(value: value)) }

    deinit {
        // Finishing runs a subscriber's termination handler, which must not run under the lock.
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.finish() }
    }

    /// The number of subscribers.
    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Sends a value.
    package func send(_ value: Value) {
        state.withLock { state in
            state.value = value
            for subscriber in state.subscribers.values { subscriber.yield(value) }
        }
    }

    /// Returns a stream of the current value and later ones.
    package func values() -> AsyncStream<Value> {
        let (stream, subscriber) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            subscriber.yield(state.value)
            state.next += 1
            state.subscribers[state.next] = subscriber
            return state.next
        }
        subscriber.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }
}
