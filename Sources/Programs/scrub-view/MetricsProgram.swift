#if Viewer
import Glibc
import ScrubBase
import ScrubViewer

/// What `scrub batch --metrics-port` runs: a server whose text another process has, at the other end of standard input
/// and output.
///
/// A byte out asks for the text, which comes with a zero behind it. The end of the input is the end of the program.
final class MetricsProgram: Sendable {
    private let waiting = Locked<[CheckedContinuation<String?, Never>]>([])

    /// The most that a text has.
    private static let limit = 16 << 20

    static func serve(_ words: [String]) async -> Never {
        // It ends with the process that it speaks for, not with a signal that a whole group gets.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
        guard words.count == 2, let port = Int(words[1]), (0...65_535).contains(port) else { _exit(64) }
        let program = MetricsProgram()
        do {
            let thread = try DedicatedThread { program.read() }
            thread.detach()
            try await MetricsServer(host: words[0], port: port).run {
                await program.text()
            } onReady: {
                Output.say($0)
            }
            _exit(0)
        } catch let error as ScrubError {
            Output.say("\(error.code.exitStatus)\t\(error.cause)\t\(error.advice ?? "")")
            _exit(error.code.exitStatus)
        } catch {
            Output.say("69\t\(error)\t")
            _exit(69)
        }
    }

    private func text() async -> String? {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                waiting.append(continuation)
                return waiting.count == 1
            }
            guard isFirst else { return }
            var byte: UInt8 = 1
            if unsafe write(STDOUT_FILENO, &byte, 1) != 1 { _exit(0) }
        }
    }

    private func read() {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &piece, piece.count)
            guard count > 0, bytes.count < MetricsProgram.limit else { _exit(0) }
            bytes += piece[..<count]
            while let end = bytes.firstIndex(of: 0) {
                let text = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeFirst(end + 1)
                let asked = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                for continuation in asked { continuation.resume(returning: text) }
            }
        }
    }
}
#endif
