package import ScrubBase

/// A changing value that is sent to each subscriber separately: a slow one misses intermediate values, but never the
/// newest.
///
/// Thread safety: safe from any thread. Subscribers do not retain it; their sequences end with it.
package final class LatestValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var next = 0
        var subscribers: [Int: Mailbox<Value>] = [:]
    }

    private let state: Locked<State>

    package init(_ value: Value) { state = Locked(State(value: value)) }

    deinit {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.finish() }
    }

    /// The number of subscribers.
    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Sends a value.
    package func send(_ value: Value) {
        state.withLock { state in
            state.value = value
            // Under the lock, so that each subscriber sees the order. It does not run callers' code.
            for subscriber in state.subscribers.values { subscriber.put(value) }
        }
    }

    /// Returns a reader of the current value and later ones.
    package func values() -> MailboxReader<Value> {
        let subscriber = Mailbox<Value>(limit: 1)
        let number = state.withLock { state in
            subscriber.put(state.value)
            state.next += 1
            state.subscribers[state.next] = subscriber
            return state.next
        }
        return MailboxReader(subscriber) { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }
}
