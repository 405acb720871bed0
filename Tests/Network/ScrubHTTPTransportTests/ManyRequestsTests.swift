import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

@Suite(.serialized) struct ManyRequestsTests {
    private static let content = madeOnce(100_000, seed: 9)

    /// Each is answered rightly, by at most four connections.
    @Test func twoHundredAtOnce() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        let client = try testClient()
        let collectors = try (0..<200).map { place in
            let collector = Collector()
            let start = Int64(place) * 400
            client.start(
                HTTPRequest(url: try RemoteURL(server.url("a")), range: start..<start + 400 + Int64(place)), collector)
            return collector
        }
        for (place, collector) in collectors.enumerated() {
            let start = Int64(place) * 400
            #expect(collector.succeeded)
            #expect(collector.bytes == Self.content.read(start..<start + 400 + Int64(place)))
        }
        #expect(server.connectionCount <= 4)
        #expect(server.log.count == 200)
    }

    /// Descriptors and threads stay as they are.
    @Test func thousandsOneAfterTheOther() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        server.serve(Self.content, as: "closing")
        server.fail("closing", .closedAfter(announced: true))
        let client = try testClient()
        func ask(_ count: Int) throws {
            for place in 0..<count {
                let start = Int64(place % 900) * 100
                let name = place % 50 == 7 ? "closing" : "a"
                #expect(
                    try client.get(server.url(name), start..<start + 100).bytes
                        == Self.content.read(start..<start + 100))
            }
        }
        try ask(100)
        let sockets = openConnections(to: server.port)
        try ask(3000)
        #expect(openConnections(to: server.port) <= max(4, sockets))
        #expect(server.connectionCount <= 70)
    }

    /// Sockets of this process that are connected to a port: other tests open descriptors of their own meanwhile.
    private func openConnections(to port: UInt16) -> Int {
        let hexadecimal = String(port, radix: 16, uppercase: true)
        let ending = ":" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        guard let table = try? String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8) else { return 0 }
        return table.split(separator: "\n").filter { line in
            let fields = line.split(separator: " ")
            // 01: established.
            return fields.count > 3 && fields[2].hasSuffix(ending) && fields[3] == "01"
        }.count
    }

    /// Several servers, clients and threads at once, with faults in between.
    @Test func manyThreads() throws {
        let servers = try (0..<3).map { _ in try FaultServer() }
        for server in servers {
            server.serve(Self.content, as: "a")
            server.fail("a", .reset(.inBody(50)), on: .one(in: 7, seed: 1))
            server.fail("a", .closedAfter(announced: false), on: .one(in: 5, seed: 2))
        }
        let client = try testClient()
        let wrong = Tally()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var random = SplitMix(UInt64(thread))
            for _ in 0..<60 {
                let start = Int64(random.next() % 90_000)
                let server = servers[Int(random.next() % 3)]
                let collector = Collector()
                guard let url = try? RemoteURL(server.url("a")) else { return wrong.count() }
                let transfer = client.start(HTTPRequest(url: url, range: start..<start + 5000), collector)
                let cancels = random.isOne(in: 9)
                if cancels { transfer.cancel() }
                switch collector.wait() {
                case .success?: if collector.bytes != Self.content.read(start..<start + 5000) { wrong.count() }
                case .failure(.connectionLost)?: break
                case .failure(.cancelled)?: if !cancels { wrong.count() }
                default: wrong.count()
                }
                if collector.endCount != 1 || collector.strayCalls > 0 { wrong.count() }
            }
        }
        #expect(wrong.total == 0)
    }

    /// Nothing that happens on a connection reaches the process as a signal.
    @Test func signalsStayAway() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        // A reset connection that is written to would end the process, if its signal came.
        server.fail("a", .reset(.beforeHead), on: .reusedConnection)
        let client = try testClient()
        for _ in 0..<20 { #expect(try client.get(server.url("a"), 0..<10).succeeded) }
    }
}

private final class Tally: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var number = 0
    func count() { lock.withLock { number += 1 } }
    var total: Int { lock.withLock { number } }
}
