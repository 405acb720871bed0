internal import Glibc

/// A system thread for blocking work, because decoding must not delay the threads that Swift tasks share.
///
/// Signals sent to the process are blocked in this thread and in the threads that it starts (``ThreadSignals``). Child
/// processes started from the thread must set their own signal mask.
package final class DedicatedThread: @unchecked Sendable {
    // `@unchecked Sendable`: the handle is written once, before any other thread has the object.
    private var handle = pthread_t()

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput`` if the system cannot create a thread.
    package init(_ run: @escaping @Sendable () -> Void) throws(ScrubError) {
        let body = unsafe Unmanaged.passRetained(Body(run))
        var started = pthread_t()
        let status = ThreadSignals.whileBlocked {
            unsafe pthread_create(
                &started, nil,
                { opaque in
                    guard let opaque = unsafe opaque else { return nil }
                    unsafe Unmanaged<Body>.fromOpaque(opaque).takeRetainedValue().run()
                    return nil
                }, unsafe body.toOpaque())
        }
        handle = started
        guard status == 0 else {
            unsafe body.release()
            throw ScrubError(
                .inputOutput, "the system cannot start more threads: \(unsafe String(cString: strerror(status)))",
                advice: "close other programs, or raise the thread limit (ulimit -u)")
        }
    }

    /// Waits until the thread has ended. Call either this or ``detach()``, once.
    package func join() { pthread_join(handle, nil) }

    /// Lets the thread end by itself, for owners that must not wait. Call either this or ``join()``, once.
    package func detach() { pthread_detach(handle) }

    /// Gives the calling thread the lowest priority, so that it runs only when other threads leave processor time.
    /// Threads that it starts inherit the priority, which lasts until the thread ends.
    package static func lowerPriority() {
        // On Linux, each thread has its own nice value, and 0 means the calling thread (setpriority(2), "C
        // library/kernel differences"). The idle class is not used, because an idle-class thread could hold a lock for
        // as long as other threads are busy.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    }

    /// Returns the processor time that the calling thread has used.
    package static func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
