internal import Glibc
package import ScrubBase
internal import SystemPackage

extension Folder {
    /// Opens a folder that belongs to this user and that no other user may write to. A link is not followed.
    ///
    /// - Returns: the folder's descriptor, which the caller must close.
    /// - Throws: ``ScrubError/Code/unavailable`` if another user owns it or may write to it.
    package static func openPrivate(_ path: String) throws(ScrubError) -> Int32 {
        guard !path.utf8.contains(0) else { throw ScrubError(.inputOutput, "is not a valid folder name", file: path) }
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            let reason = Errno(rawValue: errno)
            let what =
                reason == .notDirectory || reason == .tooManySymbolicLinkLevels
                ? "is a link, or is not a folder" : "the folder cannot be opened: \(reason.description)"
            throw ScrubError(.unavailable, what, file: path, advice: "use a folder that you own")
        }
        var facts = stat()
        guard unsafe fstat(opened, &facts) == 0, facts.st_uid == geteuid() else {
            close(opened)
            throw ScrubError(
                .unavailable, "the folder belongs to another user", file: path,
                advice: "use a folder that you own (SCRUB_CACHE_DIR for the cache)")
        }
        guard facts.st_mode & 0o022 == 0 else {
            close(opened)
            throw ScrubError(
                .unavailable, "other users can write to the folder", file: path,
                advice: "run chmod go-w on it, or remove it")
        }
        return opened
    }

    /// Waits until the names in a folder are on disk. - Returns: the error number, or `nil`.
    package static func synchronize(_ path: String) -> Int32? {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return errno }
        defer { close(opened) }
        return fsync(opened) == 0 ? nil : errno
    }

    /// Removes a file or a link. - Returns: the error number, or `nil`.
    package static func removeFile(_ path: String) -> Int32? { unlink(path) == 0 ? nil : errno }

    /// Removes a folder if it is empty.
    package static func removeEmpty(_ path: String) { rmdir(path) }

    /// Renames a file. - Returns: whether it existed and was renamed.
    package static func move(_ path: String, to other: String) -> Bool { rename(path, other) == 0 }

    /// Returns the names in a folder; none if the folder cannot be read.
    package static func list(_ path: String) -> [String] { names(in: path) ?? [] }

    /// Returns the identity of a file: its device and inode number; `nil` if it does not exist. A link is not followed.
    package static func number(of path: String) -> [UInt64]? {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return [UInt64(facts.st_dev), UInt64(facts.st_ino)]
    }

    /// Returns the bytes that the user may still write on a folder's file system, and the file system's size; `nil` if
    /// unknown.
    package static func space(at path: String) -> (free: Int64, size: Int64)? {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        defer { close(opened) }
        var facts = statvfs()
        guard unsafe fstatvfs(opened, &facts) == 0 else { return nil }
        let block = UInt64(facts.f_frsize)
        func bytes(_ blocks: UInt64) -> Int64 {
            let (product, overflow) = blocks.multipliedReportingOverflow(by: block)
            return overflow ? .max : Int64(clamping: product)
        }
        return (bytes(UInt64(facts.f_bavail)), bytes(UInt64(facts.f_blocks)))
    }
}

/// An exclusive lock on a whole file (`flock`), which is created if necessary. The lock lasts until this object is
/// released.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Locks a file, or gives up.
    ///
    /// - Parameter patience: the number of attempts, ten milliseconds apart.
    package init(path: String, patience: Int = 500) throws(ScrubError) {
        do {
            descriptor = try FileDescriptor.open(
                FilePath(systemName: path), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite
            ).rawValue
        } catch {
            throw ScrubError(system: error, .unavailable, doing: "the lock file cannot be opened", file: path)
        }
        var tries = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            tries += 1
            guard tries < patience, errno == EWOULDBLOCK || errno == EINTR else {
                // `deinit` closes the descriptor.
                throw ScrubError(
                    .unavailable, "another process has locked this file", file: path,
                    advice: "wait until that process has ended, then try again")
            }
            usleep(10_000)
        }
    }

    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
