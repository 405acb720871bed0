internal import Glibc
// The module of `timespec`, required by this compiler, because the target's other files determine which C module
// declares it first.
internal import SwiftOverlayShims

/// A condition with state, on which a thread sleeps until a deadline or until another thread rings.
///
/// Times are on the machine's monotonic clock, so that setting the wall clock has no effect.
///
/// `@unchecked Sendable`: the state is accessed only under the mutex.
@safe package final class TimedBell<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Creates a bell.
    ///
    /// - Parameter state: the state. The caller must not keep a reference to it.
    package init(_ state: sending State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed = .allocate(capacity: 1)
        unsafe changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        var status = unsafe pthread_mutex_init(mutex, nil) + pthread_condattr_init(&attributes)
        unsafe status += pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe status += pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        precondition(status == 0, "cannot create a mutex: \(status)")
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the state.
    package func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` with exclusive access to the state, and wakes all sleepers.
    package func ring<R>(_ body: (inout sending State) -> sending R) -> sending R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        defer { unsafe pthread_cond_broadcast(changed) }
        return body(&state)
    }

    /// What a sleeper does next.
    package enum Wake<R>: ~Copyable {
        /// The operation ends with a result.
        case done(R)
        /// The thread sleeps until another thread rings, for at most this many nanoseconds; `nil` for no limit.
        case sleep(Int64?)
        /// The thread wakes the other sleepers and checks again.
        case tell
    }

    /// Checks the state until `body` has a result, and sleeps in between.
    package func wait<R>(_ body: (inout sending State) -> sending Wake<R>) -> sending R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            switch body(&state) {
            case .done(let result): return result
            case .tell: unsafe pthread_cond_broadcast(changed)
            case .sleep(nil): unsafe pthread_cond_wait(changed, mutex)
            case .sleep(let span?):
                var until = Self.now
                // A year is long enough to stand for any longer time.
                let nanoseconds = min(max(span, 0), 31_536_000_000_000_000)
                until.tv_sec += Int(nanoseconds / 1_000_000_000)
                until.tv_nsec += Int(nanoseconds % 1_000_000_000)
                if until.tv_nsec >= 1_000_000_000 {
                    until.tv_sec += 1
                    until.tv_nsec -= 1_000_000_000
                }
                unsafe pthread_cond_timedwait(changed, mutex, &until)
            }
        }
    }

    private static var now: timespec {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time
    }
}
