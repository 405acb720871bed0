internal import Glibc

/// A mutex with a condition variable: threads change state one at a time and can wait until another thread has changed
/// it.
///
/// `@unchecked Sendable`: POSIX threads share both, and their memory does not move.
@safe package final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed = .allocate(capacity: 1)
        unsafe changed.initialize(to: pthread_cond_t())
        let status = unsafe pthread_mutex_init(mutex, nil) + pthread_cond_init(changed, nil)
        precondition(status == 0, "cannot create a mutex: \(status)")
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs a closure with exclusive access.
    package func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits for ``tell()`` inside a closure. Meanwhile, other threads can run their closures. Wakeups may be spurious,
    /// so the caller must check its condition again.
    package func wait() { unsafe pthread_cond_wait(changed, mutex) }

    /// Wakes all waiting threads.
    package func tell() { unsafe pthread_cond_broadcast(changed) }
}
