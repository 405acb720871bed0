#if CommandLine
internal import ScrubFileIO
internal import Glibc

/// The facts with which the process was started, and its end.
enum Process {
    /// The words of the command line, each standing for its very bytes (``SystemName``): Swift's own would be repaired.
    static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap {
            unsafe CommandLine.unsafeArgv[$0].map { unsafe String(systemName: $0) }
        }
    }

    /// Makes the process behave as other tools do, under any parent.
    static func prepare() {
        // A reader of standard output that has seen enough ends the process silently, also under a parent that
        // ignores the signal, as some programs and their children do.
        signal(SIGPIPE, SIG_DFL)
        // A file that may no longer grow (`ulimit -f`) is a write that fails, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        Interrupt.prepare()
        // The process runs a single command. Files that it has read stay protected after they are closed.
        ReadFiles.keepForGood()
        // A file opened later must not become standard output because that was closed. Reading from it, or writing to
        // it, fails as it does for a closed one.
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(number, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Ends the process at once: no destructor of a library is run.
    static func end(_ status: Int32 = 0) -> Never {
        // Commands have seen to their own output; this is for the output of other code.
        fflush(nil)
        _exit(status)
    }
}
#endif
