internal import ScrubFileIO
internal import ScrubPlayersLogic
internal import ScrubBase
package import ScrubMediaLogic

extension MemoryPressureMonitor {
    /// Memory pressure on Linux, from the pressure stall information (PSI) of the machine and of the process's control
    /// group, and from that group's limits.
    ///
    /// The level is `.warning` if some work waited for memory for 150 ms within two seconds, or if the group reached
    /// its `memory.high` limit. It is `.critical` if all work waited for 100 ms within two seconds, or if the group
    /// reached its `memory.max` limit. If the kernel does not support triggers, its counters are read every two
    /// seconds. If the kernel provides neither, ``origins`` is empty and no level is reported.
    ///
    /// Thread safety: safe from any thread. While the source is running, it uses at most eight descriptors, and one
    /// thread that sleeps until the kernel reports a change or the next reading is due.
    public final class SystemSource: MemoryPressureMonitor.Source {
        private let root: String
        private let usesTriggers: Bool
        private let clock: any ScrubTransport.Clock
        private let watch = Locked<PressureWatch?>(nil)

        /// Creates a source. This does not open any file.
        public convenience init() { self.init(root: "", usesTriggers: true, clock: ScrubTransport.SystemClock()) }

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - root: a folder to use in place of `/`, with files in the same format under `proc` and the control
        ///     groups' mount point.
        ///   - usesTriggers: whether to request notifications from the kernel. Otherwise, its counters are read
        ///     periodically.
        package init(root: String, usesTriggers: Bool, clock: any ScrubTransport.Clock) {
            (self.root, self.usesTriggers, self.clock) = (root, usesTriggers, clock)
        }

        deinit { stop() }

        /// The monitored files and how they are monitored, such as `psi trigger /proc/pressure/memory`; empty before
        /// ``start(_:)``.
        public var origins: [String] { watch.withLock { $0?.origins ?? [] } }

        /// Opens the kernel's files, and starts the thread if there is anything to monitor.
        public func start(_ tell: @escaping @Sendable (MemoryPressureMonitor.Level) -> Void) throws(ScrubError) {
            let files = PressureFiles(root: root, usesTriggers: usesTriggers)
            guard !files.isEmpty else { return }
            let new = PressureWatch(files, event: try WakeEvent(), clock: clock, tell: tell)
            try new.start()
            watch.exchange(\.self, for: new)?.stop()
        }

        /// Tells the thread to close the files and end, and returns without waiting for it.
        public func stop() { watch.exchange(\.self, for: nil)?.stop() }

        /// Reads the counters now.
        package func checkNow() { watch.withLock { $0 }?.check() }
    }
}

/// The kernel's files that report memory pressure.
struct PressureFiles: Sendable {
    enum Kind: Sendable {
        /// A kernel trigger.
        case trigger(isCritical: Bool)
        /// Counters of waiting time, which are read every two seconds.
        case counters
        /// A control group's limits, reported by the kernel and also read periodically.
        case events
    }

    var files: [(file: PolledFile, kind: Kind)] = []
    var origins: [String] = []

    var isEmpty: Bool { files.isEmpty }

    init(root: String, usesTriggers: Bool) {
        addPressure("psi", root + "/proc/pressure/memory", usesTriggers)
        func text(_ path: String) -> String? {
            (try? PolledFile(path: root + path, isWritable: false))?.text(limit: 1 << 20)
        }
        guard let group = text("/proc/self/cgroup"), let mounts = text("/proc/self/mountinfo"),
            let folder = ControlGroup.folder(group: group, mounts: mounts)
        else { return }
        addPressure("cgroup", root + folder + "/memory.pressure", usesTriggers)
        let events = root + folder + "/memory.events"
        if let file = try? PolledFile(path: events, isWritable: false), file.text() != nil {
            files.append((file, .events))
            origins.append("cgroup events \(events)")
        }
    }

    private mutating func addPressure(_ name: String, _ path: String, _ usesTriggers: Bool) {
        let window = PressureReadings.windowMicroseconds
        func trigger(_ line: String, _ microseconds: Int64) -> PolledFile? {
            // Each descriptor supports only one trigger.
            guard usesTriggers, let file = try? PolledFile(path: path, isWritable: true),
                (try? file.write("\(line) \(microseconds) \(window)")) != nil
            else { return nil }
            return file
        }
        if let scarce = trigger("some", PressureReadings.scarceMicroseconds) {
            files.append((scarce, .trigger(isCritical: false)))
            if let critical = trigger("full", PressureReadings.criticalMicroseconds) {
                files.append((critical, .trigger(isCritical: true)))
            }
            origins.append("\(name) trigger \(path)")
        } else if let file = try? PolledFile(path: path, isWritable: false), file.text() != nil {
            files.append((file, .counters))
            origins.append("\(name) \(path)")
        }
    }
}
