import Glibc
import ScrubBase
import ScrubMediaCache
import Synchronization

/// The bytes that all processes of a machine have written and none has synced: lost when the power goes, and only then.
final class ModelDisk: Sendable {
    struct Write {
        var path: String
        var offset: Int64
        /// The bytes before the write.
        var old: [UInt8]
    }

    private let unsynced = Mutex<[Write]>([])

    func add(_ write: Write) { unsynced.withLock { $0.append(write) } }

    /// A file is synced, whichever process wrote it.
    func forget(_ path: String) { unsynced.withLock { $0.removeAll { $0.path == path } } }

    /// Everything that was not synced is gone.
    func losePower() {
        let lost = unsynced.withLock { writes in
            defer { writes = [] }
            return writes
        }
        for write in lost.reversed() {
            let file = Glibc.open(write.path, O_RDWR)
            guard file >= 0 else { continue }
            _ = pwrite(file, write.old, write.old.count, off_t(write.offset))
            _ = Glibc.close(file)
        }
    }
}

/// The cache's system calls on a disk that fails, of a process that can die.
final class ModelFiles: CacheFiles {
    private struct State {
        var paths: [Int32: String] = [:]
        /// The number of calls until one fails, and its error.
        var failure: (calls: Int, number: Int32)?
        var isDead = false
        var written: Int64 = 0
    }

    private let system = SystemCacheFiles()
    private let disk: ModelDisk
    private let state = Mutex(State())

    /// A file is synced when this is true.
    private let mayFinish: TimedBell<Bool>

    init(_ disk: ModelDisk, mayFinish: TimedBell<Bool> = TimedBell(true)) {
        self.disk = disk
        self.mayFinish = mayFinish
    }

    /// The call after so many fails, once.
    func fail(after calls: Int, _ number: Int32) { state.withLock { $0.failure = (calls, number) } }

    /// The process is dead: nothing it does from now on comes to the disk. Its written bytes stay with the system.
    func die() { state.withLock { $0.isDead = true } }

    /// Counts a call, and lets it fail when it is its turn.
    private func call() throws(SystemFailure) {
        let number = state.withLock { state -> Int32? in
            if state.isDead { return EIO }
            guard let failure = state.failure else { return nil }
            guard failure.calls <= 0 else {
                state.failure?.calls -= 1
                return nil
            }
            state.failure = nil
            return failure.number
        }
        if let number { throw SystemFailure(number) }
    }

    func open(_ path: String, isNew: Bool) throws(SystemFailure) -> Int32 {
        try call()
        let file = try system.open(path, isNew: isNew)
        state.withLock { $0.paths[file] = path }
        return file
    }

    func close(_ file: Int32) {
        state.withLock { $0.paths[file] = nil }
        system.close(file)
    }

    func lock(_ file: Int32, _ kind: ByteLock, _ range: Range<Int64>) throws(SystemFailure) {
        if case .none = kind {} else { try call() }
        try system.lock(file, kind, range)
    }

    func reserve(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) {
        try call()
        try system.reserve(file, range)
    }

    func release(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) {
        try call()
        try system.release(file, range)
    }

    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int {
        try call()
        var old = [UInt8](repeating: 0, count: bytes.count)
        _ = try? old.withUnsafeMutableBytes { buffer throws(SystemFailure) in
            try system.read(file, into: buffer, at: offset)
        }
        if let path = state.withLock({ $0.paths[file] }) {
            disk.add(ModelDisk.Write(path: path, offset: offset, old: old))
        }
        return try system.write(file, bytes, at: offset)
    }

    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int
    {
        try call()
        return try system.read(file, into: buffer, at: offset)
    }

    /// Nothing is really synced: it only counts that nothing is forgotten later.
    func synchronize(_ file: Int32) throws(SystemFailure) {
        mayFinish.wait { $0 ? .done(()) : .sleep(nil) }
        try call()
        if let path = state.withLock({ $0.paths[file] }) { disk.forget(path) }
    }

    func synchronize(folder: String) throws(SystemFailure) { try call() }

    func remove(_ path: String) throws(SystemFailure) {
        try call()
        disk.forget(path)
        try system.remove(path)
    }

    func allocated(_ file: Int32) -> Int64 { system.allocated(file) }
    func space(at folder: String) -> (free: Int64, size: Int64)? { system.space(at: folder) }
    func step(_ step: CacheStep) throws(SystemFailure) { try call() }
}
