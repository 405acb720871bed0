import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Decoding in workers gives the same as decoding here; and a worker that was taken over gets nowhere.
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

    /// A header that is read from memory counts by its file's limits, in a worker too.
    @Test(arguments: ["audio-first.webm", "audio.ts", "two-videos.mp4"]) func limitsAreTheSame(_ name: String) throws {
        let words = ["seek", clip(name), "f0", "--hash", "--no-cache", "--limit", "streams=1"]
        let (here, there) = (try scrub(words), try scrub(words + ["--sandbox"]))
        #expect(here.status == 65 && there.status == 65, "\(here.errors) \(there.errors)")
        #expect(here.errors == there.errors)
    }

    @Test func setsAreTheSame() throws {
        let folder = try TemporaryFolder()
        let film = clip("h264-bf3.mp4")
        // A sheet has letters, which a worker without fonts would make boxes of.
        for words in [
            ["strip", film, "--count", "9", "--width", "96"], ["poster", film, "--width", "200"],
            ["sheet", film, "--count", "4"],
        ] {
            var files: [Data] = []
            for sandbox in [[], ["--sandbox"]] {
                let path = folder.path + "/\(words[0])-\(sandbox.count)" + (words[0] == "strip" ? "" : ".png")
                let run = try scrub(words + ["--output", path] + sandbox)
                #expect(run.status == 0, "\(run.errors)")
                files.append(
                    try Data(
                        contentsOf: URL(filePath: words[0] == "strip" ? path + "/thumbnails.vtt" : path)))
            }
            #expect(files.count == 2 && files[0] == files[1])
        }
    }

    /// Taken over at once, whatever is asked of it: the file cannot be opened, and the program says so.
    @Test(arguments: [
        "open", "connect", "fork", "exec", "kill", "ptrace", "read", "code", "allocate", "spin", "close", "silent",
        "garbage", "long", "namespace", "out-of-band", "hole", "ask", "ask-and-not-read", "ask-with-descriptors",
        "packets",
        "far-packet",
    ])
    func aWorkerThatWasTakenOverGetsNowhere(_ deed: String) throws {
        let folder = try TemporaryFolder()
        let worker = try worker(deed, in: folder)
        let run = try scrub(
            [
                "seek", clip("h264-bf3.mp4"), "f0", "--no-cache", "--sandbox-worker", worker, "--limit",
                "picture-time=1",
                "--limit", "decoder-bytes=64M", "--limit", "picture-bytes=64M",
            ])
        #expect(run.status == 65, "\(run.status): \(run.errors)")
        #expect(run.errors.contains("(sandbox)"), "\(run.errors)")
        // A trace would lie beside the worker.
        #expect(folder.contents == [deed])
    }

    /// Sound until it hands out pictures: the frame has a verdict, and none of its messages is believed.
    @Test(arguments: [
        "unannounced", "huge", "negative", "format", "memory", "larger", "waiting", "endless", "unknown", "hoard",
        "sampleless",
    ])
    func falsePictureFactsAreNotBelieved(_ deed: String) throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        // With its index nothing but a decoder is needed.
        let film = clip("h264-bf3.mp4")
        try #require(try scrub(["seek", film, "f0"], cache: cache).status == 0)
        let run = try scrub(
            // Some packets before the one that is asked for.
            ["seek", film, "f9", "--sandbox-worker", try worker(deed, in: folder), "--limit", "picture-time=1"],
            cache: cache)
        #expect(run.status == 65, "\(run.status): \(run.errors)")
        #expect(run.output.contains("undecodable"), "\(run.output)")
    }

    /// Threads cost memory that no limit of a process's counts: a worker that makes them by the thousand is ended
    /// before it is late.
    @Test func aBombOfThreadsIsNotWaitedFor() throws {
        let folder = try TemporaryFolder()
        let run = try scrub([
            "seek", clip("h264-bf3.mp4"), "f0", "--no-cache", "--sandbox-worker", try worker("threads", in: folder),
            "--limit",
            "picture-time=600",
        ])
        #expect(run.status == 65 && run.errors.contains("(sandbox)"), "\(run.status): \(run.errors)")
    }

    /// The largest size of pictures is in the program, whatever a worker says of it.
    @Test func limitsAreNotTheWorkersToTell() throws {
        let folder = try TemporaryFolder()
        let run = try scrub([
            "poster", clip("cover.mp4"), "--cover", "-o", folder.path + "/p.png", "--no-cache", "--sandbox-worker",
            try worker("large-cover", in: folder), "--limit", "picture-bytes=16M",
        ])
        #expect(run.status == 65, "\(run.status): \(run.errors)")
        #expect(folder.contents == ["large-cover"])
    }

    /// Players count with decoders' facts about pictures, and people read their messages in words.
    @Test(arguments: ["undecoded", "words"])
    func remarksAreNotBelieved(_ deed: String) throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let film = clip("h264-bf3.mp4")
        try #require(try scrub(["seek", film, "f0"], cache: cache).status == 0)
        let worker = try worker(deed, in: folder)
        let seek = try scrub(["seek", film, "f9", "--json", "--sandbox-worker", worker], cache: cache)
        #expect(seek.status == 65 && seek.output.utf8.count < 4096, "\(seek.status): \(seek.output.prefix(4096))")
        guard deed == "undecoded" else { return }
        let play = try scrub(["play", film, "--rate", "max", "--sandbox-worker", worker], cache: cache)
        // It ends by itself, and not by a signal.
        #expect(play.status < 128, "\(play.status): \(play.errors)")
    }

    /// A worker that does not live through one picture, or never comes back from it, costs that picture; the work goes
    /// on with another one.
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
        // The number of decoded pictures is another thing: those that share a pass with the crash are decoded twice.
        func hash(_ row: Substring) -> String {
            String(row[(row.range(of: "\"hash\"")?.lowerBound ?? row.endIndex)...])
        }
        for frame in 0..<6 where frame != 3 {
            #expect(hash(sound[frame]) == hash(mortal[frame]) && mortal[frame].contains("\"verdict\":\"exact\""))
        }
        #expect(mortal[3].contains("\"verdict\":\"undecodable\""), "\(mortal[3])")
        #expect(mortal[3].contains(reason), "\(mortal[3])")
    }

    /// Of a segment on which a worker ends nothing is known: it has not "no frames".
    @Test func aSegmentThatEndsItsWorkerIsNotEmpty() throws {
        let folder = try TemporaryFolder()
        let list = folder.path + "/film.m3u8"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-i", clip("h264-bf3.mp4"), "-c", "copy", "-f", "hls", "-hls_list_size",
                "0", list,
            ])
        try #require(made.status == 0, "\(made.errors)")
        for position in ["f0", "last", "0.5"] {
            let run = try scrub(
                ["seek", list, position, "--no-cache", "--sandbox-worker", try worker("exec", in: folder)])
            #expect(run.status == 65, "\(run.status): \(run.errors)")
            #expect(run.errors.contains("(sandbox)") && !run.errors.contains("there is no frame"), "\(run.errors)")
            try FileManager.default.removeItem(atPath: folder.path + "/exec")
        }
    }

    @Test func otherProgramsAreRefusedAsWorkers() throws {
        for program in ["/bin/true", "/nonexistent/worker"] {
            let run = try scrub(["seek", clip("h264-bf3.mp4"), "f0", "--no-cache", "--sandbox-worker", program])
            #expect(run.status == 69, "\(run.status): \(run.errors)")
            #expect(run.errors.contains("worker"), "\(run.errors)")
        }
    }

    /// A kernel without seccomp, or a container that forbids it: with a sandbox asked for nothing is decoded without
    /// one.
    @Test(arguments: ["no-seccomp", "seccomp-forbidden"])
    func withoutSeccompNothingIsDecoded(_ kernel: String) throws {
        let (folder, film) = (try TemporaryFolder(), clip("h264-bf3.mp4"))
        let launcher = try worker(kernel, in: folder)
        for words in [
            ["seek", film, "f0", "--output", folder.path + "/f.png"], ["info", film],
            ["poster", film, "--output", folder.path + "/p.png"],
        ] {
            let run = try Tool.run(launcher, [CommandTests.program] + words + ["--no-cache", "--sandbox"])
            #expect(run.status == 69 && run.output.isEmpty, "\(run.status): \(run.output)")
            #expect(run.errors.contains("this system cannot confine processes"), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            // Without the word it works as ever, and says nothing.
            let usual = try Tool.run(launcher, [CommandTests.program] + words + ["--no-cache"])
            #expect(usual.status == 0 && usual.errors.isEmpty, "\(usual.status): \(usual.errors)")
            for made in ["/f.png", "/p.png"] { try? FileManager.default.removeItem(atPath: folder.path + made) }
        }
        #expect(folder.contents == [kernel])
    }

    /// There an address is opened without a sandbox, and a sentence says so; with the words that ask for one it is not.
    @Test func anAddressNeedsNoSeccomp() throws {
        let (folder, served) = (try TemporaryFolder(), try RemoteCommandTests.Served())
        let launcher = try worker("no-seccomp", in: folder)
        func run(_ words: [String]) throws -> Tool.Result {
            try Tool.run(
                launcher, [CommandTests.program, "seek", served.url, "f3", "--hash"] + words,
                environment: ["SCRUB_CACHE_DIR": served.cache.path, "http_proxy": "", "all_proxy": ""])
        }
        let (byDefault, without, with) = (try run([]), try run(["--no-sandbox"]), try run(["--sandbox"]))
        #expect(byDefault.status == 0 && without.status == 0 && byDefault.output == without.output)
        #expect(byDefault.errors.contains("warning: no sandbox is available on this system"), "\(byDefault.errors)")
        #expect(without.errors.isEmpty, "\(without.errors)")
        #expect(with.status == 69 && with.output.isEmpty, "\(with.status): \(with.errors)")
        // Here there is one, and nothing is said.
        let here = try served.scrub(["seek", served.url, "f3", "--hash"])
        #expect(here.status == 0 && here.errors.isEmpty && here.output == without.output, "\(here.errors)")
    }

    /// Landlock is one bolt more and not the door.
    @Test func landlockIsNotNeeded() throws {
        let folder = try TemporaryFolder()
        let launcher = try worker("landlock-forbidden", in: folder)
        let words = ["seek", clip("h264-bf3.mp4"), "f0", "--no-cache", "--hash", "--sandbox"]
        let (there, here) = (try Tool.run(launcher, [CommandTests.program] + words), try scrub(words))
        #expect(there.status == 0 && there.output == here.output && there.errors.isEmpty, "\(there.errors)")
    }

    @Test func aWordEachWay() throws {
        // The last one counts, and a worker's program is a sandbox whatever else is said.
        let film = clip("h264-bf3.mp4")
        for words in [["--sandbox", "--no-sandbox"], ["--no-sandbox", "--sandbox"]] {
            let run = try scrub(["seek", film, "f0", "--no-cache"] + words)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        }
    }

    /// Returns the malicious worker by the name of its deed.
    private func worker(_ deed: String, in folder: TemporaryFolder) throws -> String {
        let program = URL(filePath: CommandTests.builtProgram).deletingLastPathComponent().appending(
            path: "scrub-malicious-worker")
        let link = folder.path + "/" + deed
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program.path)
        return link
    }
}
