import Foundation

/// A small HTTP/1.1 server of the tests' own, on this machine only, which answers correctly except where it is told not
/// to.
///
/// It has plain sockets, a thread for each connection and no clock. It ends with its last reference: connections are
/// cut.
///
/// ```swift
/// let server = try FaultServer()
/// server.serve(bytes, as: "film.mp4")
/// server.fail("film.mp4", .ignoredRange, on: .every(3))
/// let address = server.url("film.mp4")
/// ```
package final class FaultServer: Sendable {
    /// Which address it listens at; the port is a free one.
    package enum Family: Sendable {
        case ipv4, ipv6
        /// Another address of the loopback network, which makes it another host: `127.0.0.x`.
        case otherLoopback(UInt8)
    }

    private let core: FaultServerCore
    private let family: Family

    /// - Parameter sendBuffer: the socket's buffer in bytes, so that writing is not far ahead of reading; `nil` is the
    ///   system's own choice.
    package init(_ family: Family = .ipv4, sendBuffer: Int32? = 128 << 10) throws {
        self.family = family
        core = try FaultServerCore(family, sendBuffer: sendBuffer)
        core.start()
    }

    deinit { core.stop() }

    /// The port it listens at.
    package var port: UInt16 { core.port }

    /// The host as a URL has it.
    package var host: String {
        switch family {
        case .ipv4: "127.0.0.1"
        case .ipv6: "[::1]"
        case .otherLoopback(let last): "127.0.0.\(last)"
        }
    }

    /// The address of a resource.
    package func url(_ name: String) -> String { "http://\(host):\(port)/\(name)" }

    // MARK: What is served

    /// Gives a name a content. A name that has one gets the next generation of it, and with it another tag unless one
    /// is given.
    package func serve(
        _ content: FaultContent, as name: String, etag: String?? = nil, modified: String?? = nil,
        type: String = "application/octet-stream"
    ) {
        core.state.with { state in
            let generation = state.resources[name].map { $0.generation + 1 } ?? 0
            var resource = FaultResource(content: content, type: type, generation: generation)
            resource.etag = etag ?? "\"\(name.utf8.reduce(7) { $0 &* 31 &+ UInt32($1) })-\(generation)\""
            resource.modified = modified ?? Self.date(generation)
            state.resources[name] = resource
        }
    }

    package func serve(
        _ bytes: [UInt8], as name: String, etag: String?? = nil, modified: String?? = nil,
        type: String = "application/octet-stream"
    ) {
        serve(FaultContent(bytes), as: name, etag: etag, modified: modified, type: type)
    }

    package func serve(file path: String, as name: String) throws {
        serve(try FaultContent(file: path), as: name)
    }

    /// Takes a name away: 404 from now on.
    package func remove(_ name: String) { core.state.with { $0.resources[name] = nil } }

    /// A date of 2020, a minute later with each generation.
    package static func date(_ generation: Int) -> String {
        let (hour, minute) = (generation / 60 % 24, generation % 60)
        let time = [hour, minute].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
        return "Wed, 01 Jan 2020 \(time):00 GMT"
    }

    // MARK: Faults

    /// Makes a resource's answers faulty, from now on. Several faults work one after the other.
    package func fail(_ name: String, _ fault: Fault, on occasion: FaultOccasion = .always) {
        core.state.with { $0.rules[name, default: []].append((fault, occasion)) }
    }

    /// Takes all faults of a resource away.
    package func heal(_ name: String) { core.state.with { $0.rules[name] = nil } }

    /// A name that redirects.
    package func redirect(_ name: String, to location: String, status: Int = 302) {
        if core.state.with({ $0.resources[name] == nil }) { serve([], as: name) }
        fail(name, .redirect(to: location, status: status))
    }

    /// A chain of redirects within the server, `first-0` to `first-(count - 1)` and from there to `last`; the first
    /// one's name.
    package func redirectChain(_ first: String, count: Int, to last: String) -> String {
        for place in 0..<count {
            redirect("\(first)-\(place)", to: place + 1 < count ? "/\(first)-\(place + 1)" : "/\(last)")
        }
        return "\(first)-0"
    }

    // MARK: What happened

    /// All requests so far, in order of arrival.
    package var log: [FaultLogEntry] { core.state.with { $0.log } }

    /// Forgets the log and begins to count each resource's requests again. Answers on their way are not logged any
    /// more.
    package func clearLog() {
        core.state.with { state in
            state.log = []
            state.counts = [:]
            state.epoch += 1
        }
    }

    /// Waits until the log is as wanted; false when it did not become so within ten seconds.
    @discardableResult
    package func wait(until isThere: ([FaultLogEntry]) -> Bool) -> Bool {
        core.state.wait(atMost: 10) { isThere($0.log) }
    }

    /// Waits until no answer is on its way.
    @discardableResult
    package func waitUntilIdle() -> Bool { wait { $0.allSatisfy(\.isOver) } }

    /// The number of connections that were accepted.
    package var connectionCount: Int { core.state.with { $0.connectionCount } }

    /// The number of connections that are open.
    package var openConnectionCount: Int { core.state.with { $0.open.count } }

    /// Cuts all connections that are open.
    package func cutConnections() { core.cutConnections() }

    /// Accepts nothing any more and cuts open connections; its port refuses from then on.
    package func stop() { core.stop() }
}
