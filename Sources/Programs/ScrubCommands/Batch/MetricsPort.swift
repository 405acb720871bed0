#if CommandLine
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import ScrubBatchLogic

/// Answers collectors on a port while a command runs (``MetricsAnswer``).
///
/// One thread waits for all connections together. There are at most sixteen, each for at most ten seconds; more wait in
/// the system's queue.
///
/// Thread safety: safe from any thread.
final class MetricsPort: Sendable {
    private static let (mostConnections, patience) = (16, Duration.seconds(10))

    /// The address at which it responds.
    let url: String
    private let listener: Int32
    private let thread: DedicatedThread

    /// Starts to respond.
    ///
    /// - Parameter text: called for each request, on a separate thread.
    /// - Throws: `unavailable` if the port is in use; `usage` for an address that this machine does not have.
    init(host: String, port: Int, text: @escaping @Sendable () -> String) throws(ScrubError) {
        let listener = try MetricsPort.listen(host, port)
        do throws(ScrubError) {
            thread = try DedicatedThread { MetricsPort.serve(listener, text) }
        } catch {
            close(listener)
            throw error
        }
        self.listener = listener
        url = "http://\(host.contains(":") ? "[\(host)]" : host):\(MetricsPort.port(of: listener) ?? port)/metrics"
    }

    /// Ends it.
    func end() {
        // The thread sees that the listener no longer listens.
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    private struct Connection {
        let socket: Int32
        var until = ContinuousClock.now + MetricsPort.patience
        var request: [UInt8] = []
        /// Further bytes are read and discarded: closing before that could lose the response.
        var isAnswered = false

        /// Reads the available bytes, and answers a complete request.
        ///
        /// - Returns: whether there is more to wait for.
        mutating func goOn(_ text: () -> String) -> Bool {
            var piece = [UInt8](repeating: 0, count: MetricsAnswer.requestLimit)
            let count = unsafe recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
            guard !isAnswered else { return true }
            request += piece[..<count]
            guard let answer = MetricsAnswer.answer(to: request, text: text) else { return true }
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            // It is smaller than the system's buffer for a new connection.
            guard unsafe send(socket, answer, answer.count, flags) == answer.count else { return false }
            shutdown(socket, Int32(SHUT_WR))
            isAnswered = true
            return true
        }
    }

    private static func serve(_ listener: Int32, _ text: () -> String) {
        var connections: [Connection] = []
        defer { for connection in connections { close(connection.socket) } }
        while true {
            let takesMore = connections.count < mostConnections
            var waiting = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
            waiting.append(pollfd(fd: listener, events: takesMore ? Int16(POLLIN) : 0, revents: 0))
            _ = unsafe poll(&waiting, nfds_t(waiting.count), connections.isEmpty ? -1 : 1000)
            let news = waiting.removeLast().revents
            guard news & Int16(POLLHUP | POLLERR | POLLNVAL) == 0 else { return }
            let now = ContinuousClock.now
            var open: [Connection] = []
            for number in connections.indices {
                let goesOn = waiting[number].revents == 0 || connections[number].goOn(text)
                let connection = connections[number]
                if goesOn, now < connection.until { open.append(connection) } else { close(connection.socket) }
            }
            connections = open
            guard news & Int16(POLLIN) != 0 else { continue }
            let socket = accept(listener, nil, nil)
            if socket >= 0 {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                connections.append(Connection(socket: socket))
            } else if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                // Films also need descriptors, and release them later.
                usleep(100_000)
            }
        }
    }

    private static func listen(_ host: String, _ port: Int) throws(ScrubError) -> Int32 {
        var (hints, found) = unsafe (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        unsafe (hints.ai_flags, hints.ai_socktype) = (AI_PASSIVE, Int32(SOCK_STREAM.rawValue))
        guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = unsafe found?.pointee else {
            throw ScrubError(
                .usage, "'\(host)' is not an address of this machine",
                advice: "omit --metrics-host to listen only on this machine, or use 0.0.0.0 to listen on the network")
        }
        defer { unsafe freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = unsafe socket(address.ai_family, kind, 0)
        var yes: Int32 = 1
        if listener >= 0, port != 0 {
            unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        guard listener >= 0, unsafe bind(listener, address.ai_addr, address.ai_addrlen) == 0,
            Glibc.listen(listener, Int32(mostConnections)) == 0
        else {
            let reason = errno
            if listener >= 0 { close(listener) }
            throw ScrubError(
                .unavailable,
                "cannot listen on \(host) port \(port): \(unsafe String(cString: strerror(reason)))",
                advice: reason == EADDRINUSE
                    ? "another program is using this port: choose a different --metrics-port, or 0 for any free port"
                    : "choose a different --metrics-port, or use an address of this machine for --metrics-host")
        }
        return listener
    }

    /// The port of a socket.
    private static func port(of socket: Int32) -> Int? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(socket, $0, &size) }
        }
        guard status == 0 else { return nil }
        // Both address families have it at the same offset, most significant byte first.
        return unsafe withUnsafeBytes(of: address) { unsafe Int($0[2]) << 8 | Int($0[3]) }
    }
}
#endif
