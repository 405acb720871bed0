import Foundation
import Glibc
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport

/// A disk that keeps synced bytes, and of the rest a random part: writes are lost, whole or in part, and in any order.
final class LossyFiles: CacheFiles {
    private struct Write: Sendable {
        let path: String
        let offset: Int64
        let before: [UInt8]
    }

    private struct Disk {
        var paths: [Int32: String] = [:]
        /// The writes since the last sync, the newest last.
        var unsynced: [Write] = []
        /// Files whose names may be lost.
        var unnamed: Set<String> = []
        var failing: Set<String> = []
    }

    private let system = SystemCacheFiles()
    private let disk = Locked(Disk())

    /// The power goes: each write since its file's last sync is there, or not, or in part.
    func losePower(_ random: inout SplitMix) {
        let (writes, unnamed) = disk.withLock { disk in
            defer { disk = Disk() }
            return (disk.unsynced, disk.unnamed.sorted())
        }
        for write in writes.reversed() {
            let kept = Int.random(in: -write.before.count...write.before.count * 2, using: &random)
            let lost = write.before.dropFirst(max(0, min(write.before.count, kept)))
            guard !lost.isEmpty, let file = FileHandle(forUpdatingAtPath: write.path) else { continue }
            try? file.seek(toOffset: UInt64(write.offset) + UInt64(write.before.count - lost.count))
            try? file.write(contentsOf: Data(lost))
            try? file.close()
        }
        for path in unnamed where random.isOne(in: 2) { unlink(path) }
    }

    func open(_ path: String, isNew: Bool) throws(SystemFailure) -> Int32 {
        let file = try system.open(path, isNew: isNew)
        disk.withLock { disk in
            disk.paths[file] = path
            if isNew { disk.unnamed.insert(path) }
        }
        return file
    }
    func close(_ file: Int32) {
        disk.withLock { $0.paths[file] = nil }
        system.close(file)
    }
    func lock(_ file: Int32, _ kind: ByteLock, _ range: Range<Int64>) throws(SystemFailure) {
        try system.lock(file, kind, range)
    }
    func reserve(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) { try system.reserve(file, range) }
    func release(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) { try system.release(file, range) }
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int {
        var before = [UInt8](repeating: 0, count: bytes.count)
        _ = before.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(offset)) }
        let (kept, count) = (before, try system.write(file, bytes, at: offset))
        disk.withLock { disk in
            disk.unsynced.append(Write(path: disk.paths[file] ?? "", offset: offset, before: kept))
        }
        return count
    }
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int
    {
        try system.read(file, into: buffer, at: offset)
    }
    func synchronize(_ file: Int32) throws(SystemFailure) {
        disk.withLock { disk in
            let path = disk.paths[file]
            disk.unsynced.removeAll { $0.path == path }
        }
    }
    func synchronize(folder: String) throws(SystemFailure) {
        disk.withLock { disk in disk.unnamed = disk.unnamed.filter { !$0.hasPrefix(folder + "/") } }
    }
    func remove(_ path: String) throws(SystemFailure) { try system.remove(path) }
    func allocated(_ file: Int32) -> Int64 { system.allocated(file) }
    func space(at folder: String) -> (free: Int64, size: Int64)? { (1 << 40, 1 << 41) }
    func step(_ step: CacheStep) {}
}
