import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

/// The outcome of each fault of a server.
@Suite struct HTTPFaultTests {
    private static let content = madeOnce(300_000, seed: 5)
    private static let range: Range<Int64> = 1000..<101_000

    /// A failure without its words, to compare.
    enum Kind: String {
        case refused, unknownHost, timedOut, tooSlow, lostBefore, lostWithin, tls, forbidden, bad, tooLarge, cancelled,
            other

        init(_ failure: HTTPFailure) {
            self =
                switch failure {
                case .refused: .refused
                case .unknownHost: .unknownHost
                case .timedOut: .timedOut
                case .tooSlow: .tooSlow
                case .connectionLost(let before): before ? .lostBefore : .lostWithin
                case .tls: .tls
                case .forbiddenAddress: .forbidden
                case .badResponse: .bad
                case .tooLarge: .tooLarge
                case .cancelled: .cancelled
                case .other: .other
                }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let kind: Kind?
        let range: Range<Int64>?
        var testDescription: String { fault.description }

        init(_ fault: Fault, _ kind: Kind?, whole: Bool = false) {
            self.fault = fault
            self.kind = kind
            range = whole ? nil : HTTPFaultTests.range
        }
    }

    static let gate = StallGate()

    @Test(arguments: [
        // Not a fault to the transport: its caller judges it.
        Case(.ignoredRange, nil), Case(.shorterRange(to: 10), nil), Case(.lyingTotal(200_000), nil),
        Case(.lyingTotal(nil), nil), Case(.unsatisfiable(total: 5), nil), Case(.weakETag, nil),
        Case(.noValidators, nil), Case(.chunked, nil), Case(.chunked, nil, whole: true),
        Case(.noContentLength, nil), Case(.noContentLength, nil, whole: true), Case(.status(503), nil),
        Case(.closedAfter(announced: true), nil), Case(.closedAfter(announced: false), nil),
        Case(.manyHeaders(80), nil), Case(.hugeHeader(50_000), nil), Case(.header("Content-Encoding", "identity"), nil),
        // Ranges.
        Case(.longerRange(by: 1), .bad), Case(.shiftedRange(by: 1), .bad), Case(.shiftedRange(by: -1000), .bad),
        Case(.unaskedPart(0..<10), .bad, whole: true), Case(.contentRange(nil), .bad),
        Case(.contentRange("bytes"), .bad), Case(.contentRange("bytes 1000-5000"), .bad),
        Case(.lyingStart(by: 1), .bad),
        Case(.lyingStart(by: -1), .bad), Case(.lyingTotal(100), .bad), Case(.overflowingRange, .bad),
        Case(.contentRange("bytes 1000-100998/300000"), .bad),
        Case(.header("Content-Type", "multipart/byteranges; boundary=x"), .bad),
        // The length.
        Case(.contentLength(offBy: 1), .bad), Case(.contentLength(offBy: -1), .bad), Case(.twoContentLengths, .bad),
        Case(.contentLength(offBy: 1), .lostWithin, whole: true), Case(.twoContentLengths, .bad, whole: true),
        // The head.
        Case(.gzip, .bad), Case(.gzip, .bad, whole: true), Case(.header("Transfer-Encoding", "gzip"), .bad),
        Case(.hugeHeader(70_000), .tooLarge), Case(.hugeHeader(100 << 20), .tooLarge),
        Case(.manyHeaders(120), .tooLarge),
        Case(.rawHead("SSH-2.0-OpenSSH\r\n\r\n"), .bad), Case(.rawHead("HTTP/1.1 abc OK\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 200 OK\r\nX\u{0}Y: 1\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 200 OK\r\nX: 1\r\n folded\r\n\r\n"), .bad),
        Case(.rawHead("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n"), .bad),
        // The connection.
        Case(.reset(.beforeHead), .lostBefore), Case(.close(.beforeHead), .lostBefore),
        Case(.reset(.inHead(20)), .lostWithin), Case(.close(.inHead(20)), .lostWithin),
        Case(.close(.beforeBody), .lostWithin), Case(.reset(.inBody(5000)), .lostWithin),
        Case(.close(.inBody(5000)), .lostWithin),
        // Time.
        Case(.stall(.beforeHead, gate), .timedOut), Case(.stall(.inHead(10), gate), .timedOut),
        Case(.stall(.beforeBody, gate), .tooSlow), Case(.stall(.inBody(5000), gate), .tooSlow),
        Case(.drip(.inBody(0), milliseconds: 20), .tooSlow), Case(.drip(.inHead(3), milliseconds: 20), .timedOut),
    ])
    func endsIn(_ test: Case) throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        server.fail("a", test.fault)
        // The needs of a fault of time would make every other one depend on the machine's.
        let isOfTime = test.kind == .timedOut || test.kind == .tooSlow
        let timeouts =
            isOfTime
            ? HTTPTimeouts(
                connect: .seconds(5), firstByte: .milliseconds(200), leastRate: 1024, rateWindow: .milliseconds(200))
            : HTTPTimeouts(firstByte: .seconds(60), rateWindow: .seconds(60))
        let answer = try testClient().get(server.url("a"), test.range, timeouts: timeouts)
        #expect(answer.endCount == 1)
        #expect(answer.strayCalls == 0)
        if let kind = test.kind {
            let failure = try #require(answer.failure)
            #expect(Kind(failure) == kind, "\(failure)")
        } else {
            #expect(answer.succeeded, "\(String(describing: answer.failure))")
        }
    }

    @Test func deadlineForAllOfIt() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        // Fast enough for the rate, but without end.
        server.fail("a", .drip(.inBody(0), bytes: 100, milliseconds: 5))
        // A busy machine may need longer until the first byte is there.
        for total in [150, 1500, 15_000, 150_000] {
            let answer = try testClient().get(
                server.url("a"),
                timeouts: HTTPTimeouts(
                    firstByte: .milliseconds(total), total: .milliseconds(total), leastRate: 1,
                    rateWindow: .milliseconds(total)))
            #expect(answer.failure == .timedOut)
            if !answer.bytes.isEmpty { return }
        }
        Issue.record("nothing came at all")
    }

    @Test func connectTimeOut() throws {
        // A socket that listens and accepts nothing, with a full line in front of it.
        let full = try FullListener()
        let answer = try testClient().get(
            "http://127.0.0.1:\(full.port)/",
            timeouts: HTTPTimeouts(connect: .milliseconds(100), firstByte: .milliseconds(400)))
        #expect(answer.failure == .timedOut)
    }

    @Test func bodyLimits() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "announced")
        server.serve(Self.content, as: "chunked")
        server.fail("chunked", .chunked)
        let client = try testClient()
        let announced = try client.get(server.url("announced"), bodyLimit: 100_000)
        #expect(announced.failure == .tooLarge("it has 300000 bytes, but the limit is 100000"))
        #expect(announced.bytes.isEmpty)
        let chunked = try client.get(server.url("chunked"), bodyLimit: 100_000)
        #expect(chunked.failure == .tooLarge("it has more than 100000 bytes"))
        #expect(chunked.bytes.count <= 100_000)
        #expect(try client.get(server.url("chunked"), bodyLimit: 300_000).succeeded)
    }

    /// Connections that a server closes between two requests, announced or not, cost no failure.
    @Test(arguments: [true, false]) func connectionsThatAreNotKept(announced: Bool) throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        server.fail("a", .closedAfter(announced: announced))
        let client = try testClient()
        for place in 0..<20 {
            let start = Int64(place * 100)
            let answer = try client.get(server.url("a"), start..<start + 100)
            #expect(answer.bytes == Self.content.read(start..<start + 100))
        }
    }

    /// A server that closes a kept connection when the next request arrives on it.
    @Test func connectionThatDiesAsTheRequestIsOnItsWay() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        server.fail("a", .close(.beforeHead), on: .reusedConnection)
        let client = try testClient()
        for _ in 0..<5 { #expect(try client.get(server.url("a"), 0..<100).succeeded) }
    }
}

/// A listener whose line is full: connections to it are never made.
private final class FullListener {
    let port: UInt16
    private var sockets: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        sockets.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
            guard let base = bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
            guard bind(listener, base, length) == 0, listen(listener, 0) == 0 else { return -1 }
            return getsockname(listener, base, &length)
        }
        guard status == 0 else { throw CocoaError(.fileNoSuchFile) }
        port = UInt16(bigEndian: address.sin_port)
        for _ in 0..<4 {
            let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            sockets.append(other)
            withUnsafeMutableBytes(of: &address) { bytes in
                if let base = bytes.bindMemory(to: sockaddr.self).baseAddress { _ = connect(other, base, length) }
            }
        }
    }

    deinit { for socket in sockets { close(socket) } }
}
