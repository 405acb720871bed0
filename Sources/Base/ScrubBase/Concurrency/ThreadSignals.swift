internal import Glibc

/// The signal masks of threads that this library starts, so that a program's handlers run on the program's own threads.
enum ThreadSignals {
    /// The signals that a thread causes itself and must receive, and the profiling signal. Writes that may encounter a
    /// pipe without readers block SIGPIPE themselves.
    private static let own = [
        SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF,
    ]

    /// Runs code that starts a thread, with all other signals blocked. The new thread has that mask from its first
    /// instruction, and the calling thread's own mask is then restored.
    static func whileBlocked(_ body: () -> Int32) -> Int32 {
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&blocked)
        for number in own { unsafe sigdelset(&blocked, number) }
        guard unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0 else { return body() }
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}
