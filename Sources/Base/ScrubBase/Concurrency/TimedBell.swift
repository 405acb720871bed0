internal import Glibc
// The module of `timespec`, for this compiler: which C module declares it first depends on the other files of the
// target.
internal import SwiftOverlayShims

/// Lets a thread sleep until a deadline or until another thread rings, whichever comes first. It has state of its own.
///
/// Times are of the machine's monotonic clock, so that setting the wall clock delays nothing.
///
/// `@unchecked Sendable`: everything is touched only under the mutex.
@safe package final class TimedBell<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// - Parameter state: the caller must not keep a reference to it.
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
        precondition(status == 0, "no mutex: \(status)")
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the state, alone.
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

    /// The next step of a sleeper.
    package enum Wake<R>: ~Copyable {
        /// It is done, with a result.
        case done(R)
        /// It sleeps until another thread rings, for at most this many nanoseconds; `nil` for no limit.
        case sleep(Int64?)
        /// It wakes the other sleepers, and looks again.
        case tell
    }

    /// Looks at the state again and again until `body` has a result, and sleeps between.
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
                // A year is as good as any longer time.
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
