import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubMediaCache
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing

/// Whatever a server does: the right picture or a clear error, within the time-out, with few requests, and nothing
/// wrong is kept.
@Suite(.timeLimit(.minutes(20))) struct FaultTests {
    private static let frames = [260, 20]

    private func read(_ place: NetworkPlace, _ film: NetworkFilm, _ url: String) throws -> [String] {
        let asset = try place.open(url)
        var reader = FrameReader(asset)
        return try Self.frames.map { number in
            let answer = try reader.frame(numbered: number)
            guard answer.verdict == .exact, let picture = answer.picture else {
                throw ScrubError(.badData, "\(answer.verdict.name): \(answer.verdict.reason ?? "")")
            }
            return try picture.md5()
        }
    }

    private func check(
        _ end: FaultCase.End, _ film: NetworkFilm, _ body: () throws -> [String]
    ) -> String? {
        let right = Self.frames.map { film.hashes[$0] }
        do {
            let hashes = try body()
            if hashes != right { return "wrong pictures" }
            if case .error(let words) = end { return "pictures where an error with \(words) should be" }
            return nil
        } catch {
            let text = "\(error)"
            guard error is ScrubError else { return "an error without a type: \(text)" }
            switch end {
            case .pictures: return "no pictures: \(text)"
            case .error(let words), .either(let words):
                return words.contains { $0.isEmpty || text.contains($0) } ? nil : "not clear: \(text)"
            }
        }
    }

    @Test(arguments: FaultCase.all) func endsRightly(_ fault: FaultCase) throws {
        for film in [try NetworkFilm.indexLast.get(), try NetworkFilm.indexFirst.get()] {
            let server = try FaultServer()
            server.serve(film.bytes, as: "film.mp4")
            for (change, occasion) in fault.faults { server.fail("film.mp4", change, on: occasion) }
            let place = try NetworkPlace()
            let problem = check(fault.end, film) { try read(place, film, server.url("film.mp4")) }
            #expect(problem == nil)
            #expect(server.waitUntilIdle(), "something is still being written")
            let log = server.log
            #expect(log.count <= fault.requests, "\(log.count) requests")
            #expect(log.bytesWritten <= Int64(Double(film.bytes.count) * fault.share), "\(log.bytesWritten) bytes")
            try place.expectSound()
            // Bytes that were kept from the faulty time must not show later.
            server.heal("film.mp4")
            // An entry that was a lie is found out once.
            let second = try NetworkPlace(cacheOf: place)
            let first = check(.either(["changed", "do not exist"]), film) {
                try read(second, film, server.url("film.mp4"))
            }
            #expect(first == nil, "after it was well again")
            let later = try NetworkPlace(cacheOf: second)
            let rest = check(.pictures, film) { try read(later, film, server.url("film.mp4")) }
            #expect(rest == nil, "after it was well again, once more")
            try later.expectSound()
        }
    }

    @Test(arguments: [FaultAnswer.Place.beforeHead, .inHead(9), .beforeBody, .inBody(1000)], [0, 1, 2])
    func stallsEnd(_ stall: FaultAnswer.Place, _ request: Int) throws {
        let film = try NetworkFilm.indexLast.get()
        let server = try FaultServer()
        server.serve(film.bytes, as: "film.mp4")
        // Once: the next try has it. Always: an error in time.
        for occasion in [FaultOccasion.only(request), .from(request)] {
            let gate = StallGate()
            server.heal("film.mp4")
            server.clearLog()
            server.fail("film.mp4", .stall(stall, gate), on: occasion)
            let place = try NetworkPlace()
            let problem = check(.either(["in time", "slow", "no data arrived"]), film) {
                try read(place, film, server.url("film.mp4"))
            }
            #expect(problem == nil)
            #expect(gate.arrivalCount > 0 && gate.arrivalCount <= 12, "\(gate.arrivalCount)")
            // A reader that gave up has hung up: nothing is released.
            #expect(server.waitUntilIdle())
            try place.expectSound()
        }
    }

    @Test func aRefusedConnectionIsAnError() throws {
        let film = try NetworkFilm.indexLast.get()
        let server = try FaultServer()
        server.stop()
        let problem = check(.error(["refuse"]), film) { try read(NetworkPlace(), film, server.url("film.mp4")) }
        #expect(problem == nil)
    }

    @Test func contentIsReplacedBetweenAnswers() throws {
        let film = try NetworkFilm.indexLast.get()
        let other = try NetworkFilm.indexFirst.get()
        for request in 0...4 {
            for isWithin in [false, true] {
                let server = try FaultServer()
                server.serve(film.bytes, as: "film.mp4")
                server.fail(
                    "film.mp4", .call(.inBody(isWithin ? 5000 : 0)) { server.serve(other.bytes, as: "film.mp4") },
                    on: .only(request))
                if isWithin {
                    server.fail("film.mp4", .swapped(after: 5000, FaultContent(other.bytes)), on: .only(request))
                }
                let place = try NetworkPlace()
                // Within an answer nothing tells the bytes apart, until the next answer does.
                let problem = check(.either(isWithin ? [""] : ["changed"]), film) {
                    try read(place, film, server.url("film.mp4"))
                }
                if !isWithin { #expect(problem == nil, "request \(request)") }
                try place.expectSound()
                server.heal("film.mp4")
                // Requests that were made beside it were answered with the old one.
                let isSeen = server.log.contains { $0.isWhole && $0.generation > (server.log.first?.generation ?? 0) }
                if !isWithin || isSeen {
                    // A reader that knows of the change reads the new one, and nothing of the old one.
                    let later = try NetworkPlace(cacheOf: place)
                    let first = check(.either(["changed"]), film) { try read(later, film, server.url("film.mp4")) }
                    let second = try NetworkPlace(cacheOf: place)
                    let rest = check(.pictures, other) { try read(second, other, server.url("film.mp4")) }
                    #expect(first == nil || rest == nil, "request \(request) \(first ?? "") \(rest ?? "")")
                }
            }
        }
    }

    @Test func redirectsAreFollowedWithinBounds() throws {
        let film = try NetworkFilm.indexLast.get()
        let (server, other) = (try FaultServer(), try FaultServer(.otherLoopback(7)))
        server.serve(film.bytes, as: "film.mp4")
        other.serve(film.bytes, as: "film.mp4")
        for (count, end) in [(3, FaultCase.End.pictures), (30, .error(["redirect"]))] {
            let name = server.redirectChain("chain\(count)", count: count, to: "film.mp4")
            #expect(check(end, film) { try read(NetworkPlace(), film, server.url(name)) } == nil)
        }
        server.redirect("away", to: other.url("film.mp4"))
        let place = try NetworkPlace(headers: [("Authorization", "Basic eDp5"), ("X-Own", "1")])
        #expect(check(.pictures, film) { try read(place, film, server.url("away")) } == nil)
        #expect(server.log.of("away").contains { $0.request.value("Authorization") == "Basic eDp5" })
        #expect(other.log.allSatisfy { $0.request.value("Authorization") == nil && $0.request.value("X-Own") == nil })
    }

    @Test func authorizationIsSent() throws {
        let film = try NetworkFilm.indexLast.get()
        let server = try FaultServer(.ipv6)
        server.serve(film.bytes, as: "film.mp4")
        server.fail("film.mp4", .authorization("Basic eDp5"))
        let url = server.url("film.mp4")
        #expect(check(.error(["401"]), film) { try read(NetworkPlace(), film, url) } == nil)
        let place = try NetworkPlace(headers: [("Authorization", "Basic eDp5")])
        #expect(check(.pictures, film) { try read(place, film, url) } == nil)
        // Without credentials the bytes that others fetched are not available.
        #expect(check(.error(["401"]), film) { try read(NetworkPlace(cacheOf: place), film, url) } == nil)
        let inside = url.replacing("http://", with: "http://x:y@")
        #expect(check(.pictures, film) { try read(NetworkPlace(), film, inside) } == nil)
    }

    @Test func strangeContents() throws {
        let server = try FaultServer()
        for (name, content) in [
            ("empty", FaultContent([])), ("one", FaultContent([0])),
            ("zeros", FaultContent([UInt8](repeating: 0, count: 100_000))),
            ("huge", .made(1 << 40, seed: 3)), ("noise", .made(300_000, seed: 4)),
        ] {
            server.clearLog()
            server.serve(content, as: name)
            let place = try NetworkPlace()
            #expect(throws: ScrubError.self, "\(name)") { _ = try place.open(server.url(name)) }
            #expect(server.waitUntilIdle())
            #expect(server.log.bytesWritten < 48 << 20, "\(name): \(server.log.bytesWritten)")
            try place.expectSound()
        }
    }
}
