/// A measure of memory pressure, from signals that repeat while memory is scarce.
///
/// A level persists for a while after its last signal, because the kernel reports each window of two seconds once, at
/// its end.
package struct PressureMeter: Sendable {
    /// The time for which a signal counts: slightly more than two windows.
    package static let holdNanoseconds: Int64 = 5_000_000_000

    /// The times of the last signals.
    private var lastScarce: Int64?
    private var lastCritical: Int64?

    package init() {}

    /// Records a signal.
    package mutating func note(isCritical: Bool, now: Int64) {
        if isCritical { lastCritical = now } else { lastScarce = now }
    }

    /// Returns the severity: 0 normal, 1 scarce, 2 critical.
    package func severity(now: Int64) -> Int {
        if PressureMeter.counts(lastCritical, now) { return 2 }
        return PressureMeter.counts(lastScarce, now) ? 1 : 0
    }

    /// Returns the nanoseconds until the severity decreases if no signal arrives; `nil` if it is already normal.
    package func nanosecondsToChange(now: Int64) -> Int64? {
        let last = PressureMeter.counts(lastCritical, now) ? lastCritical : lastScarce
        guard let last, PressureMeter.counts(last, now) else { return nil }
        return PressureMeter.holdNanoseconds - (now - last)
    }

    private static func counts(_ signal: Int64?, _ now: Int64) -> Bool {
        guard let signal else { return false }
        let (age, overflow) = now.subtractingReportingOverflow(signal)
        return !overflow && age < holdNanoseconds
    }
}

/// Pressure according to the kernel's files, for systems that cannot report changes.
package struct PressureReadings: Sendable {
    /// The microseconds in two seconds that some work waited, or all of it, that count as scarce and as critical.
    package static let (scarceMicroseconds, criticalMicroseconds) = (Int64(150_000), Int64(100_000))
    /// The length of the window in microseconds. Without privileges, the kernel accepts only multiples of two seconds.
    package static let windowMicroseconds: Int64 = 2_000_000

    private var totals: (some: Int64, full: Int64, time: Int64)?
    private var events: [Substring: Int64]?

    package init() {}

    /// Evaluates the text of a `memory.pressure` file, which has microseconds since the machine or the group started.
    ///
    /// - Returns: whether the pressure is critical; `nil` without pressure.
    package mutating func isCritical(pressure text: String, now: Int64) -> Bool? {
        guard let some = PressureReadings.total("some", text) else { return nil }
        let full = PressureReadings.total("full", text) ?? 0
        defer { totals = (some, full, now) }
        guard let totals else { return nil }
        let elapsed = max(PressureReadings.windowMicroseconds, (now &- totals.time) / 1000)
        func reaches(_ growth: Int64, _ microseconds: Int64) -> Bool {
            Int128(growth) * Int128(PressureReadings.windowMicroseconds) >= Int128(microseconds) * Int128(elapsed)
        }
        if reaches(full &- totals.full, PressureReadings.criticalMicroseconds) { return true }
        return reaches(some &- totals.some, PressureReadings.scarceMicroseconds) ? false : nil
    }

    /// Evaluates the text of a `memory.events` file, which counts how often the group's limits were reached.
    ///
    /// - Returns: whether a limit is critical; `nil` if none was reached since the last time. `high` only slows down;
    ///   after `max`, programs are killed.
    package mutating func isCritical(events text: String) -> Bool? {
        var counts: [Substring: Int64] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let count = Int64(parts[1]) { counts[parts[0]] = count }
        }
        defer { events = counts }
        guard let before = events else { return nil }
        func grew(_ name: Substring) -> Bool { counts[name, default: 0] > before[name, default: 0] }
        if grew("max") || grew("oom") || grew("oom_kill") { return true }
        return grew("high") ? false : nil
    }

    /// Returns the `total` of a pressure line.
    private static func total(_ name: String, _ text: String) -> Int64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first.map({ $0 == name }) == true else { continue }
            return words.last { $0.hasPrefix("total=") }.flatMap { Int64($0.dropFirst(6)) }
        }
        return nil
    }
}
