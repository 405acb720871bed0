internal import ScrubFileIO
internal import Glibc
package import ScrubBase

/// A terminal that is taken over for pictures: the alternate screen without a cursor, with keys that arrive at once and
/// are not echoed.
///
/// ``leave()`` restores everything, as do releasing the last reference and a signal that ends the process. Use one at a
/// time.
///
/// Thread safety: safe from any thread.
package final class TerminalSession: Sendable {
    /// The parts of a terminal that are taken over.
    package struct Options: Sendable, Hashable {
        /// Whether clicks and drags are reported. Default false.
        package var reportsMouse: Bool
        /// The maximum time for the terminal to report its capabilities. Default 300 ms, because remote terminals are
        /// slow.
        package var answerTime: Duration

        /// Creates options.
        package init(reportsMouse: Bool = false, answerTime: Duration = .milliseconds(300)) {
            (self.reportsMouse, self.answerTime) = (reportsMouse, answerTime)
        }
    }

    private struct State {
        var isEntered = false
        var saved: termios?
        var capabilities: TerminalCapabilities
        /// The input that was typed while the terminal answered.
        var early: [TerminalInput] = []
    }

    /// The descriptor for keys.
    package let input: Int32
    /// The descriptor for pictures.
    package let output: Int32
    private let options: Options
    private let state: Locked<State>

    /// Creates a session without changing the terminal yet.
    ///
    /// - Parameters:
    ///   - input: the descriptor for keys; standard input by default.
    ///   - output: the descriptor for pictures; standard output by default.
    ///   - environment: the source of `TERM` and the like; the process's by default.
    /// - Throws: `usage` if the output is not a terminal.
    package init(
        input: Int32 = 0, output: Int32 = 1, options: Options = .init(),
        environment: [String: String]? = nil
    ) throws(ScrubError) {
        guard isatty(output) == 1 else {
            throw ScrubError(.usage, "the output is not a terminal", advice: "write to a file or a pipe instead")
        }
        (self.input, self.output, self.options) = (input, output, options)
        let words = environment ?? TerminalSession.environment
        state = Locked(State(capabilities: TerminalCapabilities(environment: words)))
    }

    deinit { leave() }

    /// The terminal's capabilities: until ``enter()`` those in the environment, then also the reported ones.
    package var capabilities: TerminalCapabilities { state.withLock { $0.capabilities } }

    /// The current size.
    package var size: TerminalSize {
        let cell = state.withLock { $0.capabilities.cellSize }
        return TerminalSize(descriptor: output, cell: cell) ?? TerminalSize(columns: 80, rows: 24)
    }

    /// Takes over the terminal, and queries its capabilities the first time. Blocks until it answers, or for
    /// ``Options/answerTime``.
    ///
    /// - Throws: `inputOutput` if it cannot be written.
    package func enter() throws(ScrubError) {
        let (input, output, options) = (input, output, options)
        try state.withLock { (state) throws(ScrubError) in
            guard !state.isEntered else { return }
            var settings = termios()
            if isatty(input) == 1, unsafe tcgetattr(input, &settings) == 0 {
                state.saved = settings
                TerminalRestore.arm(output: output, TerminalSession.farewell, input: input, settings)
                TerminalSession.makeRaw(&settings)
                unsafe tcsetattr(input, TCSAFLUSH, &settings)
            } else {
                TerminalRestore.arm(output: output, TerminalSession.farewell, input: input, nil)
            }
            state.isEntered = true
            let terminal = ByteOutput(descriptor: output, name: "the terminal")
            try terminal.write(TerminalSession.greeting(reportsMouse: options.reportsMouse))
            if state.saved != nil, !state.capabilities.hasAnswered {
                try terminal.write(TerminalCapabilities.query)
                state.early += TerminalSession.answers(input, options.answerTime, &state.capabilities)
            }
        }
    }

    /// Restores the terminal. It can be entered again.
    package func leave() {
        let (input, output) = (input, output)
        state.withLock { state in
            guard state.isEntered else { return }
            state.isEntered = false
            // A terminal that is gone need not be restored.
            try? ByteOutput(descriptor: output, name: "the terminal").write(TerminalSession.farewell)
            if var saved = state.saved { unsafe tcsetattr(input, TCSAFLUSH, &saved) }
            TerminalRestore.disarm()
        }
    }

    /// Whether the terminal is currently taken over.
    var isEntered: Bool { state.withLock { $0.isEntered } }

    /// Returns, once, the input that was typed while the terminal answered.
    func takeEarlyInput() -> [TerminalInput] { state.exchange(\.early, for: []) }

    private static func greeting(reportsMouse: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.escape("[?1049h")
        bytes.escape("[?25l")
        bytes.escape("[2J")
        // Presses, releases and drags, in decimal numbers.
        if reportsMouse { bytes += Array("\u{1B}[?1002h\u{1B}[?1006h".utf8) }
        return bytes
    }

    /// Restores everything: an unfinished text and update, pictures, mouse, colors, cursor, screen.
    static let farewell = Array(
        "\u{1B}\\\u{1B}[?2026l\u{1B}_Ga=d,d=A,q=2\u{1B}\\\u{1B}[?1006l\u{1B}[?1002l\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
            .utf8)

    private static func makeRaw(_ settings: inout termios) {
        settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | INPCK | ISTRIP | IXON)
        settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { codes in
            unsafe codes[Int(VMIN)] = 1
            unsafe codes[Int(VTIME)] = 0
        }
    }

    /// Reads until the last answer; other bytes are keys.
    private static func answers(
        _ input: Int32, _ time: Duration, _ capabilities: inout TerminalCapabilities
    ) -> [TerminalInput] {
        var (parser, keys): (TerminalParser, [TerminalInput]) = (TerminalParser(), [])
        let clock = SuspendingClock()
        let end = clock.now.advanced(by: time)
        var bytes = [UInt8](repeating: 0, count: 1024)
        while true {
            let left = clock.now.duration(to: end)
            var wanted = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard left > .zero else { break }
            let milliseconds = Int32(clamping: left.wholeNanoseconds / 1_000_000 + 1)
            let ready = unsafe poll(&wanted, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { break }
            let count = unsafe read(input, &bytes, bytes.count)
            guard count > 0 else { break }
            var isLast = false
            for item in parser.feed(bytes.prefix(count)) {
                switch item {
                case .key(let key): keys.append(.key(key))
                case .mouse(let mouse): keys.append(.mouse(mouse))
                case .reply(let reply): if capabilities.take(reply) { isLast = true }
                }
            }
            if isLast { break }
        }
        capabilities.hasAnswered = true
        return keys
    }

    private static var environment: [String: String] {
        var words: [String: String] = [:]
        for name in ["TERM", "COLORTERM", "TMUX"] {
            words[name] = unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        return words
    }
}
