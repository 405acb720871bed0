internal import Glibc

/// A thread of the system's, for work that blocks: decoding must not hold up the threads that Swift's tasks share.
///
/// Signals that are sent to the process are blocked in it, and in the threads that it starts (``ThreadSignals``).
/// Children that are started from it must be given a mask of their own.
package final class DedicatedThread: @unchecked Sendable {
    // `@unchecked Sendable`: the handle is written once, before any other thread has the object.
    private var handle = pthread_t()

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput`` when the system has no thread left.
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
                .inputOutput, "the system starts no more threads: \(unsafe String(cString: strerror(status)))",
                advice: "end other programs, or raise the limit of threads (ulimit -u)")
        }
    }

    /// Waits until the thread has ended. Call it once, or ``detach()``.
    package func join() { pthread_join(handle, nil) }

    /// Leaves the thread to end by itself, for owners that must not wait. Call it once, or ``join()``.
    package func detach() { pthread_detach(handle) }

    /// Gives the calling thread the lowest priority: others run first, and it has what they leave. Threads that it
    /// starts have the same. It stays so to the thread's end.
    package static func lowerPriority() {
        // Linux has a nice value for each thread, and 0 names the calling one (setpriority(2), "C library/kernel
        // differences"). Not the idle class: a thread of that could keep a lock for as long as others are busy.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    }

    /// Returns the time that the calling thread has had of a processor.
    package static func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
