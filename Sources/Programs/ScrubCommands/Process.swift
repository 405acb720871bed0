#if CommandLine
internal import ScrubFileIO
internal import Glibc

/// The process's arguments, and its end.
enum Process {
    /// The words of the command line, each with its exact bytes (``SystemName``): Swift's own strings would be
    /// repaired.
    static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap {
            unsafe CommandLine.unsafeArgv[$0].map { unsafe String(systemName: $0) }
        }
    }

    /// Makes the process behave as other tools do, under any parent.
    static func prepare() {
        // If a reader closes standard output, the process ends silently, even under a parent that ignores the signal,
        // as some programs and their children do.
        signal(SIGPIPE, SIG_DFL)
        // A file that may no longer grow (`ulimit -f`) causes a failed write, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        Interrupt.prepare()
        // The process runs a single command. Files that it has read stay protected after they are closed.
        InputFileRegistry.keepForGood()
        // A file opened later must not become standard output because that was closed. Reading from it, or writing to
        // it, fails as it does for a closed one.
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(number, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Ends the process at once, without running any library's destructors.
    static func end(_ status: Int32 = 0) -> Never {
        // Commands have already flushed their own output; this is for the output of other code.
        fflush(nil)
        _exit(status)
    }
}
#endif
