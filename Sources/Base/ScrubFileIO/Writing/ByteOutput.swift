internal import Glibc
package import ScrubBase
internal import SystemPackage

/// The target of a stream of bytes: a file that appears either complete or not at all, or a descriptor, such as a pipe
/// or a terminal.
///
/// Writes are complete: interrupted, short and refused writes (to a non-blocking descriptor) are continued. If the
/// reader has closed its end, the result is a separate error (`EPIPE`) and no signal, however the process handles
/// `SIGPIPE`.
///
/// Use from one thread at a time. Writing may block while the reader does not read.
package final class ByteOutput {
    /// The output's name in errors.
    package let name: String
    /// The number of bytes written so far.
    package private(set) var byteCount: Int64 = 0
    private var file: AtomicFileWriter?
    private let descriptor: Int32
    private let closes: Bool

    /// Creates an output that writes to a descriptor, which the caller still owns.
    package init(descriptor: Int32, name: String) {
        (self.descriptor, self.name, closes) = (descriptor, name, false)
        file = nil
    }

    /// Creates an output for a path. An existing target that is not a regular file, such as a named pipe or
    /// `/dev/stdout`, is opened and written to. A regular file, new or existing, gets its name in ``finish()``.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput`` if it cannot be created or opened.
    package init(_ output: OutputFile) throws(ScrubError) {
        let path = output.path
        name = path
        guard ByteOutput.isWrittenInto(path) else {
            (descriptor, closes) = (-1, false)
            file = try AtomicFileWriter(output)
            return
        }
        if let own = ByteOutput.ownDescriptor(path) {
            try OutputFile.check(descriptor: own, name: path)
            (descriptor, closes) = (own, false)
            file = nil
            return
        }
        let opened = ScrubFileIO.open(path, O_WRONLY | O_CLOEXEC)
        guard opened >= 0 else {
            throw ScrubError(
                system: Errno(rawValue: errno), .inputOutput, doing: "cannot be written", file: path)
        }
        // A file that has taken the name in the meantime is not written to.
        var facts = stat()
        guard unsafe fstat(opened, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG else {
            close(opened)
            throw ScrubError(
                .inputOutput, "was replaced by another file in the meantime", file: path, advice: "try again")
        }
        (descriptor, closes) = (opened, true)
        file = nil
    }

    /// Returns whether the path is a device or pipe. Replacing it with a file would take it away from all other
    /// processes.
    static func isWrittenInto(_ path: String) -> Bool {
        if ownDescriptor(path) != nil { return true }
        var facts = stat()
        // A name with a NUL would be truncated and refer to a different file. Links are followed, because /dev/stdout
        // is one.
        guard !path.utf8.contains(0), unsafe fstatat(AT_FDCWD, path, &facts, 0) == 0 else { return false }
        return facts.st_mode & S_IFMT != S_IFREG
    }

    /// Returns the descriptor of this process that a path refers to, such as `/dev/stdout`, even if a shell redirected
    /// it to a file.
    private static func ownDescriptor(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
                guard let number = Int32(path.dropFirst(prefix.count)), number >= 0, fcntl(number, F_GETFD) >= 0 else {
                    return nil
                }
                return number
            }
            return nil
        }
    }

    deinit { if closes { close(descriptor) } }

    /// Makes a pipe as large as users are allowed to (`/proc/sys/fs/pipe-max-size`), so that its reader is woken a
    /// sixteenth as often. Other files are left as they are.
    package func widenPipe() {
        // F_SETPIPE_SZ of <linux/fcntl.h>.
        if descriptor >= 0 { _ = fcntl(descriptor, 1031, 1 << 20) }
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput``; some of the bytes may then have been written.
    package func write(_ bytes: [UInt8]) throws(ScrubError) {
        if file != nil {
            try file?.append(bytes.span)
        } else {
            let failure = unsafe bytes.withUnsafeBytes { bytes in
                BrokenPipe.unsignalled { unsafe ByteOutput.write(bytes, to: descriptor) }
            }
            if let failure {
                throw ScrubError(
                    system: failure, .inputOutput,
                    doing: failure == .brokenPipe ? "the reader has closed it" : "cannot be written", file: name)
            }
        }
        byteCount += Int64(bytes.count)
    }

    /// Gives a file its final name. No more bytes can be written afterward.
    package func finish() throws(ScrubError) {
        guard let file = file.take() else { return }
        try file.commit()
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Errno? {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                unsafe rest = unsafe rest.dropFirst(count)
                continue
            }
            let reason = count == 0 ? Errno.ioError : Errno(rawValue: errno)
            switch reason {
            case .interrupted: continue
            case .wouldBlock, .resourceTemporarilyUnavailable:
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wanted, 1, -1)
            default: return reason
            }
        }
        return nil
    }
}

/// Writes to a pipe without readers without raising the signal that kills the process, because a library must not
/// decide that.
enum BrokenPipe {
    /// Runs a write with the signal blocked in this thread. Any resulting signal is discarded.
    static func unsignalled(_ body: () -> Errno?) -> Errno? {
        var (signal, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        // A signal that was already pending belongs to other code.
        unsafe sigpending(&pending)
        guard unsafe sigismember(&pending, SIGPIPE) == 0, unsafe pthread_sigmask(SIG_BLOCK, &signal, &before) == 0
        else {
            return body()
        }
        let failure = body()
        if failure == .brokenPipe {
            var now = timespec(tv_sec: 0, tv_nsec: 0)
            while unsafe sigtimedwait(&signal, nil, &now) < 0, errno == EINTR {}
        }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        return failure
    }
}
