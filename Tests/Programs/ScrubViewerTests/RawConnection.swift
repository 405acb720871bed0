#if Viewer
import Glibc
import ScrubBase

/// An answer as it came.
struct RawAnswer: Sendable {
    let status: Int
    /// By their names in small letters.
    let headers: [String: String]
    let body: [UInt8]

    subscript(name: String) -> String? { headers[name.lowercased()] }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A socket, so that nothing makes a bad request a good one. Blocks; a read that gets nothing for ten minutes is an
/// error, for the machine may be busy.
final class RawConnection {
    private let socket: Int32
    private let port: Int
    private var buffer: [UInt8] = []

    /// - Parameter receiveBytes: of the system's buffer for unread bytes; `nil` for the usual.
    init(port: Int, receiveBytes: Int32? = nil) throws {
        self.port = port
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        if var count = receiveBytes {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &count, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(socket, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw ScrubError(.inputOutput, "no connection: \(errno)") }
    }

    deinit { close(socket) }

    func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw ScrubError(.inputOutput, "not sent: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request with the right host, unless there is one among the headers.
    func ask(_ path: String, _ headers: [String] = [], method: String = "GET") throws {
        let host = headers.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
        try send((["\(method) \(path) HTTP/1.1"] + host + headers).joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Ends this half of the connection.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Reads one answer.
    func answer(hasBody: Bool = true) throws -> RawAnswer {
        while buffer.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            guard try read() else { throw ScrubError(.inputOutput, "the connection ended before an answer") }
        }
        guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { throw ScrubError(.badData, "no head") }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }
            headers[name.lowercased()] = String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
        buffer.removeSubrange(..<end.upperBound)
        let count = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        while buffer.count < count {
            guard try read() else { throw ScrubError(.inputOutput, "the connection ended within an answer") }
        }
        let body = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return RawAnswer(status: status, headers: headers, body: body)
    }

    /// Reads until the connection ends.
    func rest() throws -> [UInt8] {
        while try read() {}
        defer { buffer = [] }
        return buffer
    }

    /// Reads until some text came.
    func read(until text: String) throws {
        while buffer.firstRange(of: Array(text.utf8)) == nil {
            guard try read() else { throw ScrubError(.inputOutput, "the connection ended before '\(text)'") }
        }
    }

    /// Reads some bytes; false at the end, however it came.
    private func read() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = piece.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw ScrubError(.inputOutput, "nothing came: \(errno)") }
        buffer += piece.prefix(count)
        return count > 0
    }
}
#endif
