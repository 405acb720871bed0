#if CommandLine
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import Synchronization
internal import SystemPackage

/// Standard output and standard error, and whether a person looks at them.
enum Terminal {
    /// Writes a line to standard output.
    ///
    /// Names from files and folders may hold control sequences of terminals; only line breaks and tabs are let through.
    static func print(_ line: String) {
        if isOutputWatched { FetchMeter.shared.makeRoom() }
        Swift.print(line.shownLines)
    }

    /// Writes a line to standard error, in the command line's words.
    static func say(_ line: String) {
        if isWatched { FetchMeter.shared.makeRoom() }
        sayRaw("scrub: \(ProgramName.inCommands(of: line.inCommandWords).shown)\n")
    }

    /// Whether standard output takes no more.
    static var isBroken: Bool { brokenOutput.load(ordering: .relaxed) }
    private static let brokenOutput = Atomic<Bool>(false)

    /// Writes to standard error as it is. Errors are ignored: with a closed standard error there is no place to report
    /// them.
    static func sayRaw(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

    /// Whether standard output is a terminal.
    static var isOutputWatched: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes bytes to standard output.
    static func write(_ bytes: [UInt8]) throws(ScrubError) {
        try flush()
        do {
            _ = try FileDescriptor.standardOutput.writeAll(bytes)
        } catch {
            brokenOutput.store(true, ordering: .relaxed)
            throw ScrubError(system: error, .inputOutput, doing: "standard output cannot be written")
        }
    }

    /// Sees to it that every line is out, and says when it is not: on a full disk nothing else would.
    static func flush() throws(ScrubError) {
        // All streams: the name of the one for output is a mutable global that Swift does not let through.
        guard fflush(nil) == 0 else {
            let reason = Errno(rawValue: errno)
            brokenOutput.store(true, ordering: .relaxed)
            throw ScrubError(system: reason, .inputOutput, doing: "standard output cannot be written")
        }
    }
}
#endif
