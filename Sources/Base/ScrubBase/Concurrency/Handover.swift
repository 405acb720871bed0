/// A place where threads hand values to another one, and wait when there is nothing to take or no room.
///
/// `@unchecked Sendable`: everything is touched only in the monitor.
@safe package final class Handover<Element: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private let capacity: Int
    private var elements: [Element] = []
    private var isClosed = false

    /// - Parameter capacity: the most values that wait; pushing one more waits until there is room.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Brings a value.
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

    /// Brings a value if there is room for it, without waiting.
    ///
    /// - Returns: whether it was taken.
    @discardableResult
    package func offer(_ element: Element) -> Bool {
        monitor.locked {
            guard elements.count < capacity, !isClosed else { return false }
            elements.append(element)
            monitor.tell()
            return true
        }
    }

    /// Takes the oldest value; `nil` when it was closed and is empty.
    package func pop() -> Element? {
        monitor.locked {
            while elements.isEmpty, !isClosed { monitor.wait() }
            guard !elements.isEmpty else { return nil }
            defer { monitor.tell() }
            return elements.removeFirst()
        }
    }

    /// Ends it: no more values are brought, and the ones that wait can still be taken.
    package func close() {
        monitor.locked {
            isClosed = true
            monitor.tell()
        }
    }

    /// Whether nothing more is brought.
    package var hasEnded: Bool { monitor.locked { isClosed } }

    /// Whether something waits: a thread that alone takes values gets one without waiting.
    package var hasElements: Bool { monitor.locked { !elements.isEmpty } }

    /// Whether something waits, or nothing ever will: a reason to look.
    package var wantsAttention: Bool { monitor.locked { !elements.isEmpty || isClosed } }
}
