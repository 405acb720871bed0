internal import Glibc
internal import Synchronization

/// The clock for time limits, which stops while the process is stopped.
///
/// A file must not be rejected because the user stops the process (Ctrl-Z), the machine sleeps, or all processors are
/// busy with other work. Between two readings of this clock, at most a quarter of a second without a processor counts.
/// Time in ``waiting(_:)`` counts in full.
///
/// Thread safety: safe from any thread.
package enum LimitClock {
    /// Nanoseconds since the process started counting.
    package static var now: Int64 {
        let wall = Deadline.now
        // Most readings follow soon after another one and do not need the processor time.
        if wall - looked.load(ordering: .relaxed) < pause { return wall - leftOut.load(ordering: .relaxed) }
        return look(wall)
    }

    /// Returns the moment after a duration, clamped to the last representable one.
    package static func after(_ limit: Duration) -> Int64 {
        let (end, isNever) = now.addingReportingOverflow(limit.wholeNanoseconds)
        return isNever ? .max : end
    }

    /// Waits for a disk or a network, so that the wait counts toward a limit. This call is unnecessary if the wait
    /// consists of parts shorter than a quarter of a second, with a reading of this clock in between.
    package static func waiting<Result, Failure: Error>(
        _ wait: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        waits.add(1, ordering: .relaxed)
        defer {
            _ = now
            waits.subtract(1, ordering: .relaxed)
        }
        return try wait()
    }

    /// The clock's logic, without the system's clocks.
    struct Course: Sendable {
        private var wall: Int64 = 0
        private var processor: Int64 = 0
        /// The number of nanoseconds that do not count.
        private(set) var leftOut: Int64 = 0

        /// Updates the clock from the system's clocks.
        ///
        /// - Parameters:
        ///   - wall: nanoseconds of a clock that never stops.
        ///   - processor: the process's processor time in nanoseconds.
        ///   - isWaiting: whether a thread waits for something that counts.
        mutating func look(wall: Int64, processor: Int64, isWaiting: Bool) {
            let counted = LimitClock.pause + max(0, processor - self.processor)
            // Another thread may already have stored a later time.
            if !isWaiting { leftOut += max(0, wall - self.wall - counted) }
            (self.wall, self.processor) = (max(wall, self.wall), max(processor, self.processor))
        }
    }

    /// The nanoseconds without a processor that count between two readings. After this time, the processor time is
    /// checked again; checking later could make the clock go backward.
    static let pause: Int64 = 250_000_000

    private static let course = Locked(Course())
    private static let waits = Atomic(0)
    /// The last reading and the time that does not count, so that most readings do not need a lock.
    private static let looked = Atomic<Int64>(.min / 2)
    private static let leftOut = Atomic<Int64>(0)

    private static func look(_ wall: Int64) -> Int64 {
        var time = timespec()
        let isKnown = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        let processor = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        let isWaiting = waits.load(ordering: .relaxed) > 0 || !isKnown
        return course.withLock { course in
            course.look(wall: wall, processor: processor, isWaiting: isWaiting)
            looked.store(wall, ordering: .relaxed)
            leftOut.store(course.leftOut, ordering: .relaxed)
            return wall - course.leftOut
        }
    }
}
