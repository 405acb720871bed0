import Glibc
import ScrubMediaCache
import ScrubBase

/// The system's calls, some of which fail when a test says so, and which can end the process at a numbered step.
final class FaultyFiles: CacheFiles {
    enum Call: String, CaseIterable, Sendable {
        case open, lock, reserve, write, read, synchronize, folder, remove, record
    }

    private struct Plan {
        var failures: [Call: Int32] = [:]
        var shortWrites = false
        var free: (free: Int64, size: Int64)?
        /// After how many steps the process kills itself.
        var stepsLeft: Int?
        var killsAt: CacheStep?
        var steps: [CacheStep] = []
        var opened: Set<Int32> = []
        var strangers = 0
    }

    private let system = SystemCacheFiles()
    private let plan = Locked(Plan())

    init() {}

    /// Makes a call fail from now on; nil mends it.
    func fail(_ call: Call, with number: Int32?) { plan.withLock { $0.failures[call] = number } }
    /// Writes give less than they were given.
    func writeLittle() { plan.withLock { $0.shortWrites = true } }
    func set(free: Int64?, size: Int64 = 1 << 40) { plan.withLock { $0.free = free.map { ($0, size) } } }
    /// The process kills itself before this many steps more, or at a step.
    func kill(afterSteps count: Int) { plan.withLock { $0.stepsLeft = count } }
    func kill(at step: CacheStep) { plan.withLock { $0.killsAt = step } }
    var steps: [CacheStep] { plan.withLock { $0.steps } }
    /// Files that are open now.
    var openCount: Int { plan.withLock { $0.opened.count } }
    /// The number of times that a file was closed that was not open: by then it may be another thread's file.
    var strangersClosed: Int { plan.withLock { $0.strangers } }

    private func check(_ call: Call) throws(SystemFailure) {
        if let number = plan.withLock({ $0.failures[call] }) { throw SystemFailure(number) }
    }

    func open(_ path: String, isNew: Bool) throws(SystemFailure) -> Int32 {
        try check(.open)
        let file = try system.open(path, isNew: isNew)
        plan.withLock { _ = $0.opened.insert(file) }
        return file
    }
    func close(_ file: Int32) {
        plan.withLock { if $0.opened.remove(file) == nil { $0.strangers += 1 } }
        system.close(file)
    }
    func lock(_ file: Int32, _ kind: ByteLock, _ range: Range<Int64>) throws(SystemFailure) {
        if kind == .exclusive { try check(.lock) }
        try system.lock(file, kind, range)
    }
    func reserve(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) {
        try check(.reserve)
        try system.reserve(file, range)
    }
    func release(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) { try system.release(file, range) }
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int {
        try check(.write)
        let isShort = plan.withLock { $0.shortWrites }
        let part = isShort ? UnsafeRawBufferPointer(rebasing: bytes[..<((bytes.count + 1) / 2)]) : bytes
        return try system.write(file, part, at: offset)
    }
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int
    {
        try check(.read)
        return try system.read(file, into: buffer, at: offset)
    }
    func synchronize(_ file: Int32) throws(SystemFailure) {
        try check(.synchronize)
        try system.synchronize(file)
    }
    func synchronize(folder: String) throws(SystemFailure) {
        try check(.folder)
        try system.synchronize(folder: folder)
    }
    func remove(_ path: String) throws(SystemFailure) {
        try check(.remove)
        try system.remove(path)
    }
    func allocated(_ file: Int32) -> Int64 { system.allocated(file) }
    func space(at folder: String) -> (free: Int64, size: Int64)? {
        plan.withLock { $0.free } ?? system.space(at: folder)
    }
    func step(_ step: CacheStep) throws(SystemFailure) {
        let dies = plan.withLock { plan -> Bool in
            plan.steps.append(step)
            if let left = plan.stepsLeft { plan.stepsLeft = left - 1 }
            return plan.killsAt == step || plan.stepsLeft == 0
        }
        if dies { raise(SIGKILL) }
        if step == .record { try check(.record) }
    }
}
