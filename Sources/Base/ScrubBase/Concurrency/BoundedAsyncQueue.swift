/// A queue that passes values from threads to one asynchronous consumer. Threads wait while the queue is full; the
/// consumer suspends while it is empty.
///
/// Thread safety: any thread may push; one task at a time takes values.
package final class BoundedAsyncQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Element?, Never>?
        /// Whether no further values will be pushed.
        var isFinished = false
        /// Whether the consumer has left.
        var isLeft = false
    }

    private let state = Locked(State())
    private let capacity: Int
    /// Signaled when there is room again.
    private let room = BoundedQueue<Void>(capacity: 1)

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: the maximum number of waiting values.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Pushes a value, waiting until there is room for it.
    ///
    /// - Returns: false once the consumer has left.
    @discardableResult
    package func push(_ element: Element) -> Bool {
        while true {
            if let isTaken = offer(element) { return isTaken }
            _ = room.pop()
        }
    }

    /// Pushes a value if there is room for it, without waiting.
    ///
    /// - Returns: `nil` if the queue is full, false once the consumer has left.
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

    /// Removes and returns the oldest value, suspending while there is none; returns `nil` if no more values follow, or
    /// after ``leave()``.
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
                    precondition(state.waiter == nil, "only one task may take values at a time")
                    state.waiter = continuation
                }
                return false
            }
            if hasTaken { room.offer(()) }
        }
    }

    /// Ends the production of values. Waiting values can still be taken.
    package func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
        room.close()
    }

    /// Records that the consumer has left. A waiting producer continues at once.
    package func leave() {
        // Values that were not taken are released outside the lock, because their deinitializers may call other code.
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
