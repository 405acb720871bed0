#if CommandLine
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import SystemPackage

/// Answers collectors on a port while a command runs.
///
/// The server is the viewer's program, `scrub-view`, with one socket to this process: it asks for the text at each
/// request, and ends when the socket does, however this process ends.
///
/// Thread safety: safe from any thread.
final class MetricsPort: Sendable {
    /// The program's first word for this, and what it says first.
    static let word = "--serve-metrics"

    /// Where it answers.
    let url: String
    private let socket: FileDescriptor
    private let process: pid_t
    private let thread: DedicatedThread

    /// Begins to answer.
    ///
    /// - Parameter text: called for each request, on a thread of its own.
    /// - Throws: `unavailable` when the port is taken, or there is no server; `usage` for an address that this machine
    ///   does not have.
    init(host: String, port: Int, text: @escaping @Sendable () -> String) throws(ScrubError) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        guard unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw ScrubError(system: Errno(rawValue: errno), .unavailable, doing: "no sockets can be made")
        }
        let (socket, other) = (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
        let process: pid_t
        do throws(ScrubError) {
            process = try MetricsPort.start([MetricsPort.word, host, "\(port)"], other.rawValue)
        } catch {
            try? socket.close()
            try? other.close()
            throw error
        }
        try? other.close()
        do throws(ScrubError) {
            url = try MetricsPort.address(MetricsPort.line(from: socket))
            thread = try DedicatedThread {
                var bytes = [UInt8](repeating: 0, count: 256)
                // Each byte is a request for the text.
                while let count = try? unsafe bytes.withUnsafeMutableBytes({ try unsafe socket.read(into: $0) }),
                    count > 0
                {
                    guard (try? socket.writeAll(Array(text().utf8) + [0])) != nil else { return }
                }
            }
        } catch {
            try? socket.close()
            waitpid(process, nil, 0)
            throw error
        }
        (self.socket, self.process) = (socket, process)
    }

    /// Ends it.
    func end() {
        shutdown(socket.rawValue, Int32(SHUT_RDWR))
        thread.join()
        try? socket.close()
        waitpid(process, nil, 0)
    }

    private static func start(_ words: [String], _ socket: Int32) throws(ScrubError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] =
            unsafe (["scrub-view"] + words).map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var child = pid_t()
        // Beside this program, whatever link it was called by; then wherever programs are.
        if let own = Folder.resolved("/proc/self/exe"), let folder = Folder.folder(of: own),
            unsafe posix_spawn(&child, folder + "/scrub-view", &actions, nil, &arguments, environ) == 0
        {
            return child
        }
        guard unsafe posix_spawnp(&child, "scrub-view", &actions, nil, &arguments, environ) == 0 else {
            throw ScrubError(
                .unavailable,
                "the server of --metrics-port is in the program scrub-view, which is neither beside this one nor in $PATH",
                advice: "build it with 'swift build -c release --product scrub-view', or use --metrics with a file")
        }
        return child
    }

    /// The first line; empty if none comes.
    private static func line(from socket: FileDescriptor) -> String {
        var bytes: [UInt8] = []
        var byte: [UInt8] = [0]
        while bytes.count < 4096, (try? unsafe byte.withUnsafeMutableBytes({ try unsafe socket.read(into: $0) })) == 1,
            byte[0] != UInt8(ascii: "\n")
        {
            bytes.append(byte[0])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the line says: where it answers, or status, cause and advice.
    private static func address(_ line: String) throws(ScrubError) -> String {
        if line.hasPrefix("http://") { return line }
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            throw ScrubError(
                .unavailable, "the server of --metrics-port has ended before it began",
                advice: "check that scrub-view is of the same version")
        }
        throw ScrubError(parts[0] == "64" ? .usage : .unavailable, parts[1], advice: parts[2].isEmpty ? nil : parts[2])
    }
}
#endif
