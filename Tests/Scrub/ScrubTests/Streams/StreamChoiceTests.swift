import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Of several videos in a file the film is taken, for every request; the others are named.
@Suite struct StreamChoiceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func scrub(_ words: String..., cache: TemporaryFolder? = nil) throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": cache?.path ?? "/dev/null/scrub"])
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    /// A file of several videos.
    private func join(
        _ videos: [(size: String, rate: String, count: Int)], _ name: String, codec: [String], _ options: [String] = []
    ) throws -> String {
        let path = folder.path(of: name)
        let inputs = videos.flatMap {
            ["-f", "lavfi", "-i", "testsrc2=s=\($0.size):r=\($0.rate),trim=end_frame=\($0.count)"]
        }
        let parts = videos.indices.flatMap { ["-map", "\($0)"] }
        try LinearLines.ffmpeg(inputs + parts + codec + options + [path])
        return path
    }

    private static let vp8 = ["-c:v", "libvpx", "-b:v", "80k", "-cpu-used", "8", "-deadline", "realtime", "-g", "20"]
    private static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "20"]
    private static let mpeg2 = ["-c:v", "mpeg2video", "-g", "10"]

    private func codec(for name: String) -> [String] {
        name.hasSuffix("webm") ? Self.vp8 : name.hasSuffix("ts") ? Self.mpeg2 : Self.x264
    }

    /// A still that is larger than the film, and the default stream where it comes first.
    @Test(arguments: ["a.webm", "a.mkv", "a.mp4", "a.mov", "a.ts", "a.nut"], [0, 1])
    func aStillBesideAFilmIsNotTheFilm(_ name: String, _ film: Int) throws {
        var videos = [(size: "160x96", rate: "25", count: 40), (size: "320x192", rate: "25", count: 1)]
        if film == 1 { videos.reverse() }
        let path = try join(videos, name, codec: codec(for: name))
        let cache = try TemporaryFolder()
        for words in [["--no-cache"], [], [], ["--sandbox"]] {
            let info = try Tool.run(
                CommandTests.program, ["info", path, "--json"] + words, environment: ["SCRUB_CACHE_DIR": cache.path])
            let row = try object(info.output)
            #expect(row["stream"] as? Int == film && row["width"] as? Int == 160, "\(words)")
            #expect((row["warnings"] as? [String])?.contains { $0.contains("stream \(1 - film)") } == true, "\(words)")
        }
        // The requested stream is taken, without a warning.
        let other = try scrub("info", path, "--json", "--stream", "\(1 - film)", cache: cache)
        let row = try object(other.output)
        #expect(row["frameCount"] as? Int == 1 && row["width"] as? Int == 320)
        #expect((row["warnings"] as? [String])?.contains { $0.contains("also has video in") } == false)
        let hash = try Tool.run(
            CommandTests.program, ["seek", path, "f7", "--hash", "--json"], environment: ["SCRUB_CACHE_DIR": cache.path]
        )
        let words = ["-v", "error", "-noautorotate", "-i", path, "-map", "0:\(film)", "-fps_mode", "passthrough"]
        let lines = try Tool.run("ffmpeg", words + ["-f", "framemd5", "-"]).output
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
        try #require(lines.count == 40)
        let line = try #require(lines[7].split(separator: ",").last).filter { $0 != " " }
        #expect(try object(hash.output)["hash"] as? String == "md5:" + line)
    }

    /// A picture every two seconds is an index of the film, also where it is the default stream.
    @Test(arguments: ["b.mkv", "b.mp4"]) func aTrackOfThumbnailsIsNotTheFilm(_ name: String) throws {
        let path = try join([("64x48", "1/2", 3), ("160x96", "25", 150)], name, codec: codec(for: name))
        #expect(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).chosen == 1)
    }

    /// A screen that is recorded once a second is larger than the camera beside it.
    @Test func aScreenOfFewPicturesStaysTheFilm() throws {
        let path = try join([("320x240", "1", 6), ("64x48", "25", 150)], "c.mkv", codec: Self.x264)
        #expect(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).chosen == 0)
    }

    /// The smaller and later one is the default, or the larger is a commentary.
    @Test(arguments: [["0", "default"], ["comment", "0"]])
    func theContainersFlagsCountBeforeTheSize(_ flags: [String]) throws {
        let path = try join(
            [("320x192", "25", 30), ("160x96", "25", 30)], "d.mkv", codec: Self.x264,
            ["-disposition:v:0", flags[0], "-disposition:v:1", flags[1]])
        #expect(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).chosen == 1)
    }

    @Test func ofSeveralProgramsTheLargestIsTakenAndAllAreNamed() throws {
        let path = try join(
            [("160x96", "25", 30), ("320x192", "25", 30)], "e.ts", codec: Self.mpeg2,
            ["-program", "title=One:st=0", "-program", "title=Two:st=1"])
        let text = try scrub("info", path)
        #expect(text.output.contains("stream 1, mpeg2video") && text.output.contains("program 1 One"), "\(text.output)")
        let streams = try #require(try object(try scrub("info", path, "--json").output)["streams"] as? [[String: Any]])
        #expect(streams.map { $0["program"] as? String } == ["1 One", "2 Two"])
    }

    @Test func setsSayWhichVideoTheyShow() throws {
        let path = try join([("320x192", "25", 1), ("160x96", "25", 40)], "f.webm", codec: Self.vp8)
        let out = folder.path(of: "out")
        for words in [
            ["strip", path, "--count", "4", "-o", out + "-strip"], ["sheet", path, "--count", "4", "-o", out + ".png"],
            ["poster", path, "-o", out + "-poster.png"], ["thumbs", path, "--profile", "web", "-o", out + "-thumbs"],
        ] {
            let run = try Tool.run(CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
            #expect(run.status == 0, "\(run.errors)")
            let told = run.errors.split(separator: "\n").filter { $0.contains("stream 1 is used") }
            #expect(told.count == 1 && told[0].contains("also has video in stream 0"), "\(words[0]): \(run.errors)")
        }
    }

    /// Verbs that prove and measure take any of the videos, as those that make pictures do. A set of the second one is
    /// proven against it.
    @Test func theOtherVideoIsProvenToo() throws {
        let path = Clip.folder + "/clips/two-videos.mp4"
        for (stream, count) in [(0, 60), (1, 30)] {
            let words = ["--stream", "\(stream)", "--json"]
            let proof = try Tool.run(CommandTests.program, ["verify", path, "--sample", "2", "--no-cache"] + words)
            #expect(try object(proof.output)["frameCount"] as? Int == count, "\(proof.errors)")
            let set = folder.path(of: "set\(stream)")
            let made = try scrub(
                "strip", path, "--count", "4", "--stream", "\(stream)", "--tolerance", "exact", "--output", set)
            try #require(made.status == 0, "\(made.errors)")
            let own = try Tool.run(CommandTests.program, ["verify-set", set, "--against", path] + words)
            #expect(own.status == 0, "\(own.output) \(own.errors)")
            let other = try scrub("verify-set", set, "--against", path, "--stream", "\(1 - stream)")
            #expect(other.status == 65, "\(other.output)")
            for verb in [["verify", path], ["bench", path], ["verify-set", set, "--against", path]] {
                let refused = try Tool.run(CommandTests.program, verb + ["--stream", "-1"])
                #expect(refused.status == 64, "\(verb): \(refused.errors)")
            }
        }
    }

    @Test func streamsAreCountedFromZero() throws {
        let path = try join([("160x96", "25", 5)], "g.webm", codec: Self.vp8)
        let cache = try TemporaryFolder()
        #expect(try scrub("info", path, cache: cache).status == 0)
        for verb in ["info", "seek", "frames", "poster", "verify", "play"] {
            let words = [verb, path] + (verb == "seek" ? ["0"] : []) + ["--stream", "-1"]
            let run = try Tool.run(CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": cache.path])
            #expect(run.status == 64, "\(verb): \(run.status)")
        }
        // The main stream's saved index is not used for it.
        let options = VideoAsset.OpenOptions(stream: -1, cache: VideoAsset.IndexCache(path: cache.path))
        let error = #expect(throws: ScrubError.self) { try VideoAsset(path: path, options: options) }
        #expect(error?.code == .usage)
    }
}

extension VideoAsset {
    /// The stream that was taken.
    fileprivate var chosen: Int { get throws { try info().streamIndex } }
}
