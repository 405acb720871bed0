#if Viewer
import Foundation
import Scrub
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// The newest request of a client wins, and nothing is decoded for clients that left.
@Suite(.timeLimit(.minutes(20))) struct LaneTests {
    /// A server that has ended keeps nothing: a program may start many one after the other.
    @Test func anEndedServerReleasesItsFilms() async throws {
        let folder = try TemporaryFolder()
        let film = folder.path + "/film.mp4"
        try FileManager.default.copyItem(atPath: TestViewer.clips + "demo.mp4", toPath: film)
        func descriptors() -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == film
            }
        }
        try await withViewer([film]) { viewer in
            let id = try await viewer.id()
            for client in [[], ["Scrub-Client: a", "Scrub-Turn: 1"]] {
                #expect(try await viewer.get("/api/media/\(id)/frame?at=f9", client).status == 200)
            }
            _ = try await viewer.get("/api/media/\(id)/strip")
            #expect(descriptors() > 0)
        }
        // Threads that were decoding end by themselves; the suite's time limit ends what never comes.
        while descriptors() > 0 { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func anOlderTurnIsNotDecoded() async throws {
        try await withViewer { viewer in
            let path = "/api/media/\(try await viewer.id())/frame?width=64&at="
            #expect(try await viewer.get(path + "f100", ["Scrub-Client: a", "Scrub-Turn: 5"]).status == 200)
            let begun = try #require(try await viewer.object("status")["decodesBegun"] as? Int)
            let old = try await viewer.get(path + "f150", ["Scrub-Client: a", "Scrub-Turn: 4"])
            #expect(old.status == 204 && old["scrub-superseded"] == "1" && old.body.isEmpty)
            #expect(try await viewer.object("status")["decodesBegun"] as? Int == begun)
            // The same turn asks for the exact one after the nearest; another client has turns of its own.
            #expect(try await viewer.get(path + "f150", ["Scrub-Client: a", "Scrub-Turn: 5"]).status == 200)
            #expect(try await viewer.get(path + "f151", ["Scrub-Client: b", "Scrub-Turn: 1"]).status == 200)
        }
    }

    @Test func ofManyAtOnceTheNewestIsAnswered() async throws {
        try await withViewer { viewer in
            let path = "/api/media/\(try await viewer.id())/frame?width=64&at=f"
            for round in 0..<5 {
                let answers = try await withThrowingTaskGroup(of: (Int, RawAnswer).self) { group in
                    for number in 0..<24 {
                        let frame = (number * 53 + round * 17) % 210
                        let stage = number % 3 == 0 ? "&stage=nearest" : ""
                        let headers = ["Scrub-Client: a", "Scrub-Turn: \(round * 24 + number)"]
                        group.addTask { (number, try await viewer.get(path + "\(frame)" + stage, headers)) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                for (number, answer) in answers {
                    #expect([200, 204].contains(answer.status), "\(number): \(answer.status)")
                    guard answer.status == 200, answer["scrub-stage"] == "exact" else { continue }
                    #expect(answer["scrub-frame"] == "\((number * 53 + round * 17) % 210)")
                }
                let newest = try #require(answers[23])
                #expect(newest.status == 200 && newest["scrub-stage"] == "exact")
            }
            let status = try await viewer.object("status")
            #expect(status["underWayByClientMax"] as? Int == 1)
            try await viewer.wait("underWay", is: 0)
        }
    }

    @Test func nothingIsDecodedForAClientThatLeft() async throws {
        try await withViewer(["h264-bf3.mp4", "demo.mp4"]) { viewer in
            let path = "/api/media/\(try await viewer.id(1))/frame?format=png&at=f"
            let port = viewer.port
            for round in 0..<30 {
                try await BlockingWork.run {
                    let connection = try RawConnection(port: port)
                    let client = round % 4 == 3 ? [] : ["Scrub-Client: c\(round % 3)", "Scrub-Turn: \(round)"]
                    try connection.ask(path + "\((round * 67 + 40) % 210)", client)
                    // Half of them end their half of the connection, the others all of it.
                    if round % 2 == 0 {
                        connection.endSending()
                        _ = try connection.rest()
                    }
                }
            }
            try await viewer.wait("underWay", is: 0)
            let status = try await viewer.object("status")
            let counts = ["decodesBegun", "decodesFinished", "decodesCancelled"].compactMap { status[$0] as? Int }
            #expect(counts.count == 3 && counts[0] == counts[1] + counts[2], "\(status)")
            #expect(status["underWayByClientMax"] as? Int == 1)
            try await viewer.wait("connections", is: 1)
            // And the next one is served as ever.
            #expect(try await viewer.get(path + "7", ["Scrub-Client: c0", "Scrub-Turn: 1000"])["scrub-frame"] == "7")
        }
    }

    @Test func aSessionThatIsCancelledDecodesNoMore() async throws {
        let video = try await VideoAsset.open(
            path: TestViewer.clips + "demo.mp4", options: VideoAsset.OpenOptions(cache: .none))
        var options = ScrubSession.Options()
        options.keyPictureCount = 0
        let session = try ScrubSession(video, options: options)
        let updates = session.updates
        for frame in [150, 20, 199] {
            session.scrub(toFrame: frame, isMoving: false)
            session.cancelPendingRequest()
            await withCheckedContinuation { idle in
                Task.detached {
                    _ = try? await BlockingWork.run { session.waitUntilIdle() }; idle.resume()
                }
            }
            let pictures = session.counters.decodedPictureCount
            // Nothing is prepared either: the next request finds the decoder where it was left.
            #expect(session.counters.decodedPictureCount == pictures)
        }
        session.scrub(toFrame: 199, isMoving: false)
        for await update in updates where update.stage == .exact {
            #expect(update.requestedFrame == 199 && update.verdict == .exact && update.request == 4)
            break
        }
    }

    @Test func theNearestComesWhileTheExactIsMade() async throws {
        try await withViewer { viewer in
            let id = try await viewer.id()
            while try await viewer.object("media/\(id)/strip.json")["state"] as? String == "making" {
                try await Task.sleep(for: .milliseconds(5))
            }
            for (turn, frame) in stride(from: 5, to: 205, by: 11).enumerated() {
                let path = "/api/media/\(id)/frame?width=320&at=f\(frame)"
                let headers = ["Scrub-Client: a", "Scrub-Turn: \(turn)"]
                let near = try await viewer.get(path + "&stage=nearest", headers)
                let shown = try #require(near["scrub-frame"].flatMap { Int($0) })
                #expect(near.status == 200 && near["cache-control"] == "no-store")
                // With the whole strip there, nothing near is far.
                #expect(
                    near["scrub-stage"] == "exact" ? shown == frame : abs(shown - frame) <= 210 / 100 + 3,
                    "\(frame) \(shown)")
                if near["scrub-stage"] == "nearest" { #expect(near["scrub-verdict"] == "approximate") }
                let exact = try await viewer.get(path, headers)
                #expect(exact["scrub-frame"] == "\(frame)" && exact["scrub-stage"] == "exact")
            }
        }
    }

    /// A finger's requests are counted, and those that found their very frame within a display's.
    @Test func movesThatFindTheirFrameAreCounted() async throws {
        try await withViewer { viewer in
            let path = "/api/media/\(try await viewer.id())/frame?width=64&at=f"
            #expect(try await viewer.get(path + "100", ["Scrub-Client: a", "Scrub-Turn: 0"]).status == 200)
            // Every frame has room for its preview.
            try await viewer.wait("previewFrames", is: 210)
            #expect(try #require(try await viewer.object("status")["previewBytes"] as? Int) > 0)
            var (surely, perhaps) = (0, 0)
            for turn in 1...40 {
                let frame = turn * 83 % 210
                let near = try await viewer.get(
                    path + "\(frame)&stage=nearest", ["Scrub-Client: a", "Scrub-Turn: \(turn)"])
                #expect(near.status == 200)
                let milliseconds = try #require(near["scrub-milliseconds"].flatMap { Double($0) })
                guard near["scrub-stage"] != "nearest" else { continue }
                #expect(near["scrub-frame"] == "\(frame)")
                // The header is rounded.
                if milliseconds < 16.7 { surely += 1 }
                if milliseconds <= 16.7 { perhaps += 1 }
            }
            let status = try await viewer.object("status")
            #expect(status["moves"] as? Int == 40)
            let right = try #require(status["rightShown"] as? Int)
            #expect((surely...perhaps).contains(right), "\(right)")
        }
    }

    @Test func manyClientsShareWhatThereIs() async throws {
        try await withViewer(["demo.mp4"]) {
            // Room for a few decoders and no more.
            $0.limits.pictureByteLimit = 24 << 20
            $0.limits.clients = 6
        } _: { viewer in
            let id = try await viewer.id()
            let seed = SplitMix.seed()
            let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
                for client in 0..<16 {
                    group.addTask {
                        var random = SplitMix(seed &+ UInt64(client))
                        var wrong = 0
                        for turn in 0..<12 {
                            let frame = Int.random(in: 0..<210, using: &random)
                            let path =
                                "/api/media/\(id)/frame?width=64&at=f\(frame)" + (turn % 2 == 0 ? "&stage=nearest" : "")
                            let answer = try await viewer.get(
                                path, ["Scrub-Client: m\(client)", "Scrub-Turn: \(turn)"])
                            let isRight = answer.status == 200 && (turn % 2 == 0 || answer["scrub-frame"] == "\(frame)")
                            if !isRight { wrong += 1 }
                        }
                        return wrong
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(wrong == 0, "seed \(seed)")
            let status = try await viewer.object("status")
            let peak = try #require(status["memoryPeakBytes"] as? Int)
            #expect(peak <= 24 << 20)
            #expect(status["underWayByClientMax"] as? Int == 1)
            let clients = try #require(status["clients"] as? Int)
            #expect(clients <= 6)
        }
    }

    @Test func encodedPicturesStayWithinTheirBytes() throws {
        var random = SplitMix(7)
        let cache = EncodedCache(byteLimit: 100_000)
        let form = PictureForm(width: 64, format: .jpeg)
        for number in 0..<2000 {
            let count = Int.random(in: 1...30_000, using: &random)
            let frame = number % 300
            cache.insert(ServedFrame(frame: frame, form: form, bytes: [UInt8](repeating: 0, count: count)), of: "m")
            #expect(cache.byteCount <= 100_000)
            let near = cache.nearest(to: .init(medium: "m", frame: frame, form: form))
            if count <= 25_000 { #expect(near?.frame == frame) }
        }
        #expect(cache.nearest(to: .init(medium: "other", frame: 0, form: form)) == nil)
    }
}
#endif
