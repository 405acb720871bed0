internal import Glibc
internal import Synchronization

/// Puts a terminal back as it was when the process is ended by a signal, which runs no other code.
///
/// Signals that somebody handles already stay his: the command's own handler for Ctrl-C and SIGTERM calls ``restoreNow()`` before it
/// lets the process end. One terminal at a time.
package enum TerminalRestore {
    // Only what a signal handler may touch: numbers, and memory that is never freed once it was armed.
    private static let descriptor = Atomic<Int32>(-1)
    private static let address = Atomic<UInt>(0)
    private static let count = Atomic<Int>(0)
    private static let input = Atomic<Int32>(-1)
    private static let settings = Atomic<UInt>(0)

    private static let signals = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGXCPU,
    ]

    /// Remembers what brings the terminal back.
    ///
    /// - Parameter saved: the settings of `input` from before, `nil` when they were not changed.
    static func arm(output: Int32, _ bytes: [UInt8], input: Int32, _ saved: termios?) {
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
        text.initialize(from: bytes, count: bytes.count)
        if let saved {
            let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
            copy.initialize(to: saved)
            settings.store(UInt(bitPattern: copy), ordering: .releasing)
        }
        self.input.store(input, ordering: .releasing)
        address.store(UInt(bitPattern: text), ordering: .releasing)
        count.store(bytes.count, ordering: .releasing)
        descriptor.store(output, ordering: .releasing)
        for number in signals {
            var before = sigaction()
            guard sigaction(number, nil, &before) == 0, before.__sigaction_handler.sa_handler == nil else { continue }
            signal(number) { number in
                TerminalRestore.restoreNow()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Forgets it: the terminal is back. Some dozen bytes stay allotted, for a signal that comes in this moment.
    static func disarm() {
        descriptor.store(-1, ordering: .releasing)
        settings.store(0, ordering: .releasing)
    }

    /// Brings the terminal back, if one is armed. For signal handlers: it calls only write(2) and tcsetattr(3).
    package static func restoreNow() {
        let output = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        guard output >= 0 else { return }
        if let text = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
            _ = write(output, text, count.load(ordering: .acquiring))
        }
        if let saved = UnsafePointer<termios>(bitPattern: settings.load(ordering: .acquiring)) {
            tcsetattr(input.load(ordering: .acquiring), TCSANOW, saved)
        }
    }
}
