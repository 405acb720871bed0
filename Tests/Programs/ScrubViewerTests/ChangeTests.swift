#if Viewer
import Foundation
import Glibc
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// Files that are exchanged, written over, cut or removed while they are looked at.
@Suite(.timeLimit(.minutes(20))) struct ChangeTests {
    /// The way a file becomes another one.
    enum Way: CaseIterable {
        /// Another file takes its name.
        case rename
        /// Another file's bytes are written into it.
        case inPlace
        /// It is removed, and another one made.
        case anew
    }

    /// A film in a folder of its own.
    struct Film {
        let folder: TemporaryFolder
        var path: String { folder.path(of: "film.mp4") }

        init(_ clip: String = "demo.mp4") throws {
            folder = try TemporaryFolder()
            try FileManager.default.copyItem(atPath: TestViewer.clips + clip, toPath: path)
        }

        func become(_ clip: String, _ way: Way) throws {
            let other = TestViewer.clips + clip
            switch way {
            case .rename:
                try FileManager.default.copyItem(atPath: other, toPath: folder.path(of: "other"))
                try #require(rename(folder.path(of: "other"), path) == 0)
            case .inPlace: try Film.write(try Data(contentsOf: URL(filePath: other)), into: path)
            case .anew:
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.copyItem(atPath: other, toPath: path)
            }
        }

        /// Writes bytes into a file that is there, as `cp` does.
        static func write(_ bytes: Data, into path: String) throws {
            let file = open(path, O_WRONLY | O_TRUNC)
            try #require(file >= 0)
            defer { close(file) }
            try FileHandle(fileDescriptor: file).write(contentsOf: bytes)
        }
    }

    /// Returns the output of `seek --hash` for a clip's frame.
    private func hash(_ clip: String, _ frame: Int) async throws -> String {
        let video = try await VideoAsset.open(
            path: TestViewer.clips + clip, options: VideoAsset.OpenOptions(cache: .none))
        return "md5:" + (try #require(try await FrameGenerator(video).frame(at: .frame(frame)).picture).streamMD5())
    }

    @Test(arguments: Way.allCases)
    func anotherFileIsReportedAndShown(_ way: Way) async throws {
        let film = try Film()
        try await withViewer([film.path]) { viewer in
            let id = try await viewer.id()
            let old = try #require(try await viewer.media().first?["fingerprint"] as? String)
            let path = "/api/media/\(id)/frame?width=64&hash=1&at=f"
            for client in [[], ["Scrub-Client: a", "Scrub-Turn: 1"]] {
                #expect(try await viewer.get(path + "50&v=" + old, client)["scrub-hash"] == hash("demo.mp4", 50))
            }
            try film.become("h264-bf3.mp4", way)
            // Known frames and others, exact and near, to clients that have a decoder and to others.
            for query in ["50", "51", "50&stage=nearest", "51&stage=nearest"] {
                for client in [[], ["Scrub-Client: a", "Scrub-Turn: 2"], ["Scrub-Client: b"]] {
                    let answer = try await viewer.get(path + query + "&v=" + old, client)
                    #expect(answer.status == 409, "\(query) \(client): \(answer.status)")
                    #expect(answer.text.contains("\"code\":\"changed\"") && answer.text.contains("Reload the page"))
                    #expect(answer.text.contains("film.mp4 was replaced while it was being viewed"))
                    #expect(!answer.text.contains(film.folder.path) && answer["cache-control"] == "no-store")
                }
            }
            let medium = try #require(try await viewer.media().first)
            let new = try #require(medium["fingerprint"] as? String)
            #expect(new != old && medium["id"] as? String == id && medium["frameCount"] as? Int != 210)
            for client in [[], ["Scrub-Client: a", "Scrub-Turn: 3"], ["Scrub-Client: c"]] {
                for query in ["50&v=" + new, "50"] {
                    #expect(try await viewer.get(path + query, client)["scrub-hash"] == hash("h264-bf3.mp4", 50))
                }
            }
            let facts = try await viewer.object("media/\(id)")
            #expect(facts["fingerprint"] as? String == new)
        }
    }

    @Test func theListNoticesAChangeByItself() async throws {
        let film = try Film()
        try await withViewer([film.path, TestViewer.clips + "vp9-altref.webm"]) {
            // The film is in the list and closed: another one was opened after it.
            $0.limits.openMedia = 1
        } _: { viewer in
            let old = try #require(try await viewer.media().first?["fingerprint"] as? String)
            try film.become("h264-bf3.mp4", .rename)
            let media = try await viewer.media()
            #expect(media.first?["fingerprint"] as? String != old && media.first?["state"] as? String == "ready")
            #expect(media.last?["state"] as? String == "ready")
        }
    }

    @Test func aListenerHearsOfIt() async throws {
        let film = try Film()
        try await withViewer([film.path]) { viewer in
            let (id, port) = (try await viewer.id(), viewer.port)
            let listening = try await BlockingWork.run {
                let connection = try RawConnection(port: port)
                try connection.ask("/api/events")
                try connection.read(until: "retry: 2000")
                return Carried(connection)
            }
            try film.become("h264-bf3.mp4", .inPlace)
            _ = try await viewer.get("/api/media/\(id)/frame?at=f1")
            try await BlockingWork.run {
                try listening.value.read(until: "{\"kind\":\"media\",\"id\":\"\(id)\"}")
            }
        }
    }

    @Test func touchedFilesKeepTheirIdentity() async throws {
        let film = try Film()
        try await withViewer([film.path]) { viewer in
            let id = try await viewer.id()
            let print = try #require(try await viewer.media().first?["fingerprint"] as? String)
            // Another name for the same file, other rights: nothing that a page has to know of.
            try #require(link(film.path, film.folder.path(of: "again.mp4")) == 0)
            try #require(chmod(film.path, 0o600) == 0)
            let answer = try await viewer.get("/api/media/\(id)/frame?width=64&at=f5&v=" + print)
            #expect(answer.status == 200 && answer["cache-control"] == "private, max-age=31536000, immutable")
            // Away and back.
            try #require(rename(film.path, film.folder.path(of: "away")) == 0)
            #expect(try await viewer.get("/api/media/\(id)/frame?at=f5&v=" + print).status == 410)
            try #require(rename(film.folder.path(of: "away"), film.path) == 0)
            #expect(try await viewer.get("/api/media/\(id)/frame?width=64&at=f6&v=" + print).status == 200)
        }
    }

    @Test func aRemovedFileIsGoneUntilThereIsOneAgain() async throws {
        let film = try Film()
        try await withViewer([film.path]) { viewer in
            let id = try await viewer.id()
            let path = "/api/media/\(id)/frame?width=64&at=f5"
            #expect(try await viewer.get(path, ["Scrub-Client: a"]).status == 200)
            try FileManager.default.removeItem(atPath: film.path)
            for client in [["Scrub-Client: a"], []] {
                let answer = try await viewer.get(path, client)
                #expect(answer.status == 410 && answer.text.contains("\"code\":\"removed\""), "\(answer.text)")
                #expect(answer.text.contains("film.mp4 was removed") && !answer.text.contains(film.folder.path))
            }
            let medium = try #require(try await viewer.media().first)
            #expect(medium["state"] as? String == "failed" && medium["frameCount"] == nil)
            #expect((medium["error"] as? String)?.contains("was removed") == true)
            try FileManager.default.copyItem(atPath: TestViewer.clips + "h264-bf3.mp4", toPath: film.path)
            #expect(try await viewer.get(path, ["Scrub-Client: a"]).status == 200)
            #expect(try await viewer.media().first?["state"] as? String == "ready")
        }
    }

    @Test func aFileThatIsCutIsNeverHalfShown() async throws {
        let film = try Film()
        try await withViewer([film.path]) { viewer in
            let id = try await viewer.id()
            let old = try #require(try await viewer.media().first?["fingerprint"] as? String)
            let size = try #require(try FileManager.default.attributesOfItem(atPath: film.path)[.size] as? Int)
            let whole = try await hash("demo.mp4", 3)
            for part in [size - 1, size / 2, 100, 0] {
                try #require(truncate(film.path, off_t(part)) == 0)
                let path = "/api/media/\(id)/frame?width=64&hash=1&at=f"
                for frame in [3, 200] {
                    let answer = try await viewer.get(path + "\(frame)&v=" + old, ["Scrub-Client: a"])
                    #expect([404, 409, 422].contains(answer.status), "\(part) \(frame): \(answer.status)")
                    // The file that is still there is a file of its own, and shown as far as it goes.
                    let other = try await viewer.get(path + "\(frame)")
                    #expect([200, 400, 404, 422].contains(other.status), "\(part) \(frame): \(other.status)")
                    if other.status == 200, other["scrub-verdict"] == "exact", frame == 3 {
                        #expect(other["scrub-hash"] == whole)
                    }
                }
                if part == 0 { #expect(try await viewer.media().first?["state"] as? String == "failed") }
            }
            // One that could not be opened is looked at again as soon as it is another one.
            try film.become("demo.mp4", .inPlace)
            #expect(try await viewer.media().first?["state"] as? String == "ready")
            #expect(
                try await viewer.get("/api/media/\(id)/frame?width=64&hash=1&at=f3", ["Scrub-Client: a"])["scrub-hash"]
                    == whole)
        }
    }

    @Test func aFailedFileMayBecomeAVideo() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("no video".utf8, to: "film.mp4")
        try await withViewer([path, folder.path(of: "later.mp4")]) { viewer in
            #expect(try await viewer.media().map { $0["state"] as? String } == ["failed", "failed"])
            #expect(try await viewer.get("/api/media/\(try await viewer.id(1))").status == 404)
            for name in ["film.mp4", "later.mp4"] {
                try? FileManager.default.removeItem(atPath: folder.path(of: name))
                try FileManager.default.copyItem(
                    atPath: TestViewer.clips + "h264-bf3.mp4", toPath: folder.path(of: name))
            }
            #expect(try await viewer.get("/api/media/\(try await viewer.id(1))/frame?at=f1").status == 200)
            #expect(try await viewer.media().map { $0["state"] as? String } == ["ready", "ready"])
        }
    }

    @Test func aStripUnderWayIsThatOfOneFile() async throws {
        let film = try Film()
        try await withViewer([film.path]) { viewer in
            let id = try await viewer.id()
            let tile = "/api/media/\(id)/sheet/0.webp"
            let begun = try await viewer.object("media/\(id)/strip.json")
            #expect((150...200).contains(begun["total"] as? Int ?? 0))
            let vtt = try await viewer.get("/api/media/\(id)/strip.vtt").text
            try film.become("vp9-altref.webm", .inPlace)
            let (next, track) = (
                try await viewer.object("media/\(id)/strip.json"), try await viewer.get("/api/media/\(id)/strip.vtt")
            )
            let count = try #require(try await viewer.media().first?["frameCount"] as? Int)
            #expect((next["total"] as? Int) != (begun["total"] as? Int) && track.text != vtt && count != 210)
            let sheet = try await viewer.get(tile)
            // The same as of a server that never knew another file.
            let fresh = try await withViewer([film.path]) { other in
                try await other.get("/api/media/\(try await other.id())/sheet/0.webp").body
            }
            #expect(sheet.status == 200 && sheet.body == fresh)
            // And one without a request since: the strip goes on over bytes that change, and is thrown away
            // whole.
            try film.become("demo.mp4", .inPlace)
            let (id2, port) = (id, viewer.port)
            let waiting = Task {
                try await BlockingWork.run {
                    let connection = try RawConnection(port: port)
                    try connection.ask("/api/media/\(id2)/sheet/0.webp")
                    return try connection.answer()
                }
            }
            while try await viewer.object("media/\(id)/strip.json")["done"] as? Int == 0 {
                try await Task.sleep(for: .milliseconds(1))
            }
            try film.become("h264-bf3.mp4", .rename)
            _ = try await viewer.media()
            // A request that waits for its sheet hears that there is none, unless it was whole before.
            #expect([200, 409].contains(try await waiting.value.status))
        }
    }

    @Test func aChangeInTheMiddleIsNoticed() async throws {
        let film = try Film()
        let named = try #require(try NamedMedium.list([film.path]).first)
        let library = MediaLibrary(
            [named], options: VideoAsset.OpenOptions(cache: .none), network: .init(), openLimit: 4, changed: { _ in },
            retired: { _ in })
        let first = try #require(try await library.medium(named.id))
        #expect(await library.isStill(first))
        for way in Way.allCases {
            let medium = try #require(try await library.medium(named.id))
            #expect(medium === (try await library.medium(named.id)))
            try film.become(way == .inPlace ? "h264-bf3.mp4" : "demo.mp4", way)
            #expect(await !library.isStill(medium) && medium.isRetired)
            let next = try #require(try await library.medium(named.id))
            #expect(next !== medium && next.content != medium.content)
        }
        // The very same bytes at the very same time: files that were kept of the other state are not used again.
        let before = try #require(try await library.medium(named.id))
        var facts = stat()
        try #require(stat(film.path, &facts) == 0)
        try Film.write(try Data(contentsOf: URL(filePath: film.path)), into: film.path)
        try #require(utimensat(AT_FDCWD, film.path, [facts.st_atim, facts.st_mtim], 0) == 0)
        let after = try #require(try await library.medium(named.id))
        #expect(after !== before && after.fingerprint == before.fingerprint && after.content != before.content)
    }

    /// An answer: the frame's hash by the version that was asked for.
    private struct Seen: Hashable {
        let version: String
        let frame: Int
        let hash: String
    }

    /// Clients ask while one film is written over another, in pieces: whatever comes with a film's version is that
    /// film's.
    @Test func picturesAreThoseOfTheirVersion() async throws {
        let film = try Film()
        let names = ["demo.mp4", "h264-bf3.mp4"]
        let bytes = try names.map { try Data(contentsOf: URL(filePath: TestViewer.clips + $0)) }
        var hashes: [[Int: String]] = []
        for name in names {
            var known: [Int: String] = [:]
            for frame in stride(from: 0, to: 40, by: 4) { known[frame] = try await hash(name, frame) }
            hashes.append(known)
        }
        let seed = SplitMix.seed()
        try await withViewer([film.path]) { viewer in
            let id = try await viewer.id()
            let isDone = Locked(false)
            let path = film.path
            let writer = Task { [hashes] in
                defer { isDone.withLock { $0 = true } }
                var random = SplitMix(seed)
                var versions: [String: Int] = [:]
                for round in 1...24 {
                    do {
                        let file = open(path, O_WRONLY | (round % 3 == 0 ? O_TRUNC : 0))
                        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
                        var rest = bytes[round % 2]
                        while !rest.isEmpty {
                            let count = Int.random(in: 1...rest.count, using: &random)
                            try handle.write(contentsOf: rest.prefix(count))
                            rest = rest.dropFirst(count)
                            if Bool.random(using: &random) { _ = try await viewer.get("/api/media/\(id)") }
                        }
                        try handle.truncate(atOffset: UInt64(bytes[round % 2].count))
                    }
                    // Whole, for as long as it takes to be asked for.
                    let facts = try await viewer.object("media/\(id)")
                    let version = try #require(facts["fingerprint"] as? String)
                    versions[version] = round % 2
                    let frame = 4 * Int.random(in: 0..<10, using: &random)
                    let answer = try await viewer.get(
                        "/api/media/\(id)/frame?width=64&hash=1&at=f\(frame)&v=\(version)")
                    #expect(
                        answer.status == 200 && answer["scrub-hash"] == hashes[round % 2][frame],
                        "seed \(seed), round \(round): frame \(frame)")
                    for _ in 0..<Int.random(in: 0..<4, using: &random) { _ = try await viewer.media() }
                }
                return versions
            }
            let seen = try await withThrowingTaskGroup(of: Set<Seen>.self) { group in
                for client in 0..<4 {
                    group.addTask {
                        var random = SplitMix(seed &+ UInt64(client) &+ 1)
                        var (seen, turn) = (Set<Seen>(), 0)
                        while !isDone.withLock({ $0 }) {
                            guard let version = try await viewer.media().first?["fingerprint"] as? String else {
                                continue
                            }
                            for _ in 0..<4 {
                                turn += 1
                                let frame = 4 * Int.random(in: 0..<10, using: &random)
                                let headers = client == 0 ? [] : ["Scrub-Client: c\(client)", "Scrub-Turn: \(turn)"]
                                let answer = try await viewer.get(
                                    "/api/media/\(id)/frame?width=64&hash=1&at=f\(frame)&v=\(version)", headers)
                                guard answer.status == 200, let hash = answer["scrub-hash"] else { continue }
                                seen.insert(Seen(version: version, frame: frame, hash: hash))
                            }
                        }
                        return seen
                    }
                }
                return try await group.reduce(into: Set()) { $0.formUnion($1) }
            }
            // A mixture of both is a file of its own; of the whole ones the pictures are known.
            let versions = try await writer.value
            for one in seen {
                guard let place = versions[one.version] else { continue }
                #expect(one.hash == hashes[place][one.frame], "seed \(seed): frame \(one.frame) of \(names[place])")
            }
            let twice = Dictionary(grouping: seen) { [$0.version, "\($0.frame)"] }.filter { $0.value.count > 1 }
            #expect(twice.isEmpty && versions.count == 24, "seed \(seed): \(versions.count)")
            let last = try #require(try await viewer.media().first?["fingerprint"] as? String)
            #expect(versions[last] == 0)
        }
    }
}
#endif
