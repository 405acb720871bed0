internal import ScrubFileIO
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMediaLogic

/// The thread that waits for the kernel's memory reports.
///
/// The thread owns the files and closes them when it ends.
final class PressureWatch: Sendable {
    let origins: [String]
    private let event: WakeEvent
    private let isStopped = Locked(false)
    private let body: Locked<(@Sendable () -> Void)?>

    init(
        _ files: PressureFiles, event: WakeEvent, clock: any ScrubTransport.Clock,
        tell: @escaping @Sendable (MemoryPressureMonitor.Level) -> Void
    ) {
        (origins, self.event) = (files.origins, event)
        let isStopped = isStopped
        body = Locked({
            var loop = PressureLoop(files, clock: clock)
            while !isStopped.withLock({ $0 }) {
                if let level = loop.step(event) { tell(level) }
            }
        })
    }

    /// Starts the thread.
    func start() throws(ScrubError) {
        // From here on, only the thread holds the files.
        guard let taken = body.exchange(\.self, for: nil) else { return }
        try DedicatedThread(taken).detach()
    }

    func stop() {
        isStopped.withLock { $0 = true }
        event.signal()
    }

    func check() { event.signal() }
}

/// The thread's loop.
private struct PressureLoop {
    private var files: [(file: PolledFile, kind: PressureFiles.Kind, readings: PressureReadings)]
    private var meter = PressureMeter()
    private var level = MemoryPressureMonitor.Level.normal
    private let clock: any ScrubTransport.Clock

    init(_ files: PressureFiles, clock: any ScrubTransport.Clock) {
        self.files = files.files.map { ($0.file, $0.kind, PressureReadings()) }
        self.clock = clock
        // Earlier changes are not reported.
        for index in self.files.indices { read(index) }
    }

    /// Waits for an event.
    ///
    /// - Returns: the level, if it has changed.
    mutating func step(_ event: WakeEvent) -> MemoryPressureMonitor.Level? {
        let news = PolledFile.wait(for: files.map(\.file), or: event, milliseconds: timeout)
        for (index, news) in news.enumerated().reversed() {
            switch files[index].kind {
            case .trigger(let isCritical):
                if news == .changed { meter.note(isCritical: isCritical, now: clock.nanoseconds) }
                // Its control group was removed. A file that always fails must not keep the thread busy.
                if news == .failed || news == .changedOrFailed { files.remove(at: index) }
            case .counters, .events:
                if news == .failed { files.remove(at: index) } else { read(index) }
            }
        }
        let now = level(severity: meter.severity(now: clock.nanoseconds))
        guard now != level else { return nil }
        level = now
        return now
    }

    private mutating func read(_ index: Int) {
        guard let text = files[index].file.text() else { return }
        let now = clock.nanoseconds
        let isCritical =
            switch files[index].kind {
            case .trigger: nil as Bool?
            case .counters: files[index].readings.isCritical(pressure: text, now: now)
            case .events: files[index].readings.isCritical(events: text)
            }
        if let isCritical { meter.note(isCritical: isCritical, now: now) }
    }

    /// Milliseconds until there is work without an event; `nil` for never.
    private var timeout: Int? {
        let reading: Int? =
            files.contains { if case .counters = $0.kind { true } else { false } }
            ? Int(PressureReadings.windowMicroseconds / 1000) : nil
        let change = meter.nanosecondsToChange(now: clock.nanoseconds).map { Int($0 / 1_000_000) + 1 }
        return [reading, change].compactMap { $0 }.min()
    }

    private func level(severity: Int) -> MemoryPressureMonitor.Level {
        switch severity {
        case 0: .normal
        case 1: .warning
        default: .critical
        }
    }
}
