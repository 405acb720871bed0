/// The scarcity of memory, from signals that come again and again as long as it is scarce.
///
/// A level stays for a while after its last signal, because the kernel reports each window of two seconds once, when
/// it is over.
package struct PressureMeter: Sendable {
    /// The time that a signal counts: two windows and a bit.
    package static let holdNanoseconds: Int64 = 5_000_000_000

    /// The times of the last signals.
    private var lastScarce: Int64?
    private var lastCritical: Int64?

    package init() {}

    /// A signal came.
    package mutating func note(isCritical: Bool, now: Int64) {
        if isCritical { lastCritical = now } else { lastScarce = now }
    }

    /// 0: enough, 1: scarce, 2: critical.
    package func severity(now: Int64) -> Int {
        if PressureMeter.counts(lastCritical, now) { return 2 }
        return PressureMeter.counts(lastScarce, now) ? 1 : 0
    }

    /// Returns nanoseconds until the severity goes down if nothing comes; nil when there is nothing to wait for.
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

/// Pressure by the kernel's files, for systems that cannot report changes.
package struct PressureReadings: Sendable {
    /// Of two seconds, the microseconds that some work waited, or all of it, that count as scarce and as critical.
    package static let (scarceMicroseconds, criticalMicroseconds) = (Int64(150_000), Int64(100_000))
    /// The time that they are of, in microseconds: without privileges the kernel takes multiples of two seconds only.
    package static let windowMicroseconds: Int64 = 2_000_000

    private var totals: (some: Int64, full: Int64, time: Int64)?
    private var events: [Substring: Int64]?

    package init() {}

    /// Takes a `memory.pressure` file's text: microseconds since the machine or the group began.
    ///
    /// - Returns: nil without pressure, else whether it is critical.
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

    /// Takes a `memory.events` file's text: how often the group's limits were reached.
    ///
    /// - Returns: nil when none was reached since the last time, else whether one is critical: `high` only slows down,
    ///   after `max` programs are ended.
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

    /// Returns the `total` of a line of pressure.
    private static func total(_ name: String, _ text: String) -> Int64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first.map({ $0 == name }) == true else { continue }
            return words.last { $0.hasPrefix("total=") }.flatMap { Int64($0.dropFirst(6)) }
        }
        return nil
    }
}
