#if CommandLine
internal import ScrubTerminal
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import Synchronization

/// Whether the user has requested the end of the work with Ctrl-C (or SIGTERM, SIGHUP).
///
/// While an instance exists, the first signal is only a request. The owner polls it and ends in an orderly way. Without
/// an instance, and on the second signal, the process ends by the signal as usual, with two exceptions. Temporary files
/// are removed first, and a set whose files are being renamed is completed. If ending takes a while, a line tells the
/// user. A process that ends by Ctrl-C prints one line about what remains, if standard error is a terminal.
///
/// Thread safety: safe from any thread.
struct Interrupt: Sendable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    /// The signal that requested the end, 0 for none.
    private static let request = Atomic<Int32>(0)
    /// Whether there is an instance that is polled.
    private static let isHeeded = Atomic(false)
    /// The signal that ends the process.
    private static let last = Atomic<Int32>(0)
    /// The signals that the process was not told to ignore, one bit each.
    private static let taken = Atomic<Int32>(0)
    /// A semaphore's address; it is never freed.
    private static let gate = Atomic<UInt>(0)

    /// The acknowledgement; `nil` for none, for example while pictures use the terminal.
    private static let answer = Locked<(@Sendable () -> String)?>(nil)

    /// Describes what remains after Ctrl-C; `nil` to print nothing.
    private static let leaving = Locked<(@Sendable () -> String)?>({ "no partial files are left" })

    /// Sets the description of what remains after Ctrl-C; `nil` to print nothing, for programs that another program
    /// controls.
    static func leaves(_ words: (@Sendable () -> String)?) { leaving.withLock { $0 = words } }

    /// Nanoseconds until a signal is acknowledged, unless the work has ended.
    private static let patience = 300_000_000

    /// From now on, the first signal is a request, whatever its previous action.
    ///
    /// - Parameter answer: describes the remaining work, for people; `nil` to print nothing.
    init(_ answer: (@Sendable () -> String)? = { "ending" }) {
        Interrupt.answer.withLock { $0 = answer }
        Interrupt.isHeeded.store(true, ordering: .relaxed)
        for number in Interrupt.numbers where Interrupt.taken.load(ordering: .relaxed) & 1 << number != 0 {
            Glibc.signal(number, Interrupt.handler)
        }
    }

    /// The signal that requested the end; 0 for none.
    static var signal: Int32 { request.load(ordering: .relaxed) }

    /// Answers a signal with the command's own exit status: the process no longer ends by the signal.
    static func forget() { request.store(0, ordering: .relaxed) }

    /// Whether an end was requested.
    var isRequested: Bool { Interrupt.request.load(ordering: .relaxed) != 0 }

    /// Ends the work if the end was requested.
    var cancellation: Cancellation { Cancellation(within: nil) { Interrupt.request.load(ordering: .relaxed) != 0 } }

    /// Handles the signals instead of the system, except those that the process was told to ignore (`nohup`).
    static func prepare() {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        unsafe semaphore.initialize(to: sem_t())
        guard unsafe sem_init(semaphore, 0, 0) == 0 else { return }
        let address = UInt(bitPattern: semaphore)
        // Without a thread, the system's default actions apply.
        guard (try? DedicatedThread({ wait(at: address) })) != nil else { return }
        gate.store(address, ordering: .releasing)
        for number in numbers {
            var action = sigaction()
            unsafe sigaction(number, nil, &action)
            guard unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) != 1 else { continue }
            taken.bitwiseOr(1 << number, ordering: .relaxed)
            Glibc.signal(number, handler)
        }
    }

    // Only operations that are allowed in a signal handler: atomics, and `sem_post`.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        let isFirst =
            Interrupt.isHeeded.load(ordering: .relaxed)
            && Interrupt.request.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged
        if !isFirst { Interrupt.last.store(number, ordering: .releasing) }
        if let semaphore = unsafe UnsafeMutablePointer<sem_t>(bitPattern: Interrupt.gate.load(ordering: .acquiring)) {
            unsafe sem_post(semaphore)
        }
    }

    private static func wait(at address: UInt) {
        guard let semaphore = unsafe UnsafeMutablePointer<sem_t>(bitPattern: address) else { return }
        while true {
            while unsafe sem_wait(semaphore) != 0 {}
            if last.load(ordering: .acquiring) != 0 { break }
            // Most work ends earlier and prints its own line. A second signal takes effect at once.
            if unsafe waitShortly(at: semaphore) { break }
            reply()
        }
        TemporaryFileNames.removeForGood {
            // No other code runs that would restore the terminal.
            TerminalRestore.restoreNow()
            let number = last.load(ordering: .acquiring)
            sayWhatIsLeft(number)
            end(by: number)
        }
    }

    /// Waits for another signal until the acknowledgement is due.
    ///
    /// - Returns: whether a signal arrived that ends the process.
    private static func waitShortly(at semaphore: UnsafeMutablePointer<sem_t>) -> Bool {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        time.tv_nsec += patience
        if time.tv_nsec >= 1_000_000_000 {
            (time.tv_sec, time.tv_nsec) = (time.tv_sec + 1, time.tv_nsec - 1_000_000_000)
        }
        while unsafe sem_timedwait(semaphore, &time) != 0 { if errno == ETIMEDOUT { return false } }
        return last.load(ordering: .acquiring) != 0
    }

    /// Acknowledges the request.
    private static func reply() {
        guard let text = answer.withLock({ $0 })?() else { return }
        sayAlone(
            "\(text); \(signal == SIGINT ? "press Ctrl-C again to stop immediately" : "a second signal stops it immediately")"
        )
    }

    /// Writes a line to standard error in place of a progress bar and the terminal's own `^C`.
    private static func sayAlone(_ text: String) {
        Terminal.replaceBar(by: (Terminal.isWatched ? "\r\u{1B}[K" : "") + "scrub: \(text)\n")
    }

    /// Ends the process by the signal that requested it, once everything is cleaned up. If a command ends by SIGINT, a
    /// shell also ends its loop. After an exit code, the loop continues with the next file.
    ///
    /// - Parameter words: whether no line has reported the end yet.
    static func endIfRequested(saying words: Bool = true) {
        let number = request.load(ordering: .relaxed)
        guard number != 0 else { return }
        if words { sayWhatIsLeft(number) }
        end(by: number)
    }

    /// Prints one line about what remains after Ctrl-C.
    private static func sayWhatIsLeft(_ number: Int32) {
        guard number == SIGINT, Terminal.isWatched, let words = leaving.withLock({ $0 })?() else { return }
        sayAlone("stopped by Ctrl-C; \(words)")
    }

    private static func end(by number: Int32) -> Never {
        Glibc.signal(number, SIG_DFL)
        // The waiting thread blocks the signal. Unblocked here, it ends the process before `kill` returns.
        var own = sigset_t()
        unsafe sigemptyset(&own)
        unsafe sigaddset(&own, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
        kill(getpid(), number)
        // The first process of a container is not ended by signals. It ends with the status that shells give for them.
        _exit(128 + number)
    }
}
#endif
