internal import Glibc
internal import ScrubBase

/// The elapsed time, and the processor time of this thread and its process, since this was created.
///
/// Use on the thread that created it.
struct WorkTimes {
    private let start = ContinuousClock.now
    private let thread = WorkTimes.of(CLOCK_THREAD_CPUTIME_ID)
    private let process = WorkTimes.of(CLOCK_PROCESS_CPUTIME_ID)

    /// The elapsed seconds.
    var seconds: Double { Double(start.duration(to: .now).wholeNanoseconds) / 1e9 }

    /// The processor seconds of this thread.
    var threadSeconds: Double { WorkTimes.of(CLOCK_THREAD_CPUTIME_ID) - thread }

    /// Returns an estimate of the processor seconds that other threads have spent for this one. It is at most all of
    /// theirs, and at most the process's without this thread.
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
