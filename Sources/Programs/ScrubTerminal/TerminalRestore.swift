internal import Glibc
internal import ScrubBase
internal import Synchronization

/// Restores a terminal if a signal ends the process without running other code.
///
/// Signals that have a handler keep it: the command's own handler for Ctrl-C and SIGTERM calls ``restoreNow()`` before
/// it lets the process end. Crash signals are handled here first and then by the previous handler: Swift's own writes a
/// backtrace, and asks questions, in the current terminal. One terminal at a time.
package enum TerminalRestore {
    // Only data that a signal handler may access: numbers, and memory that is never freed once armed.
    private static let descriptor = Atomic<Int32>(-1)
    private static let address = Atomic<UInt>(0)
    private static let count = Atomic<Int>(0)
    private static let input = Atomic<Int32>(-1)
    private static let settings = Atomic<UInt>(0)
    /// Everything that was armed: a handler that is already running may be reading it, so it is never freed, a few
    /// dozen bytes each time.
    private static let kept = Locked<[UInt]>([])

    private static let signals = [SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU]
    private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// The signals' previous handlers, and whether they are known.
    private static let earlier = Atomic<UInt>(0)
    private static let signalLimit = 65

    private static let handler: @convention(c) (Int32) -> Void = { number in
        TerminalRestore.restoreNow()
        if let actions = unsafe UnsafePointer<sigaction>(bitPattern: TerminalRestore.earlier.load(ordering: .acquiring))
        {
            var action = unsafe actions[Int(number)]
            unsafe sigaction(number, &action, nil)
        } else {
            signal(number, SIG_DFL)
        }
        // The signal is delivered to the previous handler when this returns.
        raise(number)
    }

    /// Remembers the bytes and modes that restore the terminal.
    ///
    /// - Parameter saved: the previous settings of `input`; `nil` if they were not changed.
    static func arm(output: Int32, _ bytes: [UInt8], input: Int32, _ saved: termios?) {
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
        unsafe text.initialize(from: bytes, count: bytes.count)
        kept.withLock { $0.append(UInt(bitPattern: text)) }
        if let saved {
            let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
            unsafe copy.initialize(to: saved)
            kept.withLock { $0.append(UInt(bitPattern: copy)) }
            settings.store(UInt(bitPattern: copy), ordering: .releasing)
        }
        self.input.store(input, ordering: .releasing)
        address.store(UInt(bitPattern: text), ordering: .releasing)
        count.store(bytes.count, ordering: .releasing)
        descriptor.store(output, ordering: .releasing)
        if earlier.load(ordering: .acquiring) == 0 {
            // All handlers are the system's until they are known.
            let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: signalLimit)
            unsafe actions.initialize(repeating: sigaction(), count: signalLimit)
            earlier.store(UInt(bitPattern: actions), ordering: .releasing)
        }
        for number in signals { take(number, evenIfHandled: false) }
        for number in crashes { take(number, evenIfHandled: true) }
    }

    private static func take(_ number: Int32, evenIfHandled: Bool) {
        guard let actions = unsafe UnsafeMutablePointer<sigaction>(bitPattern: earlier.load(ordering: .acquiring))
        else {
            return
        }
        var before = sigaction()
        guard unsafe sigaction(number, nil, &before) == 0 else { return }
        let address = unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: UInt.self)
        let own = unsafe unsafeBitCast(handler, to: UInt.self)
        // 0 is the system's default action, 1 means ignored.
        guard address == 0 || (evenIfHandled && address > 1 && address != own) else { return }
        unsafe actions[Int(number)] = before
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        // An overflowed stack has no room for a handler.
        action.sa_flags = SA_ONSTACK
        unsafe sigaction(number, &action, nil)
    }

    /// Forgets the terminal, which is restored. A few dozen bytes stay allocated, for a signal that arrives at this
    /// moment.
    static func disarm() {
        descriptor.store(-1, ordering: .releasing)
        settings.store(0, ordering: .releasing)
    }

    /// Restores the terminal, if one is armed. For signal handlers: it calls only write(2) and tcsetattr(3).
    package static func restoreNow() {
        let output = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        guard output >= 0 else { return }
        if let text = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
            _ = unsafe write(output, text, count.load(ordering: .acquiring))
        }
        if let saved = unsafe UnsafePointer<termios>(bitPattern: settings.load(ordering: .acquiring)) {
            unsafe tcsetattr(input.load(ordering: .acquiring), TCSANOW, saved)
        }
    }
}
