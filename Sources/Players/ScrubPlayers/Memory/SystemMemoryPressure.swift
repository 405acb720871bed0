internal import ScrubFileIO
internal import ScrubPlayersLogic
internal import ScrubBase
package import ScrubMediaLogic

extension MemoryPressure {
    /// Memory pressure on Linux, from the pressure stall information of the machine and of the program's own control
    /// group, and from that group's limits.
    ///
    /// The level is a warning if work waits for memory for 150 ms within two seconds. It is critical if all work waits
    /// for 100 ms within two seconds, or if the group is at its hard limit. If the kernel does not support triggers,
    /// its counters are read every two seconds. If it supports neither, ``origins`` is empty and no level is reported.
    ///
    /// Thread safety: safe from any thread. While it runs, it uses one thread, which sleeps until the kernel reports
    /// something, and at most eight descriptors.
    public final class SystemSource: MemoryPressure.Source {
        private let root: String
        private let usesTriggers: Bool
        private let clock: any ScrubTransport.Clock
        private let watch = Locked<PressureWatch?>(nil)

        /// Creates a source. It does not open any file yet.
        public convenience init() { self.init(root: "", usesTriggers: true, clock: ScrubTransport.SystemClock()) }

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - root: a folder prefix for `/proc` and the control groups' mount, with files like theirs.
        ///   - usesTriggers: whether to request notifications from the kernel. Otherwise, its counters are read.
        package init(root: String, usesTriggers: Bool, clock: any ScrubTransport.Clock) {
            (self.root, self.usesTriggers, self.clock) = (root, usesTriggers, clock)
        }

        deinit { stop() }

        /// The monitored files and how they are monitored, such as `psi trigger /proc/pressure/memory`; empty before
        /// ``start(_:)``.
        public var origins: [String] { watch.withLock { $0?.origins ?? [] } }

        /// Opens the kernel's files and starts the thread, if there is anything to monitor.
        public func start(_ tell: @escaping @Sendable (MemoryPressure.Level) -> Void) throws(ScrubError) {
            let files = PressureFiles(root: root, usesTriggers: usesTriggers)
            guard !files.isEmpty else { return }
            let new = PressureWatch(files, event: try WakeEvent(), clock: clock, tell: tell)
            try new.start()
            watch.exchange(\.self, for: new)?.stop()
        }

        /// Stops the thread and closes the files soon, without waiting for either.
        public func stop() { watch.exchange(\.self, for: nil)?.stop() }

        /// Reads the counters now.
        package func checkNow() { watch.withLock { $0 }?.check() }
    }
}

/// The kernel's files that report memory pressure.
struct PressureFiles: Sendable {
    enum Kind: Sendable {
        /// A trigger of the kernel.
        case trigger(isCritical: Bool)
        /// Waiting times that are read every two seconds.
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
            // A descriptor supports one trigger.
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
