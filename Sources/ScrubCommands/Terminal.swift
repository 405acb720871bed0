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

/// A bar with the rate and the time left, for work that is counted.
struct WorkBar {
    private let label: String
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(_ label: String) {
        self.label = label
        start = clock.now
    }

    /// Shows how much of the work is done.
    func show(_ done: Int, of count: Int) {
        let elapsed = start.duration(to: clock.now)
        guard Terminal.isWatched, elapsed > .milliseconds(300), count > 0 else { return }
        let seconds = Double(elapsed.wholeNanoseconds) / 1e9
        let rate = Double(done) / seconds
        let width = 30
        let filled = done * width / count
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let left = rate > 0 ? Clock.text(Double(count - done) / rate) : "?"
        Terminal.sayRaw("\r\(label) \(bar) \(done) of \(count), \(Clock.rounded(rate, 1))/s, \(left) left\u{1B}[K")
    }

    /// Wipes the bar away.
    func end() { if Terminal.isWatched { Terminal.sayRaw("\r\u{1B}[K") } }
}
