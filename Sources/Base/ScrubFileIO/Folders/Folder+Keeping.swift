internal import Glibc
package import ScrubBase
internal import SystemPackage

extension Folder {
    /// Opens a folder that belongs to this user and into which no other user may write; it is not followed when it is a
    /// link.
    ///
    /// - Returns: its descriptor, to be closed by the caller.
    /// - Throws: ``ScrubError/Code/unavailable`` when another user owns it or may write into it.
    package static func openPrivate(_ path: String) throws(ScrubError) -> Int32 {
        guard !path.utf8.contains(0) else { throw ScrubError(.inputOutput, "is not the name of a folder", file: path) }
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            let reason = Errno(rawValue: errno)
            let what =
                reason == .notDirectory || reason == .tooManySymbolicLinkLevels
                ? "is a link or no folder" : "the folder cannot be opened: \(reason.description)"
            throw ScrubError(.unavailable, what, file: path, advice: "give another folder, of your own")
        }
        var facts = stat()
        guard unsafe fstat(opened, &facts) == 0, facts.st_uid == geteuid() else {
            close(opened)
            throw ScrubError(
                .unavailable, "the folder belongs to another user", file: path,
                advice: "give another folder, of your own (SCRUB_CACHE_DIR for the cache)")
        }
        guard facts.st_mode & 0o022 == 0 else {
            close(opened)
            throw ScrubError(
                .unavailable, "others may write into the folder", file: path, advice: "chmod go-w it, or remove it")
        }
        return opened
    }

    /// Waits until the names in a folder are on the disk. - Returns: the error's number, nil for none.
    package static func synchronize(_ path: String) -> Int32? {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return errno }
        defer { close(opened) }
        return fsync(opened) == 0 ? nil : errno
    }

    /// Removes a file or a link. - Returns: the error's number, nil for none.
    package static func removeFile(_ path: String) -> Int32? { unlink(path) == 0 ? nil : errno }

    /// Removes a folder if nothing is in it.
    package static func removeEmpty(_ path: String) { rmdir(path) }

    /// Gives a file another name. - Returns: whether it was there and has it.
    package static func move(_ path: String, to other: String) -> Bool { rename(path, other) == 0 }

    /// Returns the names in a folder that can be read; none for another.
    package static func list(_ path: String) -> [String] { names(in: path) ?? [] }

    /// Returns the identity of a name's file: its device and its number there; nil for none. A link is not followed.
    package static func number(of path: String) -> [UInt64]? {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return [UInt64(facts.st_dev), UInt64(facts.st_ino)]
    }

    /// Returns bytes that the user may still write on a folder's file system, and its size; nil when that cannot be
    /// told.
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

/// An exclusive lock of a whole file (`flock`), made if it is not there, until it is released.
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
            throw ScrubError(system: error, .unavailable, doing: "the lock cannot be opened", file: path)
        }
        var tries = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            tries += 1
            guard tries < patience, errno == EWOULDBLOCK || errno == EINTR else {
                // `deinit` closes it.
                throw ScrubError(
                    .unavailable, "another process keeps it locked", file: path,
                    advice: "wait until that has ended, and try again")
            }
            usleep(10_000)
        }
    }

    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
