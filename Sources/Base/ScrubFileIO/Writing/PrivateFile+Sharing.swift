internal import CScrubSparseFiles
internal import Glibc
internal import SystemPackage

// One writer among all processes, and any number of readers.
extension PrivateFile {
    /// The current size of the file in bytes; `nil` if unknown.
    package var byteCount: Int64? {
        var facts = stat()
        return unsafe fstat(file.rawValue, &facts) == 0 ? Int64(facts.st_size) : nil
    }

    /// Whether the name still refers to this file; false once the file was removed or replaced.
    package var isNamedStill: Bool {
        var (mine, named) = (stat(), stat())
        return unsafe fstat(file.rawValue, &mine) == 0
            && fstatat(AT_FDCWD, path, &named, AT_SYMLINK_NOFOLLOW) == 0
            && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
    }

    /// Takes the write lock, until ``unlock()`` or the end of the process. Never waits.
    ///
    /// - Returns: false if another open file has it, in this process or another one; `nil` on remote file systems and
    ///   where these locks do not exist; there, the file is read-only.
    func lock() -> Bool? {
        guard scrub_is_remote(file.rawValue) != 1 else { return nil }
        switch scrub_lock_bytes(file.rawValue, Int32(SCRUB_LOCK_EXCLUSIVE), 0, 1) {
        case 0: return true
        case EAGAIN: return false
        default: return nil
        }
    }

    /// Releases the write lock. Closing is not enough: a child between fork and exec also has the file open.
    func unlock() { _ = scrub_lock_bytes(file.rawValue, Int32(SCRUB_UNLOCK), 0, 1) }

    /// Waits until the written bytes are on disk.
    ///
    /// - Returns: false if they may not be.
    func synchronize() -> Bool { fdatasync(file.rawValue) == 0 }
}
