internal import Glibc

/// A value behind a lock that the thread sanitizer understands.
///
/// `Synchronization.Mutex` is a futex of its own on Linux, on which ThreadSanitizer reports false races (Swift 6.3); it
/// knows a POSIX mutex. To be replaced by `Mutex` when that is fixed.
///
/// `@unchecked Sendable`: the value is touched only inside `withLock`.
@safe package final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// - Parameter value: no other reference to it may remain.
    package init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value, alone. The lock is not recursive.
    ///
    /// - Returns: a value to which nothing behind the lock keeps a reference.
    package func withLock<R, E: Error>(_ body: (inout sending Value) throws(E) -> sending R) throws(E) -> sending R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Sets a part of the value, alone.
    ///
    /// - Returns: what it was.
    package func exchange<Part: Sendable>(
        _ part: any WritableKeyPath<Value, Part> & Sendable, for new: Part
    ) -> Part {
        withLock { value in
            var other = new
            swap(&value[keyPath: part], &other)
            return other
        }
    }
}
