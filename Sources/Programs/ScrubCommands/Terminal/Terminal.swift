#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import Synchronization
internal import SystemPackage

/// Standard output and standard error, and whether they are terminals.
enum Terminal {
    /// Writes a line to standard output.
    ///
    /// Names from files and folders may contain terminal control sequences; only line breaks and tabs are let through.
    static func print(_ line: String) {
        if isOutputWatched {
            FetchMeter.shared.makeRoom()
            wipeBar()
        }
        Swift.print(line.shownLines)
    }

    /// Suppresses progress bars, notes and warnings from now on.
    static func beQuiet() { quiet.store(true, ordering: .relaxed) }
    private static let quiet = Atomic<Bool>(false)

    /// Writes a note or a warning to standard error, in the command line's terms, unless only errors are printed.
    static func say(_ line: Wording) { if !quiet.load(ordering: .relaxed) { complain(line) } }

    /// Writes a note or a warning without such terms.
    @_disfavoredOverload
    static func say(_ line: String) { say(Wording(line)) }

    /// Writes an error without such terms.
    @_disfavoredOverload
    static func complain(_ line: String) { complain(Wording(line)) }

    /// Writes an error to standard error, in the command line's terms.
    static func complain(_ line: Wording) {
        if isWatched {
            FetchMeter.shared.makeRoom()
            wipeBar()
            // The terminal's own `^C` is on this line.
            if Interrupt.signal != 0 { sayRaw("\r\u{1B}[K") }
        }
        sayRaw("scrub: \(ProgramName.inCommands(of: line.text(for: .command)).shown)\n")
    }

    /// Draws a progress bar on the terminal's line in place of the previous one.
    ///
    /// Does nothing after a signal that requests the end, because its acknowledgement uses the line.
    static func drawBar(_ line: String) {
        guard showsBars else { return }
        barLine.withLock { _ in
            guard Interrupt.signal == 0 else { return }
            isBarShown.store(true, ordering: .relaxed)
            sayRaw("\r\(line)\u{1B}[K")
        }
    }

    /// Writes text in place of a bar, as one step: no bar is drawn after it once a signal has arrived.
    static func replaceBar(by text: String) { barLine.withLock { _ in sayRaw(text) } }
    private static let barLine = Locked(())

    /// Removes the progress bar, if there is one.
    static func wipeBar() { if isBarShown.exchange(false, ordering: .relaxed) { sayRaw("\r\u{1B}[K") } }
    private static let isBarShown = Atomic<Bool>(false)

    /// Whether standard output accepts no more.
    static var isBroken: Bool { brokenOutput.load(ordering: .relaxed) }
    private static let brokenOutput = Atomic<Bool>(false)

    /// Writes to standard error as it is. Errors are ignored: with a closed standard error, there is nowhere to report
    /// them.
    static func sayRaw(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

    /// Whether standard output is a terminal.
    static var isOutputWatched: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether bars are drawn on standard error.
    static var showsBars: Bool { !quiet.load(ordering: .relaxed) && isWatched }

    /// Writes bytes to standard output.
    static func write(_ bytes: [UInt8]) throws(ScrubError) {
        try flush()
        do {
            _ = try FileDescriptor.standardOutput.writeAll(bytes)
        } catch {
            brokenOutput.store(true, ordering: .relaxed)
            throw ScrubError(system: error, .inputOutput, doing: "cannot write to standard output")
        }
    }

    /// Ensures that every line is written, and reports a failure: on a full disk, nothing else would.
    static func flush() throws(ScrubError) {
        // All streams, because the one for output is a mutable global that Swift does not allow.
        guard fflush(nil) == 0 else {
            let reason = Errno(rawValue: errno)
            brokenOutput.store(true, ordering: .relaxed)
            throw ScrubError(system: reason, .inputOutput, doing: "cannot write to standard output")
        }
    }
}
#endif
