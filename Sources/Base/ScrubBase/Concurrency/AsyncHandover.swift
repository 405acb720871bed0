/// A handover of values from a thread to one asynchronous consumer. The thread waits while it is full, the consumer
/// suspends while it is empty.
///
/// Thread safety: any threads bring, one task takes at a time.
package final class AsyncHandover<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Element?, Never>?
        /// Nothing more is brought.
        var isFinished = false
        /// The consumer has left.
        var isLeft = false
    }

    private let state = Locked(State())
    private let capacity: Int
    /// Told when there is room again.
    private let room = Handover<Void>(capacity: 1)

    /// - Parameter capacity: the most values that wait.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Brings a value, and waits until there is room for it.
    ///
    /// - Returns: false once the consumer has left.
    @discardableResult
    package func push(_ element: Element) -> Bool {
        while true {
            if let isTaken = offer(element) { return isTaken }
            _ = room.pop()
        }
    }

    /// Brings a value if there is room for it, without waiting.
    ///
    /// - Returns: `nil` if it is full, false once the consumer has left.
    package func offer(_ element: Element) -> Bool? {
        state.withLock { state in
            guard !state.isLeft, !state.isFinished else { return false }
            if let waiter = state.waiter {
                state.waiter = nil
                waiter.resume(returning: element)
                return true
            }
            guard state.elements.count < capacity else { return nil }
            state.elements.append(element)
            return true
        }
    }

    /// Takes the oldest value, and suspends while there is none; `nil` when nothing more comes, or after ``leave()``.
    package func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let hasTaken = state.withLock { state in
                if state.isLeft {
                    continuation.resume(returning: nil)
                } else if !state.elements.isEmpty {
                    continuation.resume(returning: state.elements.removeFirst())
                    return true
                } else if state.isFinished {
                    continuation.resume(returning: nil)
                } else {
                    precondition(state.waiter == nil, "one task takes values at a time")
                    state.waiter = continuation
                }
                return false
            }
            if hasTaken { room.offer(()) }
        }
    }

    /// Ends the production of values; the ones that wait can still be taken.
    package func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
        room.close()
    }

    /// Says that the consumer has left: a producer that waits continues at once.
    package func leave() {
        // Values that were not taken are released outside the lock: their end may call anything.
        let (waiter, untaken) = state.withLock { state in
            state.isLeft = true
            defer { (state.waiter, state.elements) = (nil, []) }
            return (state.waiter, state.elements)
        }
        withExtendedLifetime(untaken) {}
        waiter?.resume(returning: nil)
        room.close()
    }

    /// Whether the consumer has left.
    package var isLeft: Bool { state.withLock { $0.isLeft } }
}
