import Foundation
import ScrubTestSupport
import Testing

/// Rules of hosts hold for cached bytes too, whichever process fetched them.
@Suite struct CachedRuleTests {
    private func expectRefused(_ result: Tool.Result, _ words: [String]) {
        #expect(result.status == 69, "\(words): \(result.status) \(result.errors)")
        #expect(result.output.isEmpty && result.errors.contains("not allowed"), "\(words): \(result.errors)")
    }

    @Test func cachedMediaAreRefusedAsWell() throws {
        let served = try RemoteCommandTests.Served()
        let plain = try served.scrub(["seek", served.url, "f7", "--hash"])
        #expect(plain.status == 0, "\(plain.errors)")
        for rule in [
            ["--deny", "private"], ["--allow", "example.com"], ["--deny", "127.0.0.1"], ["--deny", "127.0.0.0/8"],
        ] {
            for words in [
                ["seek", served.url, "f7"], ["info", served.url], ["frames", served.url],
                ["strip", served.url, "--count", "2", "-o", "/dev/null/x"], ["play", served.url, "--null"],
            ] {
                let result = try served.scrub(words + rule)
                #expect(
                    [64, 69].contains(result.status) && result.errors.contains("not allowed"),
                    "\(words) \(rule): \(result.errors)")
            }
            expectRefused(try served.scrub(["seek", served.url, "f7"] + rule), rule)
        }
        // A name is judged by the address that it has, which only asking tells.
        let named = served.url.replacing("127.0.0.1", with: "localhost")
        #expect(try served.scrub(["seek", named, "f7"]).status == 0)
        for rule in [["--deny", "private"], ["--deny", "127.0.0.0/8"], ["--deny", "localhost"]] {
            expectRefused(try served.scrub(["seek", named, "f7"] + rule), rule)
        }
        // An address that the rules allow is answered, and not fetched twice.
        for rule in [
            ["--allow", "127.0.0.1"], ["--deny", "example.com"], ["--deny", "private", "--allow", "127.0.0.0/8"],
        ] {
            let result = try served.scrub(["seek", served.url, "f7", "--hash"] + rule)
            #expect(result.status == 0 && result.output == plain.output, "\(rule): \(result.errors)")
        }
    }

    /// The origin of bytes counts, too: the redirects of the earlier fetch were not recorded.
    @Test func redirectsAreJudgedAgain() throws {
        let served = try RemoteCommandTests.Served()
        served.server.serve([1], as: "moved.mp4")
        served.server.fail(
            "moved.mp4", .redirect(to: served.url.replacing("127.0.0.1", with: "localhost")), on: .always)
        let moved = served.server.url("moved.mp4")
        #expect(try served.scrub(["seek", moved, "f7"]).status == 0)
        expectRefused(try served.scrub(["seek", moved, "f7", "--deny", "localhost"]), ["--deny", "localhost"])
        // An address that is allowed is, whatever name it was reached by.
        #expect(try served.scrub(["seek", moved, "f7", "--allow", "127.0.0.1"]).status == 0)
    }

    @Test func segmentsOfAPlaylistAreJudgedAsWell() throws {
        let (served, folder) = (try RemoteCommandTests.Served(), try TemporaryFolder())
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-i", served.path, "-map", "0:v", "-c", "copy", "-f", "hls", "-hls_time", "1",
                "-hls_list_size", "0", folder.path(of: "index.m3u8"),
            ])
        try #require(made.status == 0, "\(made.errors)")
        for name in folder.contents { try served.server.serve(file: folder.path(of: name), as: name) }
        // A playlist on the disk: nothing but the segments is on the network.
        let text = try folder.text("index.m3u8").split(separator: "\n").map { line in
            line.hasPrefix("#") ? String(line) : served.server.url(String(line))
        }
        let playlist = try folder.write((text.joined(separator: "\n") + "\n").utf8, to: "local.m3u8")
        let words = ["seek", playlist, "f3", "f40", "last", "--hash"]
        let plain = try served.scrub(words)
        #expect(plain.status == 0, "\(plain.errors)")
        for rule in [["--deny", "private"], ["--allow", "example.com"]] {
            let result = try served.scrub(words + rule)
            #expect(result.status == 69 && result.errors.contains("not allowed"), "\(rule): \(result.errors)")
            #expect(!result.output.contains("exact"), "\(rule): \(result.output)")
        }
        let allowed = try served.scrub(words + ["--allow", "127.0.0.1"])
        #expect(allowed.status == 0 && allowed.output == plain.output, "\(allowed.errors)")
    }
}
