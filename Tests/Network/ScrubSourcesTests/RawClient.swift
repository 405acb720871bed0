import Foundation
import Synchronization
import ScrubTestSupport

/// One connection to a fault server that takes all bytes and judges nothing.
final class RawClient: Sendable {
    struct Answer {
        /// 0 when there was no whole head.
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var headByteCount = 0
        /// The connection ended before the length that was promised.
        var isCut = false
    }

    private let socket: Int32

    init(_ server: FaultServer) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        let host = server.host.filter { $0 != "[" && $0 != "]" }
        guard getaddrinfo(host, "\(server.port)", &hints, &found) == 0, let address = found?.pointee else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        socket = Glibc.socket(address.ai_family, Int32(SOCK_STREAM.rawValue), 0)
        // `deinit` closes it when this throws.
        guard connect(socket, address.ai_addr, address.ai_addrlen) == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(socket) }

    func send(_ name: String, _ lines: [String] = []) throws {
        let head = (["GET /\(name) HTTP/1.1", "Host: test"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        let bytes = Array(head.utf8)
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw POSIXError(.EPIPE)
        }
    }

    func get(_ name: String, _ lines: [String] = []) throws -> Answer {
        try send(name, lines)
        var bytes: [UInt8] = []
        var answer = Answer()
        var isOver = false
        func more() {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { bytes += buffer[..<count] } else { isOver = true }
        }
        var end: Int?
        while end == nil && !isOver {
            more()
            end = bytes.firstRange(of: [13, 10, 13, 10] as [UInt8])?.upperBound
        }
        guard let end else { return answer }
        answer.headByteCount = end
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        answer.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            answer.fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst().drop { $0 == " " })
        }
        let length = answer.fields["content-length"].flatMap { Int($0) }
        while !isOver && (answer.fields["transfer-encoding"] == nil || !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8))
        {
            if let length, bytes.count - end >= length { break }
            more()
        }
        answer.body = Array(bytes[end...].prefix(length ?? .max))
        answer.isCut = length.map { answer.body.count < $0 } ?? false
        return answer
    }
}

/// A number that another thread sets.
final class Guard: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let number = Mutex(0)

    func set(_ value: Int) {
        number.withLock { $0 = value }
        done.signal()
    }

    /// Waits for it; -2 when it did not come within ten seconds.
    func value() -> Int {
        done.wait(timeout: .now() + 10) == .success ? number.withLock { $0 } : -2
    }
}
