import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Commands that are given an address: the same answers as for the file, and the network's part in them.
@Suite struct RemoteCommandTests {
    static let clips = Clip.folder + "/clips/"

    /// A server with one clip, and a cache of its own.
    struct Served {
        let server: FaultServer
        let cache: TemporaryFolder
        let name: String
        var path: String { RemoteCommandTests.clips + name }
        var url: String { server.url(name) }

        init(_ name: String = "h264-bf3.mp4") throws {
            (server, cache, self.name) = (try FaultServer(), try TemporaryFolder(), name)
            try server.serve(file: RemoteCommandTests.clips + name, as: name)
        }

        func scrub(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool.Result {
            let variables = ["SCRUB_CACHE_DIR": cache.path, "http_proxy": "", "all_proxy": "", "ALL_PROXY": ""]
            return try Tool.run(CommandTests.program, arguments, environment: variables.merging(environment) { $1 })
        }
    }

    private func objects(_ text: String) throws -> [NSDictionary] {
        try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
        }
    }

    /// Returns objects without the values that differ by their medium.
    private func comparable(_ text: String, without keys: [String] = []) throws -> [NSDictionary] {
        try objects(text).map { object in
            let copy = NSMutableDictionary()
            for (key, value) in object {
                guard let name = key as? String, !(["file", "network"] + keys).contains(name) else { continue }
                copy.setObject(value, forKey: name as NSString)
            }
            return copy
        }
    }

    @Test(arguments: ["h264-bf3.mp4", "h264-bf3.mkv", "mpeg2.ts"])
    func answersAreThoseOfTheFile(_ name: String) throws {
        guard FileManager.default.fileExists(atPath: Self.clips + name) else { return }
        let served = try Served(name)
        for words in [
            ["info", "--json"], ["seek", "f0", "0.42", "f-1", "f10..f14", "--hash", "--json"], ["frames", "--json"],
            ["plan", "0.7", "--json"], ["verify", "--sample", "12", "--json"],
        ] {
            let local = try served.scrub([words[0], served.path] + words.dropFirst())
            let remote = try served.scrub([words[0], served.url] + words.dropFirst())
            #expect(local.status == 0 && remote.status == 0, "\(words): \(local.errors) \(remote.errors)")
            #expect(remote.errors == local.errors.replacing(served.path, with: served.url))
            #expect(try comparable(remote.output) == comparable(local.output), "\(words)")
        }
    }

    @Test func setsAreThoseOfTheFile() throws {
        let served = try Served()
        for words in [
            ["strip", "--count", "9", "--json"],
            ["thumbs", "--profile", "web,jellyfin,plex,roku,hls,dash,contact", "--every", "1", "--json"],
            ["poster", "--count", "2", "--json"], ["sheet", "--json"],
        ] {
            let folders = [try TemporaryFolder(), try TemporaryFolder()]
            let suffix = words[0] == "sheet" ? "/sheet.png" : "/set/"
            let results = try zip(folders, [served.path, served.url]).map { folder, medium in
                try served.scrub([words[0], medium] + words.dropFirst() + ["-o", folder.path + suffix])
            }
            for result in results { #expect(result.status == 0, "\(words): \(result.errors)") }
            #expect(folders[0].files == folders[1].files && !folders[0].files.isEmpty, "\(words)")
            for file in folders[0].files where !FileManager.default.isFolder(folders[0].path(of: file)) {
                let (own, other) = (try folders[0].bytes(file), try folders[1].bytes(file))
                guard own != other else { continue }
                // Only what names the film, or when it was changed, may differ.
                let texts = try folders.map { try $0.text(file) }
                #expect(Self.withoutNames(texts[0]) == Self.withoutNames(texts[1]), "\(words) \(file)")
            }
            #expect(try objects(results[1].output).allSatisfy { $0["network"] is NSDictionary }, "\(words)")
        }
    }

    /// Returns a manifest without the film's name, its origin, and the page's way to the film.
    private static func withoutNames(_ text: String) -> String {
        text.replacing(#/"(file|origin|made)" ?: ?"[^"]*"/#, with: "").replacing(#/<!-- [0-9a-f]+ -->/#, with: "")
    }

    @Test func theNetworkCostIsReported() throws {
        let served = try Served()
        let first = try #require(try objects(try served.scrub(["seek", served.url, "0.42", "--json"]).output).first)
        let cost = try #require(first["network"] as? [String: Int])
        #expect(Set(cost.keys) == ["requests", "bytesFetched", "bytesFromCache", "retries"])
        let log = served.server.log
        #expect(cost["requests"] == log.count && cost["retries"] == 0)
        #expect(try #require(cost["bytesFetched"]) > 0)
        // Another process the next day.
        served.server.stop()
        let second = try #require(try objects(try served.scrub(["seek", served.url, "0.42", "--json"]).output).first)
        let again = try #require(second["network"] as? [String: Int])
        #expect(again["requests"] == 0 && again["bytesFetched"] == 0)
        #expect(try #require(again["bytesFromCache"]) > 0)
        #expect(second["hash"] == nil && second["frame"] as? Int == first["frame"] as? Int)
    }

    @Test func rowsOfOneRunAddUp() throws {
        let served = try Served()
        let result = try served.scrub(["seek", served.url, "f3", "f90", "f3", "--json"])
        let costs = try objects(result.output).map { try #require($0["network"] as? [String: Int]) }
        #expect(costs.count == 3)
        let total = costs.reduce(0) { $0 + ($1["bytesFetched"] ?? 0) }
        served.server.waitUntilIdle()
        #expect(Int64(total) <= served.server.log.contentBytes)
        #expect(costs.reduce(0) { $0 + ($1["requests"] ?? 0) } == served.server.log.count)
    }

    @Test func withoutACacheNothingIsKept() throws {
        let served = try Served()
        #expect(try served.scrub(["seek", served.url, "f3", "--no-cache"]).status == 0)
        #expect(served.cache.contents.isEmpty)
    }

    @Test func namesThatOnlyLookLikeAddressesArePaths() throws {
        let served = try Served()
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path(of: "http:"), withIntermediateDirectories: false)
        try folder.write(try Data(contentsOf: URL(filePath: served.path)), to: "http:/film.mp4")
        let script = "cd \"$1\" && \"$0\" info ./http://film.mp4 --json --no-cache"
        let result = try Tool.run("bash", ["-c", script, CommandTests.program, folder.path])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try served.scrub(["info", "ftp://127.0.0.1/film.mp4"]).status == 66)
        let upper = served.url.replacing("http://", with: "HTTP://")
        #expect(try served.scrub(["info", upper, "--json"]).status == 0)
    }

    @Test func passwordsAreInNothingThatIsSaid() throws {
        let served = try Served()
        let secret = "s3cr3t"
        func url(_ name: String) -> String {
            served.server.url(name).replacing("http://", with: "http://me:\(secret)@")
        }
        served.server.fail("gone.mp4", .status(500))
        for words in [
            ["info", url(served.name), "--json"],
            ["seek", url(served.name), "f1", "--json", "--header", "X-Key: \(secret)"],
            ["seek", url("none.mp4"), "f1"], ["info", url("gone.mp4"), url("none.mp4")],
            ["seek", url(served.name), "f99999"], ["info", "http://me:\(secret)@"],
            ["info", "http://me:\(secret)@bad host/"],
            ["thumbs", url(served.name), "--profile", "jellyfin", "--beside"], ["play", url("none.mp4"), "--null"],
            ["verify", url("none.mp4")], ["bench", url("none.mp4")],
            ["seek", served.url, "f1", "--header", "\(secret)"],
            ["seek", served.url, "f1", "--header", "X: \(secret)\r\nY: 1"],
            ["seek", served.url, "f1", "--proxy", "http://me:\(secret)@127.0.0.1:1", "--no-cache"],
        ] {
            let result = try served.scrub(words)
            #expect(!result.output.contains(secret) && !result.errors.contains(secret), "\(words): \(result)")
        }
        let folder = try TemporaryFolder()
        let keyed = url(served.name) + "?key=\(secret)"
        let made = try served.scrub(["thumbs", keyed, "--profile", "all", "-o", folder.path])
        #expect(made.status == 0, "\(made.errors)")
        let names = folder.files
        #expect(!names.isEmpty && !names.contains { $0.contains(secret) })
        for file in names where !FileManager.default.isFolder(folder.path(of: file)) {
            #expect(try folder.bytes(file).range(of: Data(secret.utf8)) == nil, "\(file)")
        }
        for file in served.cache.files where !FileManager.default.isFolder(served.cache.path(of: file)) {
            // The cache is its owner's; the key of the server's door is not in it all the same.
            #expect(try served.cache.bytes(file).range(of: Data("me:\(secret)".utf8)) == nil, "\(file)")
        }
    }

    @Test func headersAreSent() throws {
        let served = try Served()
        let lines = try TemporaryFolder()
        try lines.write("X-From: file\n\n# no header\nAuthorization: Bearer abc\n".utf8, to: "headers")
        let result = try served.scrub([
            "seek", served.url, "f1", "--header", "X-One: 1", "--header", "@" + lines.path(of: "headers"),
        ])
        #expect(result.status == 0, "\(result.errors)")
        for entry in served.server.log {
            #expect(entry.request.value("X-One") == "1" && entry.request.value("X-From") == "file")
            #expect(entry.request.value("Authorization") == "Bearer abc")
        }
    }

    @Test func failuresAreClear() throws {
        let served = try Served()
        served.server.fail("denied.mp4", .status(403))
        served.server.serve([1, 2, 3], as: "denied.mp4")
        let closed = try FaultServer()
        let refused = closed.url("a.mp4")
        closed.stop()
        for (words, status, hint) in [
            (["info", served.server.url("none.mp4")], 66, "404"),
            (["info", served.server.url("denied.mp4")], 66, "403"),
            (["info", refused], 66, "refused the connection"), (["info", "http://"], 64, "no host"),
            (["info", "http://no such host/a"], 64, "not a host"),
            (["info", served.url, "--deny", "127.0.0.0/8"], 69, "denied"),
            (["info", served.url, "--allow", "example.com"], 69, "allowed"),
            (["info", served.url, "--deny", "private"], 69, "loopback"),
            (["info", served.url, "--allow", "a/b/c"], 64, "nor a network"),
            (["info", served.url, "--timeout", "0"], 64, "--timeout"),
            (["thumbs", served.url, "--profile", "jellyfin", "--beside"], 64, "--output"),
            (["thumbs", served.url, "--profile", "freedesktop"], 64, "--output"),
            (["thumbs", served.url, "--profile", "web,freedesktop", "-o", "/dev/null/x"], 64, "freedesktop"),
            (["seek", served.url, "f1", "--header", "no colon"], 64, "Name: value"),
            (["seek", served.url, "f1", "--header", "@/none"], 66, "/none"),
        ] as [([String], Int32, String)] {
            let result = try served.scrub(words + (words.contains("--beside") ? [] : ["--no-cache"]))
            #expect(result.status == status, "\(words): \(result.status) \(result.errors)")
            #expect(result.output.isEmpty && result.errors.contains(hint), "\(words): \(result.errors)")
        }
    }

    @Test func severalMediaOfWhichOneIsBad() throws {
        let served = try Served()
        let result = try served.scrub(["info", served.server.url("none.mp4"), served.url, served.path, "--json"])
        #expect(result.status == 66)
        // The bad one has its object, too.
        #expect(
            try objects(result.output).map { $0["file"] as? String }
                == [served.server.url("none.mp4"), served.url, served.path])
        #expect(try objects(result.output).map { $0["exit"] as? Int } == [66, nil, nil])
        #expect(try objects(result.output).map { $0["network"] != nil } == [false, true, false])
    }

    @Test func playersPlayAddresses() throws {
        let served = try Served()
        let raw = try [[served.path, served.path], [served.url, served.url]].map { media in
            try served.scrub(["play"] + media + ["--raw", "-", "--json"])
        }
        #expect(raw[0].status == 0 && raw[1].status == 0, "\(raw[1].errors)")
        // Megabytes are nothing to show.
        let isSame = raw[0].bytes == raw[1].bytes && !raw[0].bytes.isEmpty
        #expect(isSame)
    }

    @Test func gesturesEndOnTheSameFrame() throws {
        let served = try Served()
        let words = ["--made", "rest", "--distance", "40", "--seconds", "0.2", "--json"]
        let results = try [served.path, served.url].map { try served.scrub(["gesture", $0] + words) }
        let last = try results.map { try #require(try objects($0.output).first?["last"] as? NSDictionary) }
        #expect(last[0] == last[1])
        #expect(try objects(results[1].output).first?["network"] is NSDictionary)
    }

    @Test func driveAnswersOfAnAddress() throws {
        let served = try Served()
        let script = "printf 'SEEK 42\\nSEEK 3\\nQUIT\\n' | \"$0\" drive \"$1\" --no-cache"
        let answers = try [served.path, served.url].map { medium in
            let lines = try Tool.run("bash", ["-c", script, CommandTests.program, medium]).output.split(separator: "\n")
            return lines.dropFirst().map { $0.split(separator: " ").prefix(4).joined(separator: " ") }
        }
        #expect(answers[0] == answers[1] && answers[0].count == 2)
    }

    @Test func setsAreProvenAgainstAnAddress() throws {
        let served = try Served()
        let folder = try TemporaryFolder()
        #expect(try served.scrub(["strip", served.path, "--count", "5", "-o", folder.path]).status == 0)
        let result = try served.scrub(["verify-set", folder.path, "--against", served.url, "--json"])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(arguments: [["info"], ["seek", "f3", "--hash"], ["frames"]])
    func localFilesLoadNoClientAndNoCatalogue(_ words: [String]) throws {
        let served = try Served()
        let result = try served.scrub([words[0], served.path] + words.dropFirst(), environment: ["LD_DEBUG": "files"])
        #expect(result.status == 0)
        #expect(result.errors.contains("libavutil"), "the loader says nothing")
        #expect(!result.errors.contains("libcurl"))
        #expect(!served.cache.contents.contains { $0.hasPrefix("media-") }, "\(served.cache.contents)")
    }
}

extension FileManager {
    /// Whether there is a folder at a path.
    func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
