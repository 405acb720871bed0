import Foundation
import Scrub
import TestSupport
import Testing

/// Decoding in workers gives what decoding here gives; and a worker that somebody has taken over gets nowhere.
@Suite struct SandboxTests {
    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    private func scrub(_ words: [String], cache: TemporaryFolder? = nil) throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, words,
            environment: ["SCRUB_CACHE_DIR": cache?.path ?? "/dev/null/scrub", "SWIFT_BACKTRACE": "enable=no"])
    }

    @Test(arguments: [
        "h264-bf3.mp4", "av1-svt.webm", "anim.gif", "audio.ts", "damaged-h264.mp4", "damaged-mpeg2.mpg", "h264-paff.ts",
        "ffv1-bgra.mkv", "ffv1-gop.mkv", "av1-svt.obu", "colour-pq.mp4", "cover.mp4", "avc3-size-change.mp4",
        "elst-two.mp4",
    ])
    func answersAreTheSame(_ name: String) throws {
        for words in [
            ["info", clip(name), "--json"], ["seek", clip(name), "f0", "0.31", "0.5", "last", "--hash", "--json"],
        ] {
            let (here, there) = (try scrub(words), try scrub(words + ["--sandbox"]))
            #expect(here.status == there.status && here.errors == there.errors, "\(there.errors)")
            #expect(here.output == there.output)
        }
    }

    @Test func setsAreTheSame() throws {
        let folder = try TemporaryFolder()
        let film = clip("h264-bf3.mp4")
        for words in [["strip", film, "--count", "9", "--width", "96"], ["poster", film, "--width", "200"]] {
            var files: [Data] = []
            for sandbox in [[], ["--sandbox"]] {
                let path = folder.path + "/\(words[0])-\(sandbox.count)" + (words[0] == "poster" ? ".png" : "")
                let run = try scrub(words + ["--output", path] + sandbox)
                #expect(run.status == 0, "\(run.errors)")
                files.append(
                    try Data(
                        contentsOf: URL(filePath: words[0] == "poster" ? path : path + "/thumbnails.vtt")))
            }
            #expect(files.count == 2 && files[0] == files[1])
        }
    }

    /// Taken over at once, whatever is asked of it: the file cannot be opened, and the program says so.
    @Test(arguments: [
        "open", "connect", "fork", "exec", "kill", "ptrace", "read", "code", "allocate", "spin", "close", "silent",
        "garbage", "long",
    ])
    func aWorkerThatWasTakenOverGetsNowhere(_ deed: String) throws {
        let folder = try TemporaryFolder()
        let (worker, trace) = (try worker(deed, in: folder), "/tmp/scrub-malicious-\(deed)")
        try? FileManager.default.removeItem(atPath: trace)
        let run = try scrub(
            [
                "seek", clip("h264-bf3.mp4"), "f0", "--no-cache", "--sandbox-worker", worker, "--limit",
                "picture-time=1",
                "--limit", "decoder-bytes=64M", "--limit", "picture-bytes=64M",
            ])
        #expect(run.status == 65, "\(run.status): \(run.errors)")
        #expect(run.errors.contains("(sandbox)"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: trace))
    }

    /// Sound until it hands out pictures: the frame has a verdict, and nothing of what was said is believed.
    @Test(arguments: [
        "unannounced", "huge", "negative", "format", "memory", "larger", "waiting", "endless",
    ])
    func liesAboutPicturesAreNotBelieved(_ deed: String) throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        // With its index nothing but a decoder is needed.
        let film = clip("h264-bf3.mp4")
        try #require(try scrub(["seek", film, "f0"], cache: cache).status == 0)
        let run = try scrub(
            ["seek", film, "f0", "--sandbox-worker", try worker(deed, in: folder), "--limit", "picture-time=1"],
            cache: cache)
        #expect(run.status == 65, "\(run.status): \(run.errors)")
        #expect(run.output.contains("undecodable"), "\(run.output)")
    }

    /// A worker that does not live through one picture, or never comes back from it, costs that picture; the work goes on with
    /// another one.
    @Test(arguments: [("mortal", "(sandbox)"), ("stuck", "picture-time")])
    func aCrashCostsOneFrame(_ deed: String, _ reason: String) throws {
        let folder = try TemporaryFolder()
        let (film, worker) = (folder.path + "/film.mov", try worker(deed, in: folder))
        // Of pictures that depend on none.
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=160x96:d=1:r=6", "-c:v", "mjpeg", film,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let words = ["seek", film, "f0", "f1", "f2", "f3", "f4", "f5", "--json", "--hash", "--no-cache"]
        let (here, there) = (
            try scrub(words), try scrub(words + ["--sandbox-worker", worker, "--limit", "picture-time=2"])
        )
        let (sound, mortal) = (here.output.split(separator: "\n"), there.output.split(separator: "\n"))
        try #require(sound.count == 6 && mortal.count == 6, "\(there.errors)")
        #expect(there.status == 65)
        // How much was decoded for it is another thing: what shares a pass with the crash is decoded twice.
        func hash(_ row: Substring) -> String {
            String(row[(row.range(of: "\"hash\"")?.lowerBound ?? row.endIndex)...])
        }
        for frame in 0..<6 where frame != 3 {
            #expect(hash(sound[frame]) == hash(mortal[frame]) && mortal[frame].contains("\"verdict\":\"exact\""))
        }
        #expect(mortal[3].contains("\"verdict\":\"undecodable\""), "\(mortal[3])")
        #expect(mortal[3].contains(reason), "\(mortal[3])")
    }

    @Test func whatIsNoWorkerIsSaid() throws {
        for program in ["/bin/true", "/nonexistent/worker"] {
            let run = try scrub(["seek", clip("h264-bf3.mp4"), "f0", "--no-cache", "--sandbox-worker", program])
            #expect(run.status == 69, "\(run.status): \(run.errors)")
            #expect(run.errors.contains("worker"), "\(run.errors)")
        }
    }

    /// The malicious worker by the name of what it does.
    private func worker(_ deed: String, in folder: TemporaryFolder) throws -> String {
        let program = URL(filePath: CommandTests.program).deletingLastPathComponent().appending(
            path: "malicious-worker")
        let link = folder.path + "/" + deed
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program.path)
        return link
    }
}
