internal import Glibc

/// The signals of threads that this library starts: a program's handlers run on the program's own threads.
enum ThreadSignals {
    /// Signals that a thread brings about itself, which are its own in any case, and that of profilers. Writes that
    /// may meet a pipe without readers hold SIGPIPE back themselves.
    private static let own = [
        SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF,
    ]

    /// Runs something that starts a thread, with all other signals blocked: the thread has that mask from its first
    /// instruction on, and the calling thread its own again afterwards.
    static func whileBlocked(_ body: () -> Int32) -> Int32 {
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&blocked)
        for number in own { unsafe sigdelset(&blocked, number) }
        guard unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0 else { return body() }
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}
