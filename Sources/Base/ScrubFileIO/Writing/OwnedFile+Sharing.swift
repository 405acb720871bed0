internal import CScrubSparseFiles
internal import Glibc
internal import SystemPackage

// One writer among all processes, and any number of readers.
extension OwnedFile {
    /// Bytes of the file now; `nil` when that cannot be told.
    package var byteCount: Int64? {
        var facts = stat()
        return unsafe fstat(file.rawValue, &facts) == 0 ? Int64(facts.st_size) : nil
    }

    /// Whether its name still means this file: false once it was removed or replaced.
    package var isNamedStill: Bool {
        var (mine, named) = (stat(), stat())
        return unsafe fstat(file.rawValue, &mine) == 0
            && fstatat(AT_FDCWD, path, &named, AT_SYMLINK_NOFOLLOW) == 0
            && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
    }

    /// Takes the right to write, until ``unlock()`` or the end of the process; never waits.
    ///
    /// - Returns: false when another open file has it, in this process or another one; `nil` on file systems of other
    ///   machines and where there are no such locks: there the file is only read.
    func lock() -> Bool? {
        guard scrub_is_remote(file.rawValue) != 1 else { return nil }
        switch scrub_lock_bytes(file.rawValue, Int32(SCRUB_LOCK_EXCLUSIVE), 0, 1) {
        case 0: return true
        case EAGAIN: return false
        default: return nil
        }
    }

    /// Releases the right to write. Closing is not enough: a child between fork and exec has the open file, too.
    func unlock() { _ = scrub_lock_bytes(file.rawValue, Int32(SCRUB_UNLOCK), 0, 1) }

    /// Waits until the bytes that were written are on the disk.
    ///
    /// - Returns: false when they may not be.
    func synchronize() -> Bool { fdatasync(file.rawValue) == 0 }
}
