internal import CScrubSparseFiles
internal import Glibc

extension FileFacts {
    /// Whether a process on this machine has a file open for writing. `nil` if the system does not tell, for files of
    /// other users and on file systems without leases.
    ///
    /// Cost: some system calls. A process that opens the file for writing at this moment waits for some microseconds.
    package static func hasWriter(_ path: String) -> Bool? {
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        defer { close(opened) }
        let answer = scrub_has_writer(opened)
        return answer < 0 ? nil : answer == 1
    }

    /// Whether there is nothing of this name, as opposed to something that may not be inspected or a disk that does not
    /// answer.
    package static func isAbsent(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe lstat(path, &facts) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }
}
