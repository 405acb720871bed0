/// A queue through which threads pass values to another thread. Threads wait while the queue is empty or full.
///
/// `@unchecked Sendable`: the state is accessed only in the monitor.
@safe package final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private let capacity: Int
    private var elements: [Element] = []
    private var isClosed = false

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: the maximum number of waiting values. Pushing another one waits until there is room.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Pushes a value.
    ///
    /// - Returns: false once the consumer has left.
    @discardableResult
    package func push(_ element: Element) -> Bool {
        monitor.locked {
            while elements.count >= capacity, !isClosed { monitor.wait() }
            guard !isClosed else { return false }
            elements.append(element)
            monitor.tell()
            return true
        }
    }

    /// Pushes a value if there is room for it, without waiting.
    ///
    /// - Returns: whether the value was accepted.
    @discardableResult
    package func offer(_ element: Element) -> Bool {
        monitor.locked {
            guard elements.count < capacity, !isClosed else { return false }
            elements.append(element)
            monitor.tell()
            return true
        }
    }

    /// Removes and returns the oldest value; `nil` if the queue is closed and empty.
    package func pop() -> Element? {
        monitor.locked {
            while elements.isEmpty, !isClosed { monitor.wait() }
            guard !elements.isEmpty else { return nil }
            defer { monitor.tell() }
            return elements.removeFirst()
        }
    }

    /// Closes the queue: no more values are accepted, but waiting ones can still be taken.
    package func close() {
        monitor.locked {
            isClosed = true
            monitor.tell()
        }
    }

    /// Whether the queue is closed.
    package var hasEnded: Bool { monitor.locked { isClosed } }

    /// Whether a value is waiting. A single consumer can then take it without waiting.
    package var hasElements: Bool { monitor.locked { !elements.isEmpty } }

    /// Whether a value is waiting or no more will follow, either of which is a reason to check.
    package var wantsAttention: Bool { monitor.locked { !elements.isEmpty || isClosed } }
}
