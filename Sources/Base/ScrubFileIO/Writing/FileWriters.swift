internal import CScrubSparseFiles
internal import Glibc

extension FileFacts {
    /// Returns whether a process on this machine has a file open for writing. `nil` if the system does not report this,
    /// as for other users' files and on file systems without leases.
    ///
    /// Cost: a few system calls. A process that opens the file for writing at this moment waits for a few microseconds.
    package static func hasWriter(_ path: String) -> Bool? {
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        defer { close(opened) }
        let answer = scrub_has_writer(opened)
        return answer < 0 ? nil : answer == 1
    }

    /// Returns whether nothing with this name exists, as opposed to a file that may not be examined or a disk that does
    /// not respond.
    package static func isAbsent(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe lstat(path, &facts) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }
}
