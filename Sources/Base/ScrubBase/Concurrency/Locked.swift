internal import Glibc

/// A value protected by a lock that ThreadSanitizer understands.
///
/// On Linux, `Synchronization.Mutex` is implemented with a futex, for which ThreadSanitizer reports false races (Swift
/// 6.3); it understands a POSIX mutex. Replace this with `Mutex` when that is fixed.
///
/// `@unchecked Sendable`: the value is accessed only inside `withLock`.
@safe package final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Creates a lock around a value.
    ///
    /// - Parameter value: the value, to which no other reference may remain.
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

    /// Runs `body` with exclusive access to the value. The lock is not recursive.
    ///
    /// - Returns: the result of `body`. The protected value must not keep a reference to it.
    package func withLock<R, E: Error>(_ body: (inout sending Value) throws(E) -> sending R) throws(E) -> sending R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Sets a part of the value, with exclusive access.
    ///
    /// - Returns: the previous part.
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
