internal import Glibc
internal import Scrub
internal import SystemPackage

/// Standard output and standard error, and whether a person looks at them.
enum Terminal {
    /// Writes a line to standard output.
    static func print(_ line: String) { Swift.print(line) }

    /// Writes a line to standard error.
    static func say(_ line: String) { sayRaw("scrub: \(line)\n") }

    /// Writes to standard error as it is. A closed standard error is nobody to complain to.
    static func sayRaw(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

    /// Whether standard error is a terminal.
    static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes bytes to standard output.
    static func write(_ bytes: [UInt8]) throws(ScrubError) {
        try flush()
        do {
            _ = try FileDescriptor.standardOutput.writeAll(bytes)
        } catch {
            throw ScrubError(.inputOutput, "standard output cannot be written: \(error)")
        }
    }

    /// Sees to it that every line is out, and says when it is not: on a full disk nothing else would.
    static func flush() throws(ScrubError) {
        // All streams: the name of the one for output is a mutable global that Swift does not let through.
        guard fflush(nil) == 0 else { throw ScrubError(.inputOutput, "standard output cannot be written") }
    }
}

/// A bar on standard error for work that takes long enough to be noticed, when a terminal looks on.
struct ProgressBar {
    private let label: String
    private let start = ContinuousClock().now

    init(_ label: String) { self.label = label }

    /// Shows how far the work is, from 0 to 1; 1 wipes the bar away.
    func show(_ fraction: Double) {
        guard Terminal.isWatched, start.duration(to: ContinuousClock().now) > .milliseconds(300) else { return }
        if fraction >= 1 {
            Terminal.sayRaw("\r\u{1B}[K")
            return
        }
        let width = 30
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        Terminal.sayRaw("\r\(label) \(bar) \(Int(fraction * 100)) %\u{1B}[K")
    }
}
