import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

@Suite struct CancelTests {
    private static let content = madeOnce(1 << 20, seed: 8)

    /// A server whose resource `a` stands still after 5,000 bytes.
    private func stalling() throws -> (FaultServer, StallGate) {
        let server = try FaultServer()
        let gate = StallGate()
        server.serve(Self.content, as: "a")
        server.serve(Self.content, as: "b")
        server.fail("a", .stall(.inBody(5000), gate))
        return (server, gate)
    }

    @Test func atOnceTwiceAndAfterTheEnd() throws {
        // It never comes to its end, however late it is cancelled.
        let (server, _) = try stalling()
        let client = try testClient()
        for _ in 0..<50 {
            let collector = Collector()
            let transfer = client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
            transfer.cancel()
            transfer.cancel()
            #expect(collector.failure == .cancelled)
            transfer.cancel()
        }
        let whole = Collector()
        let transfer = client.start(HTTPRequest(url: try RemoteURL(server.url("b"))), whole)
        #expect(whole.succeeded)
        transfer.cancel()
        #expect(try client.get(server.url("b")).succeeded)
        #expect(whole.endCount == 1 && whole.strayCalls == 0)
    }

    /// A running one ends at once and its connection with it, although the server says nothing any more.
    @Test func whileItRuns() throws {
        let (server, gate) = try stalling()
        let client = try testClient()
        let collector = Collector()
        let transfer = client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
        gate.waitForArrivals()
        collector.waitForBytes(1)
        transfer.cancel()
        #expect(collector.failure == .cancelled)
        #expect(server.waitUntilIdle())
        #expect(try client.get(server.url("b")).succeeded)
        #expect(collector.endCount == 1 && collector.strayCalls == 0)
    }

    @Test func fromTheReceiversCalls() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        let client = try testClient()
        for inHead in [true, false] {
            let own = Transfers()
            let collector = Collector(
                onHead: { _ in
                    if inHead { own.cancelAll() }
                    return .take
                },
                onBytes: { _ in
                    own.cancelAll()
                    return .take
                })
            own.start(client, HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
            #expect(collector.failure == .cancelled)
            #expect(collector.endCount == 1 && collector.strayCalls == 0)
            if inHead { #expect(collector.bytes.isEmpty) }
        }
    }

    @Test func stops() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        server.serve(.made(100, seed: 1), as: "small")
        // One connection at a time: a second one then says that the first was given up, not that it was still being
        // read.
        let client = try testClient { $0.connectionsPerHost = 1 }
        func ask(_ name: String, _ collector: Collector) throws {
            client.start(HTTPRequest(url: try RemoteURL(server.url(name))), collector)
            #expect(collector.failure == .cancelled)
            #expect(collector.endCount == 1 && collector.strayCalls == 0)
        }
        // A small body is read in vain, and a whole one costs nothing either: the connection stays.
        let atHead = Collector(onHead: { _ in .stop })
        try ask("small", atHead)
        #expect(atHead.bytes.isEmpty)
        try ask("small", Collector(onBytes: { _ in .stop }))
        #expect(try client.get(server.url("small")).bytes.count == 100)
        #expect(server.connectionCount == 1)
        try ask("a", Collector(onHead: { _ in .stop }))
        try ask("a", Collector(onBytes: { _ in .stop }))
        #expect(try client.get(server.url("a")).succeeded)
        #expect(server.waitUntilIdle())
    }

    /// Those in line go without ever having been sent.
    @Test func inLine() throws {
        let (server, gate) = try stalling()
        let client = try testClient { $0.connectionsPerHost = 2 }
        let stalled = try (0..<2).map { _ in
            let collector = Collector()
            return (collector, client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector))
        }
        gate.waitForArrivals(2)
        let waiting = try (0..<200).map { _ in
            let collector = Collector()
            return (collector, client.start(HTTPRequest(url: try RemoteURL(server.url("b"))), collector))
        }
        for (collector, transfer) in waiting.dropLast() {
            transfer.cancel()
            #expect(collector.failure == .cancelled)
        }
        #expect(server.log.of("b").isEmpty)
        #expect(waiting[199].0.endCount == 0)
        stalled[0].1.cancel()
        #expect(waiting[199].0.succeeded)
        stalled[1].1.cancel()
        #expect(stalled.allSatisfy { $0.0.failure == .cancelled })
        #expect(server.log.of("b").count == 1)
    }

    @Test func closeWithAllUnderWay() throws {
        let (server, gate) = try stalling()
        let client = try testClient()
        let collectors = try (0..<20).map { _ in
            let collector = Collector()
            client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
            return collector
        }
        gate.waitForArrivals(4)
        client.close()
        // Nothing comes behind `close`.
        #expect(collectors.allSatisfy { $0.endCount == 1 && $0.failure == .cancelled })
        client.close()
        #expect(try client.get(server.url("a")).failure == .cancelled)
        #expect(server.waitUntilIdle())
    }

    /// The client goes away in its own receiver's call, with its last reference.
    @Test func clientThatGoesAway() throws {
        let (server, gate) = try stalling()
        let collector = Collector()
        do {
            let client = try testClient()
            client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
            gate.waitForArrivals()
        }
        #expect(collector.failure == .cancelled)
        let owner = Transfers()
        let last = Collector(onHead: { _ in
            owner.closeClient()
            return .take
        })
        owner.start(try testClient(), HTTPRequest(url: try RemoteURL(server.url("a"))), last)
        #expect(last.failure == .cancelled)
    }

    @Test func closedBeforeTheFirstRequest() throws {
        let client = try testClient()
        client.close()
        #expect(try client.get("http://127.0.0.1:9/").failure == .cancelled)
    }
}

/// Transfers and their client, for receivers to reach.
private final class Transfers: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var transfers: [any HTTPCancelling] = []
    nonisolated(unsafe) private var client: HTTPClient?

    func start(_ client: HTTPClient, _ request: HTTPRequest, _ receiver: any HTTPReceiver) {
        // Held while it starts, so that the receiver finds it.
        lock.withLock {
            self.client = client
            transfers.append(client.start(request, receiver))
        }
    }

    func cancelAll() {
        for transfer in lock.withLock({ transfers }) { transfer.cancel() }
    }

    func closeClient() {
        let client = lock.withLock {
            defer { self.client = nil }
            return self.client
        }
        client?.close()
    }
}
