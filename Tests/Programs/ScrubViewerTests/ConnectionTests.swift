#if Viewer
import Foundation
import ScrubBase
import ScrubMedia
import ScrubStoryboards
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// Clients that are slow, silent or gone, and the server's end.
@Suite(.timeLimit(.minutes(20))) struct ConnectionTests {
    @Test func drippingAndSilenceEnd() async throws {
        try await withViewer(["demo.mp4"]) {
            $0.limits.idleTime = .milliseconds(200)
        } _: { viewer in
            let port = viewer.port
            // Each is ended by the server: reading comes to the end without an answer.
            for start in ["", "GET", "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX: "] {
                let came = try await BlockingWork.run {
                    let connection = try RawConnection(port: port)
                    try connection.send(start)
                    return try connection.rest()
                }
                #expect(!String(decoding: came, as: UTF8.self).contains("200 OK"), "\(start)")
            }
            // A kept connection too, after its answer.
            let kept = try await BlockingWork.run {
                let connection = try RawConnection(port: port)
                try connection.ask("/")
                _ = try connection.answer()
                return try connection.rest()
            }
            #expect(kept.isEmpty)
            try await viewer.wait("connections", is: 1)
        }
    }

    @Test func aStalledReaderIsDisconnected() async throws {
        try await withViewer(["demo.mp4"]) {
            $0.limits.stallTime = .milliseconds(200)
        } _: { viewer in
            let (id, port) = (try await viewer.id(), viewer.port)
            let path = "/api/media/\(id)/frame?format=png&at=f60"
            let size = try await viewer.get(path).body.count
            let asked = 400
            let connection = try await BlockingWork.run {
                let connection = try RawConnection(port: port, receiveBytes: 4096)
                for _ in 0..<asked { try? connection.ask(path) }
                return Carried(connection)
            }
            // Nothing is read before the server has given up.
            try await viewer.wait("connections", is: 1)
            let came = try await BlockingWork.run { try connection.value.rest().count }
            #expect(came < asked * size, "\(came) of \(asked * size)")
        }
    }

    @Test func slowReadersGetEverything() async throws {
        try await withViewer(["demo.mp4"]) { viewer in
            let (id, port) = (try await viewer.id(), viewer.port)
            let path = "/api/media/\(id)/frame?format=png&at=f60"
            let whole = try await viewer.get(path).body
            let bodies = try await BlockingWork.run {
                let connection = try RawConnection(port: port, receiveBytes: 4096)
                for _ in 0..<3 { try connection.ask(path) }
                return try (0..<3).map { _ in try connection.answer().body }
            }
            #expect(bodies == [whole, whole, whole])
        }
    }

    @Test func eventsTellAndEndWithTheServer() async throws {
        let viewer = try await TestViewer(["demo.mp4"]) { $0.limits.heartbeat = .milliseconds(50) }
        let (id, port) = (try await viewer.id(), viewer.port)
        let listening = try await BlockingWork.run {
            let connection = try RawConnection(port: port)
            try connection.ask("/api/events")
            try connection.read(until: "retry: 2000")
            return Carried(connection)
        }
        #expect(try await viewer.get("/api/media/\(id)/frame?at=f33&width=64", ["Scrub-Client: e"]).status == 200)
        try await BlockingWork.run {
            try listening.value.read(until: "\"requested\":33,\"actual\":33,\"stage\":\"exact\"")
            // It says that it is there.
            try listening.value.read(until: ":\n\n")
        }
        #expect(try await viewer.object("status")["listeners"] as? Int == 1)
        // One that leaves is forgotten.
        try await BlockingWork.run {
            let connection = try RawConnection(port: port)
            try connection.ask("/api/events")
            try connection.read(until: "retry: 2000")
        }
        try await viewer.wait("listeners", is: 1)
        // The stream is open, another connection is kept, and a third has asked for half a thing.
        let others = try await BlockingWork.run {
            let (kept, half) = (try RawConnection(port: port), try RawConnection(port: port))
            try kept.ask("/")
            _ = try kept.answer()
            try half.send("GET / HT")
            return Carried([kept, half])
        }
        try await viewer.close()
        let rest = try await BlockingWork.run {
            for other in others.value { _ = try other.rest() }
            return try listening.value.rest()
        }
        #expect(rest.suffix(5).elementsEqual("0\r\n\r\n".utf8), "\(String(decoding: rest.suffix(40), as: UTF8.self))")
    }

    @Test func slowListenersLoseTheOldest() async {
        let hub = EventHub()
        guard let (listener, end) = hub.listen() else {
            Issue.record("nobody may listen")
            return
        }
        for number in 0..<300 { hub.tell("seek") { $0.add("requested", number) } }
        let text = await listener.next() ?? ""
        #expect(
            text.hasPrefix(
                "data: {\"kind\":\"dropped\",\"count\":44}\n\nid: 45\ndata: {\"kind\":\"seek\",\"requested\":44}\n\n"))
        #expect(text.hasSuffix("\"requested\":299}\n\n"))
        hub.beat()
        end()
        #expect(await listener.next() == nil && hub.listenerCount == 0)
        let many = (0..<EventHub.mostListeners).map { _ in hub.listen() }
        #expect(many.allSatisfy { $0 != nil } && hub.listen() == nil)
        hub.close()
        #expect(hub.listenerCount == 0 && hub.listen() == nil)
    }

    @Test func aPortThatIsTakenIsSaid() async throws {
        try await withViewer { viewer in
            await #expect(throws: ScrubError.self) { _ = try await TestViewer { $0.port = viewer.port } }
            // Unless the next one will do.
            try await withViewer {
                $0.port = viewer.port
                $0.takesNextPort = true
            } _: { next in
                let answers = [try await next.get("/").status, try await viewer.get("/").status]
                #expect(next.port != viewer.port && answers == [200, 200])
            }
        }
    }

    @Test func anyFreePortIsNeverTaken() async throws {
        // All at once: each has a port of its own.
        let ports = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<24 {
                group.addTask { try await withViewer { try await $0.get("/").status == 200 ? $0.port : 0 } }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(!ports.contains(0))
    }

    /// The program that people run for everything else has nothing of the server in it.
    @Test func theServerIsAProgramOfItsOwn() throws {
        let folder = try #require(
            sequence(first: Bundle.main.bundleURL) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
                .first { FileManager.default.fileExists(atPath: $0.appending(path: "scrub-view").path) }
                ?? CommandLine.arguments.lazy.map { URL(filePath: $0).deletingLastPathComponent() }
                .first { FileManager.default.fileExists(atPath: $0.appending(path: "scrub-view").path) })
        let (own, server) = (
            try Data(contentsOf: folder.appending(path: "scrub"), options: .mappedIfSafe),
            try Data(contentsOf: folder.appending(path: "scrub-view"), options: .mappedIfSafe)
        )
        // The last one as symbols have it, with its length: ScrubViewerOptions is in both.
        for name in ["NIOPosix", "Hummingbird", "11ScrubViewer"] {
            #expect(server.range(of: Data(name.utf8)) != nil && own.range(of: Data(name.utf8)) == nil, "\(name)")
        }
    }

    @Test func stripsAndSetsAreWhatPlayersRead() async throws {
        try await withViewer { viewer in
            let id = try await viewer.id()
            let text = try await viewer.get("/api/media/\(id)/strip.vtt")
            #expect(text["content-type"] == "text/vtt; charset=utf-8")
            let track = try Storyboard.WebVTT(parsing: text.text)
            #expect(track.cues.count == 200 && track.cues.first?.start == 0)
            for url in Set(track.cues.map(\.url)) {
                // Without a version it is the whole one, however long that takes.
                let sheet = try await viewer.get("/api/media/\(id)/" + url)
                #expect(
                    sheet.status == 200 && sheet["content-type"] == "image/webp"
                        && sheet.body.prefix(4).elementsEqual("RIFF".utf8))
            }
            let strip = try await viewer.object("media/\(id)/strip.json")
            #expect(strip["state"] as? String == "ready" && strip["done"] as? Int == strip["total"] as? Int)
            let tiles = try #require(strip["tiles"] as? [[String: Int]])
            #expect(tiles.count == 200 && tiles.compactMap { $0["frame"] }.isAscending)
            let sheet = try #require((strip["sheets"] as? [[String: Any]])?.first?["url"] as? String)
            #expect(try await viewer.get("/api/media/\(id)/" + sheet).status == 200)
            let set = try await viewer.get("/api/media/\(id)/set?profile=jellyfin&every=1")
            #expect(set.status == 200 && set["content-type"] == "application/zip")
            #expect(set["content-disposition"] == "attachment; filename=\"demo.mp4-jellyfin.zip\"")
            let folder = try TemporaryFolder()
            try folder.write(set.body, to: "set.zip")
            let names = try ZipNames.check(set.body)
            #expect(names.contains { $0.hasPrefix("jellyfin/") && $0.hasSuffix(".jpg") }, "\(names)")
        }
    }

    @Test func checksumsAreThoseOfZip() {
        var sum = CRC32()
        sum.update(Array("123456789".utf8))
        #expect(sum.value == 0xCBF4_3926)
    }
}

/// A value that is handed from one piece of work to the next, never used by two at once.
struct Carried<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension [Int] {
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

/// A stored archive, read back by its directory.
enum ZipNames {
    /// The names in it.
    ///
    /// - Throws: if a file does not lie where the directory says, or has another checksum.
    static func check(_ bytes: [UInt8]) throws -> [String] {
        func number(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        let end = bytes.count - 22
        guard number(end, 4) == 0x0605_4B50 else { throw ScrubError(.badData, "no end") }
        var (place, names) = (number(end + 16, 4), [String]())
        for _ in 0..<number(end + 10, 2) {
            guard number(place, 4) == 0x0201_4B50 else { throw ScrubError(.badData, "no directory") }
            let (sum, size, length) = (number(place + 16, 4), number(place + 20, 4), number(place + 28, 2))
            let head = number(place + 42, 4)
            guard number(head, 4) == 0x0403_4B50, number(head + 26, 2) == length else {
                throw ScrubError(.badData, "no file")
            }
            var check = CRC32()
            check.update(Array(bytes[head + 30 + length..<head + 30 + length + size]))
            guard Int(check.value) == sum else { throw ScrubError(.badData, "another checksum") }
            names.append(String(decoding: bytes[place + 46..<place + 46 + length], as: UTF8.self))
            place += 46 + length
        }
        guard place == end else { throw ScrubError(.badData, "more or less than the directory") }
        return names
    }
}
#endif
