import Foundation
import ScrubTestSupport
import Testing

/// `scrub cache`, over the fetches of commands.
@Suite struct CacheCommandTests {
    private func object(_ result: Tool.Result) throws -> [String: Any] {
        #expect(result.status == 0, "\(result.errors)")
        return try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    @Test func aCacheThatIsNotThereIsEmptyAndStaysSo() throws {
        let folder = TemporaryFolder.unmade()
        for words in [
            ["list"], ["stats"], ["verify"], ["prune", "--older-than", "1d"], ["clear"], ["stats", "--prometheus"],
        ] {
            let result = try Tool.run(
                CommandTests.program, ["cache"] + words, environment: ["SCRUB_CACHE_DIR": folder.path])
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        let stats = try Tool.run(
            CommandTests.program, ["cache", "stats", "--json"], environment: ["SCRUB_CACHE_DIR": folder.path])
        let found = try object(stats)
        #expect(found["entries"] as? Int == 0 && found["bytes"] as? Int == 0)
    }

    @Test func fetchedMediaAreListedCountedAndRemoved() throws {
        let served = try RemoteCommandTests.Served()
        try served.server.serve(file: RemoteCommandTests.clips + "h264-bf3.mkv", as: "other.mkv")
        let secret = served.url.replacing("http://", with: "http://me:s3cr3t@")
        for medium in [secret, secret, served.server.url("other.mkv")] {
            #expect(try served.scrub(["seek", medium, "f3"]).status == 0)
        }
        let stats = try object(try served.scrub(["cache", "stats", "--json"]))
        for key in ["entries", "bytes", "hits", "misses", "bytesSaved", "evictions", "limits"] {
            #expect(stats[key] != nil, "\(key)")
        }
        #expect(stats["media"] as? Int == 2)
        #expect(try #require(stats["bytesSaved"] as? Int) > 0 && stats["evictions"] as? Int == 0)
        let list = try served.scrub(["cache", "list", "--json"])
        let rows = try list.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(rows.count == stats["entries"] as? Int)
        let media = rows.filter { $0["kind"] as? String == "media" }.compactMap { $0["name"] as? String }
        #expect(Set(media) == [served.url, served.server.url("other.mkv")])
        #expect(!list.output.contains("s3cr3t"))
        let people = try served.scrub(["cache", "list"])
        let files = "indexes, sets and preview files"
        #expect(people.output.contains(served.url) && people.output.contains(files), "\(people.output)")
        let text = try served.scrub(["cache", "stats", "--prometheus"]).output
        #expect(text.contains("\nscrub_cache_media 2\n") && text.contains("# TYPE scrub_cache_hits_total counter"))
        let verified = try object(try served.scrub(["cache", "verify", "--json"]))
        #expect(try #require(verified["checked"] as? Int) > 2 && verified["damaged"] as? Int == 0)
        // Entries that are not so old stay.
        #expect(try object(try served.scrub(["cache", "prune", "--older-than", "1h", "--json"]))["media"] as? Int == 0)
        let one = try object(try served.scrub(["cache", "clear", "--medium", secret, "--json"]))
        #expect(one["media"] as? Int == 1)
        #expect(try object(try served.scrub(["cache", "stats", "--json"]))["media"] as? Int == 1)
        // An index without its medium: only the bytes are fetched again.
        #expect(try served.scrub(["seek", secret, "f3"]).status == 0)
        let all = try object(try served.scrub(["cache", "clear", "--json"]))
        #expect(all["media"] as? Int == 2 && (all["savedFiles"] as? Int ?? 0) > 0)
        #expect(try object(try served.scrub(["cache", "stats", "--json"]))["entries"] as? Int == 0)
    }

    @Test func damageIsFoundRemovedAndMended() throws {
        let served = try RemoteCommandTests.Served()
        let words = ["seek", served.url, "f3", "--hash", "--json"]
        let before = try object(try served.scrub(words))
        let data = try #require(served.cache.files.first { $0.hasPrefix("media-1/data-") && $0.hasSuffix(".1") })
        var bytes = Array(try served.cache.bytes(data))
        for place in stride(from: 100, to: bytes.count, by: 1000) { bytes[place] ^= 0xFF }
        let handle = try FileHandle(forWritingTo: URL(filePath: served.cache.path(of: data)))
        try handle.write(contentsOf: bytes)
        try handle.close()
        let found = try served.scrub(["cache", "verify", "--json"])
        #expect(found.status == 65, "\(found.errors)")
        #expect(try served.scrub(["cache", "verify"]).status == 0)
        let after = try object(try served.scrub(words))
        #expect(before["hash"] as? String == after["hash"] as? String)
    }

    @Test func aSavedIndexIsAHit() throws {
        let served = try RemoteCommandTests.Served()
        #expect(try served.scrub(["frames", served.url]).status == 0)
        let before = try object(try served.scrub(["cache", "stats", "--json"]))
        #expect(try served.scrub(["frames", served.url]).status == 0)
        let after = try object(try served.scrub(["cache", "stats", "--json"]))
        #expect(try #require(after["hits"] as? Int) > (try #require(before["hits"] as? Int)))
        #expect(after["misses"] as? Int == before["misses"] as? Int)
    }

    /// `SCRUB_CACHE_LIMIT` counts fetched bytes too, not indexes alone.
    @Test func theLimitOfTheEnvironmentHolds() throws {
        let served = try RemoteCommandTests.Served()
        let none = ["SCRUB_CACHE_LIMIT": "0"]
        #expect(try served.scrub(["seek", served.url, "f3"], environment: none).status == 0)
        let kept = try object(try served.scrub(["cache", "stats", "--json"], environment: none))
        #expect(kept["bytes"] as? Int == 0)
        #expect((kept["limits"] as? [String: Any])?["bytes"] as? Int == 0)
        #expect(try served.scrub(["seek", served.url, "f3"]).status == 0)
        let before = try object(try served.scrub(["cache", "stats", "--json"]))
        #expect(try #require(before["bytes"] as? Int) > 0)
        let pruned = try served.scrub(["cache", "prune", "--json"], environment: ["SCRUB_CACHE_LIMIT": "1K"])
        #expect(pruned.status == 0, "\(pruned.errors)")
        let after = try object(try served.scrub(["cache", "stats", "--json"]))
        #expect(try #require(after["bytes"] as? Int) <= 1024, "\(pruned.output)")
    }

    @Test func wrongUsage() throws {
        let served = try RemoteCommandTests.Served()
        for words in [
            ["prune", "--older-than", "soon"], ["prune", "--older-than", "-1d"],
            ["prune", "--older-than", "5"], ["clear", "--medium", "film.mp4"],
            ["stats", "--json", "--prometheus"],
        ] {
            #expect(try served.scrub(["cache"] + words).status == 64, "\(words)")
        }
    }

    @Test func anInaccessibleFolderIsAClearError() throws {
        let served = try RemoteCommandTests.Served()
        let result = try served.scrub(["cache", "stats"], environment: ["SCRUB_CACHE_DIR": served.path])
        #expect([69, 74].contains(result.status) && !result.errors.isEmpty, "\(result.status) \(result.errors)")
        // A request for a frame still gets it.
        let seek = try served.scrub(["seek", served.url, "f3"], environment: ["SCRUB_CACHE_DIR": served.path])
        #expect(seek.status == 0 && seek.errors.contains("warning"), "\(seek.errors)")
    }
}
