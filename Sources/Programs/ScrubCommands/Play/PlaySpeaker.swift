#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// The messages of `scrub play` during playback: failures and events, at once or when the screen is free again.
///
/// Thread safety: safe from any thread.
final class PlaySpeaker: Sendable {
    private struct State {
        var worst: Int32 = 0
        var failed: Set<String> = []
        var waiting: [(text: String, isError: Bool)] = []
        var waits: Bool
    }

    /// Whether there is room for text on standard output.
    let hasRoom: Bool
    private let printsEvents: Bool
    private let state: Locked<State>

    /// - Parameter waits: whether failures and events are kept until ``flush()``.
    init(hasRoom: Bool, waits: Bool, printsEvents: Bool) {
        (self.hasRoom, self.printsEvents) = (hasRoom, printsEvents)
        state = Locked(State(waits: waits && hasRoom))
    }

    /// The highest exit code of all failures; `nil` if there were none.
    var exitCode: ExitCode? { state.withLock { $0.worst == 0 ? nil : ExitCode($0.worst) } }
    /// Files that cannot be played, or not to their end.
    var failedFiles: Set<String> { state.withLock { $0.failed } }

    /// Reports that a file cannot be played, once per file.
    func fail(_ file: String?, _ error: ScrubError) {
        let text = (file.map { error.inFile($0) } ?? error).description(for: .command)
        let saysNow = state.withLock { state in
            state.worst = max(state.worst, error.code.exitStatus)
            if let file, !state.failed.insert(file).inserted { return false }
            if state.waits { state.waiting.append((text, true)) }
            return !state.waits
        }
        if saysNow { Terminal.complain(text) }
    }

    func tell(_ event: @autoclosure () -> PlayEventText) {
        guard printsEvents else { return }
        let text = event().json
        let saysNow = state.withLock { state in
            if state.waits { state.waiting.append((text, false)) }
            return !state.waits
        }
        if saysNow { print(text) }
    }

    /// Prints the messages that had to wait.
    func flush() {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.waits) = ([], false) }
            return state.waiting
        }
        for (text, isError) in waiting { isError ? Terminal.complain(text) : print(text) }
    }

    /// Prints a line, on standard error if pictures go to standard output.
    func print(_ line: String) {
        if hasRoom { Terminal.print(line) } else { Terminal.sayRaw(line + "\n") }
    }

    /// Reports how many of several files failed.
    func sumUp(of count: Int) {
        let failed = failedFiles.count
        if failed > 0, count > 1 { Terminal.complain("\(failed) of \(Amount.of(count, "file")) failed") }
    }
}
#endif
