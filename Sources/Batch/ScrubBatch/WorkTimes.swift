internal import Glibc
internal import ScrubBase

/// The time and the computing of this thread and its process since this was made.
///
/// Use on the thread that made it.
struct WorkTimes {
    private let start = ContinuousClock.now
    private let thread = WorkTimes.of(CLOCK_THREAD_CPUTIME_ID)
    private let process = WorkTimes.of(CLOCK_PROCESS_CPUTIME_ID)

    /// Seconds that have passed.
    var seconds: Double { Double(start.duration(to: .now).wholeNanoseconds) / 1e9 }

    /// Seconds that this thread has computed.
    var threadSeconds: Double { WorkTimes.of(CLOCK_THREAD_CPUTIME_ID) - thread }

    /// Returns an estimate of the seconds that other threads have computed for this one. It is at most all of theirs,
    /// and at most the process's beside this thread.
    func otherSeconds(ofThreads count: Int) -> Double {
        let others = WorkTimes.of(CLOCK_PROCESS_CPUTIME_ID) - process - threadSeconds
        return max(0, min(seconds * Double(count), others))
    }

    private static func of(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
