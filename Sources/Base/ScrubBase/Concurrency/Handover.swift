internal import Glibc

/// A place where threads hand values to another one, and wait when there is nothing to take or no room.
///
/// `@unchecked Sendable`: everything is touched only under the mutex.
@safe package final class Handover<Element: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private let capacity: Int
    private var elements: [Element] = []
    private var isClosed = false

    /// - Parameter capacity: the most values that wait; pushing one more waits until there is room.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed = .allocate(capacity: 1)
        unsafe changed.initialize(to: pthread_cond_t())
        let status = unsafe pthread_mutex_init(mutex, nil) + pthread_cond_init(changed, nil)
        precondition(status == 0, "no mutex: \(status)")
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Brings a value.
    ///
    /// - Returns: false once the consumer has left.
    @discardableResult
    package func push(_ element: Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while elements.count >= capacity, !isClosed { unsafe pthread_cond_wait(changed, mutex) }
        guard !isClosed else { return false }
        elements.append(element)
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Brings a value if there is room for it, without waiting.
    ///
    /// - Returns: whether it was taken.
    @discardableResult
    package func offer(_ element: Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard elements.count < capacity, !isClosed else { return false }
        elements.append(element)
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Takes the oldest value; `nil` when it was closed and is empty.
    package func pop() -> Element? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while elements.isEmpty, !isClosed { unsafe pthread_cond_wait(changed, mutex) }
        guard !elements.isEmpty else { return nil }
        defer { unsafe pthread_cond_broadcast(changed) }
        return elements.removeFirst()
    }

    /// Ends it: no more values are brought, and the ones that wait can still be taken.
    package func close() {
        unsafe pthread_mutex_lock(mutex)
        isClosed = true
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Whether nothing more is brought.
    package var hasEnded: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return isClosed
    }

    /// Whether something waits: a thread that alone takes values gets one without waiting.
    package var hasElements: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return !elements.isEmpty
    }

    /// Whether something waits, or nothing ever will: a reason to look.
    package var wantsAttention: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return !elements.isEmpty || isClosed
    }
}
