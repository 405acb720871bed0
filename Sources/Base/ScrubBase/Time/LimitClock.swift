internal import Glibc
internal import Synchronization

/// The clock of limits on time: it stands still while the process does.
///
/// A process that the user stops (Ctrl-Z), a machine that sleeps, or one whose processors all do something else is no
/// reason to refuse a file. Between two looks at this clock at most a quarter of a second counts for which the
/// process had no processor. Time in ``waiting(_:)`` counts in full.
///
/// Thread safety: safe from any thread.
package enum LimitClock {
    /// Nanoseconds since the process began to count.
    package static var now: Int64 {
        let wall = Deadline.now
        // Most looks come soon after another one, and need no look at the processors' time.
        if wall - looked.load(ordering: .relaxed) < pause { return wall - leftOut.load(ordering: .relaxed) }
        return look(wall)
    }

    /// Returns a moment of this clock, at most the last one.
    package static func after(_ limit: Duration) -> Int64 {
        let (end, isNever) = now.addingReportingOverflow(limit.wholeNanoseconds)
        return isNever ? .max : end
    }

    /// Waits for a disk or a network, for which a limit counts too. A wait in parts of less than a quarter of a second,
    /// with a look at this clock between them, needs no such call.
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

    /// The rule, without the system's clocks.
    struct Course: Sendable {
        private var wall: Int64 = 0
        private var processor: Int64 = 0
        /// Nanoseconds that do not count.
        private(set) var leftOut: Int64 = 0

        /// - Parameters:
        ///   - wall: nanoseconds of a clock that never stands still.
        ///   - processor: nanoseconds for which the process had processors.
        ///   - isWaiting: whether a thread waits for something that counts.
        mutating func look(wall: Int64, processor: Int64, isWaiting: Bool) {
            let counted = LimitClock.pause + max(0, processor - self.processor)
            // Another thread may have come first with a later time.
            if !isWaiting { leftOut += max(0, wall - self.wall - counted) }
            (self.wall, self.processor) = (max(wall, self.wall), max(processor, self.processor))
        }
    }

    /// Nanoseconds without a processor that count between two looks; after so many the processors' time is inspected
    /// again. If that came later, the clock could go back.
    static let pause: Int64 = 250_000_000

    private static let course = Locked(Course())
    private static let waits = Atomic(0)
    /// The last look, and what does not count, so that most looks take no lock.
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
