import Foundation
import ScrubBase
import ScrubPlayers
import ScrubMediaLogic
import ScrubTestSupport
import Testing

/// One at a time: they count the process's descriptors and threads.
@Suite(.serialized) struct MemoryPressureTests {
    private func fakeTree(cgroup: Bool = true, pressure: Bool = true) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["/proc/self", "/proc/pressure", "/sys/fs/cgroup/a b"] {
            try FileManager.default.createDirectory(atPath: folder.path + name, withIntermediateDirectories: true)
        }
        if cgroup {
            try folder.write("0::/a b\n".utf8, to: "proc/self/cgroup")
            try folder.write(
                "22 1 0:21 / /proc rw - proc proc rw\n30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
                    .utf8, to: "proc/self/mountinfo")
            try events(folder, high: 0, max: 0)
        }
        if pressure { try self.pressure(folder, 0, 0) }
        return folder
    }

    private func pressure(_ folder: TemporaryFolder, _ some: Int, _ full: Int) throws {
        // In place: the thread has the file open.
        let file = try open(folder.path + "/proc/pressure/memory")
        try file.write(contentsOf: Data("some avg10=0 total=\(some)\nfull avg10=0 total=\(full)\n".utf8))
        try file.close()
    }

    private func events(_ folder: TemporaryFolder, high: Int, max: Int) throws {
        let file = try open(folder.path + "/sys/fs/cgroup/a b/memory.events")
        try file.write(contentsOf: Data("low 0\nhigh \(high)\nmax \(max)\n".utf8))
        try file.close()
    }

    private func open(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) {
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
        }
        return try #require(FileHandle(forWritingAtPath: path))
    }

    @Test func levelsOfAFakeSource() async throws {
        let source = MemoryPressureMonitor.ManualSource()
        let pressure = MemoryPressureMonitor(source: source)
        source.send(.critical)
        #expect(pressure.level == .normal, "not started")
        try pressure.start()
        var (first, second) = (pressure.levels.makeAsyncIterator(), pressure.levels.makeAsyncIterator())
        #expect(await first.next() == .normal)
        source.send(.warning)
        source.send(.critical)
        #expect(await first.next() == .critical, "the newest")
        #expect(await second.next() == .critical)
        #expect(pressure.level == .critical && pressure.origins == ["manual"])
        #expect(MemoryPressureMonitor.Level.normal < .warning && .warning < .critical)
        pressure.stop()
        #expect(await first.next() == nil)
        source.send(.normal)
        #expect(pressure.level == .critical && pressure.subscriberCount == 0)
    }

    @Test func endsWithItsOwner() async throws {
        var pressure: MemoryPressureMonitor? = MemoryPressureMonitor(source: MemoryPressureMonitor.ManualSource())
        try pressure?.start()
        weak let watched = pressure
        var levels = pressure?.levels.makeAsyncIterator()
        pressure = nil
        #expect(watched == nil)
        #expect(await levels?.next() == .normal)
        #expect(await levels?.next() == nil)
    }

    @Test func aFakeTreeIsRead() async throws {
        let folder = try fakeTree()
        let clock = ScrubTransport.ManualClock()
        let source = MemoryPressureMonitor.SystemSource(root: folder.path, usesTriggers: false, clock: clock)
        let pressure = MemoryPressureMonitor(source: source)
        #expect(pressure.origins.isEmpty)
        try pressure.start()
        try pressure.start()
        #expect(
            pressure.origins == [
                "psi \(folder.path)/proc/pressure/memory",
                "cgroup events \(folder.path)/sys/fs/cgroup/a b/memory.events",
            ])
        /// Reads until the level is there: the level that the thread has read before the change is not news to it.
        func reaches(_ level: MemoryPressureMonitor.Level, _ change: (Int) throws -> Void) async throws {
            var round = 0
            while pressure.level != level {
                round += 1
                try change(round)
                source.checkNow()
                for _ in 0..<1000 where pressure.level != level { await Task.yield() }
            }
        }
        try await reaches(.warning) { try self.pressure(folder, 200_000 * $0, 0) }
        clock.advance(by: .seconds(6))
        try await reaches(.normal) { _ in }
        try await reaches(.warning) { try events(folder, high: $0, max: 0) }
        try await reaches(.critical) { try events(folder, high: 1_000_000, max: $0) }
        clock.advance(by: .seconds(6))
        try await reaches(.normal) { _ in }
    }

    @Test func nothingToWatchIsOff() throws {
        let folder = try fakeTree(cgroup: false, pressure: false)
        let pressure = MemoryPressureMonitor(
            source: MemoryPressureMonitor.SystemSource(
                root: folder.path, usesTriggers: true, clock: ScrubTransport.ManualClock()))
        try pressure.start()
        #expect(pressure.origins.isEmpty && pressure.level == .normal)
    }

    /// With this machine's means: triggers, counters or nothing.
    @Test func threadsAndDescriptorsEnd() async throws {
        // The thread alone owns the files: they close when it ends.
        @Sendable func openFiles() -> Int {
            TemporaryFolder.names("/proc/self/fd").count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return target.map { $0.contains("/memory") && !$0.contains("scrub-test") } == true
            }
        }
        let before = openFiles()
        for _ in 0..<50 {
            let pressure = MemoryPressureMonitor()
            try pressure.start()
            if let known = pressure.origins.first { #expect(known.contains("memory")) }
        }
        await until { openFiles() == before }
    }
}
