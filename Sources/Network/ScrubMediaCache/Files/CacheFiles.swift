internal import CScrubSparseFiles
internal import ScrubFileIO
internal import Glibc
internal import SystemPackage

/// A failed system call.
package struct SystemFailure: Error, Hashable, Sendable {
    /// The system's `errno`.
    package let number: Int32

    package init(_ number: Int32) { self.number = number }
}

/// The system calls on the cache's data files, and the points in the write path where a run can end.
///
/// The cache uses ``SystemCacheFiles``. Tests use others, which fail, stop the process, or lose unsynced bytes.
///
/// Thread safety: safe from any thread.
package protocol CacheFiles: Sendable {
    /// Opens a data file for reading and writing.
    ///
    /// - Parameter isNew: whether it must not exist yet.
    func open(_ path: String, isNew: Bool) throws(SystemFailure) -> Int32
    func close(_ file: Int32)
    /// Locks bytes of the open file description, without waiting.
    func lock(_ file: Int32, _ kind: ByteLock, _ range: Range<Int64>) throws(SystemFailure)
    /// Reserves blocks. It has no effect if the file system does not support it.
    func reserve(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure)
    /// Releases blocks. Their bytes then read as zeros.
    func release(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure)
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int
    /// Waits until the bytes written to a file are on disk.
    func synchronize(_ file: Int32) throws(SystemFailure)
    /// Waits until the names in a folder are on disk.
    func synchronize(folder: String) throws(SystemFailure)
    func remove(_ path: String) throws(SystemFailure)
    /// Returns the number of bytes of the blocks that a file uses.
    func allocated(_ file: Int32) -> Int64
    /// Returns the bytes that the user may still write on a folder's file system, and its size.
    func space(at folder: String) -> (free: Int64, size: Int64)?
    /// Called before each step of the write path.
    func step(_ step: CacheStep) throws(SystemFailure)
}

/// A lock on bytes.
package enum ByteLock: Sendable { case none, shared, exclusive }

/// The numbered steps of adding a piece to the cache, and of removing a medium.
package enum CacheStep: String, CaseIterable, Sendable {
    case create, pin, claim, reserve, write, synchronize, synchronizeFolder, record, recorded, release
    case evictLock, evictRecord, evictUnlink, evicted
}

/// The system's own calls.
package struct SystemCacheFiles: CacheFiles {
    package init() {}

    package func open(_ path: String, isNew: Bool) throws(SystemFailure) -> Int32 {
        do {
            let options: FileDescriptor.OpenOptions =
                isNew ? [.closeOnExec, .noFollow, .create, .exclusiveCreate] : [.closeOnExec, .noFollow]
            return try FileDescriptor.open(
                FilePath(systemName: path), .readWrite, options: options,
                permissions: isNew ? .ownerReadWrite : nil
            ).rawValue
        } catch {
            throw SystemFailure((error as? Errno)?.rawValue ?? EIO)
        }
    }

    package func close(_ file: Int32) { _ = Glibc.close(file) }

    package func lock(_ file: Int32, _ kind: ByteLock, _ range: Range<Int64>) throws(SystemFailure) {
        let code =
            switch kind {
            case .none: SCRUB_UNLOCK
            case .shared: SCRUB_LOCK_SHARED
            case .exclusive: SCRUB_LOCK_EXCLUSIVE
            }
        try check(scrub_lock_bytes(file, Int32(code), range.lowerBound, Int64(range.count)))
    }

    package func reserve(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) {
        let status = scrub_reserve_bytes(file, range.lowerBound, Int64(range.count))
        if status != EOPNOTSUPP, status != ENOSYS { try check(status) }
    }

    package func release(_ file: Int32, _ range: Range<Int64>) throws(SystemFailure) {
        try check(scrub_release_bytes(file, range.lowerBound, Int64(range.count)))
    }

    package func write(
        _ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(SystemFailure) -> Int {
        try unsafe check(pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)))
    }

    package func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemFailure) -> Int {
        try unsafe check(pread(file, buffer.baseAddress, buffer.count, off_t(offset)))
    }

    package func synchronize(_ file: Int32) throws(SystemFailure) {
        guard fdatasync(file) == 0 else { throw SystemFailure(errno) }
    }

    package func synchronize(folder: String) throws(SystemFailure) {
        guard let status = Folder.synchronize(folder) else { return }
        throw SystemFailure(status)
    }

    package func remove(_ path: String) throws(SystemFailure) {
        guard let status = Folder.removeFile(path) else { return }
        throw SystemFailure(status)
    }

    package func allocated(_ file: Int32) -> Int64 {
        var facts = stat()
        return unsafe fstat(file, &facts) == 0 ? Int64(facts.st_blocks) &* 512 : 0
    }

    package func space(at folder: String) -> (free: Int64, size: Int64)? { Folder.space(at: folder) }

    package func step(_ step: CacheStep) {}

    private func check(_ status: Int32) throws(SystemFailure) {
        guard status == 0 else { throw SystemFailure(status) }
    }

    private func check(_ count: Int) throws(SystemFailure) -> Int {
        guard count >= 0 else { throw SystemFailure(errno) }
        return count
    }
}
