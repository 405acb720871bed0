import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub info`: the contents of a file, at once, and the estimates among them.
@Suite struct InfoTests {
    private func scrub(_ arguments: [String], cache: TemporaryFolder? = nil) throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, arguments, environment: ["SCRUB_CACHE_DIR": cache?.path ?? "/dev/null/scrub"])
    }

    private func object(_ line: some StringProtocol) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    /// With a saved index nothing is decoded, and libavcodec with its hundred libraries is not loaded.
    @Test(arguments: [
        "h264-b.avi", "h264-intra.mp4", "hevc-open-gop.mkv", "av1-svt.ivf", "vp9-altref.webm", "vp8-altref.webm",
        "mpeg4-packed.avi", "mpeg2-open.ts", "mpeg1.mpg", "film-mjpeg.avi", "film-ffv1.mkv", "film-png.mov",
        "film-theora.ogv", "film-wmv2.wmv", "film-dnxhd.mov", "anim.gif", "film-rv20.rm", "film-flv1.flv",
    ])
    func aSavedIndexNeedsNoDecoder(_ name: String) throws {
        let cache = try TemporaryFolder()
        let words = [["info", clip(name)], ["info", clip(name), "--json"], ["frames", clip(name)]]
        for words in words { #expect(try scrub(words, cache: cache).status == 0) }
        for words in words {
            let result = try Tool.run(
                CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": cache.path, "LD_DEBUG": "files"])
            #expect(result.status == 0)
            #expect(result.errors.contains("libavutil"), "the loader says nothing")
            #expect(!result.errors.contains("libavcodec"), "\(words[0]) loads it")
        }
    }

    /// A file with all kinds of streams.
    private func film(_ folder: TemporaryFolder, _ name: String) throws -> String {
        let chapters =
            ";FFMETADATA1\ntitle=Two hours\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n"
            + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\nEND=1000\ntitle=Two\n"
        try folder.write(chapters.utf8, to: "chapters.txt")
        try folder.write("1\n00:00:00,000 --> 00:00:00,500\nHello\n".utf8, to: "text.srt")
        let path = folder.path(of: name)
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-f", "lavfi", "-i",
                "sine=440:r=48000:d=1", "-i", folder.path(of: "text.srt"), "-i", folder.path(of: "chapters.txt"),
                "-map",
                "0", "-map", "1", "-map", "2", "-map_metadata", "3", "-map_chapters", "3", "-c:v", "mpeg4", "-c:a",
                "aac",
                "-c:s", name.hasSuffix(".mp4") ? "mov_text" : "srt", "-metadata:s:a", "language=deu", "-metadata:s:a",
                "title=Ton", "-disposition:s", "forced", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    @Test(arguments: ["a.mkv", "a.mp4"])
    func allStreamsAreThere(_ name: String) throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try film(folder, name)
        let fresh = try scrub(["info", path, "--json"], cache: cache)
        #expect(fresh.status == 0, "\(fresh.errors)")
        let row = try object(fresh.output)
        let streams = try #require(row["streams"] as? [[String: Any]]).filter { $0["kind"] as? String != "data" }
        #expect(streams.map { $0["kind"] as? String } == ["video", "audio", "subtitle"])
        #expect(streams[1]["language"] as? String == "deu" && streams[1]["sampleRate"] as? Int == 48000)
        #expect(streams[1]["channels"] as? Int == 1)
        // MP4 has no place for it.
        if name.hasSuffix(".mkv") { #expect(streams[2]["forced"] as? Bool == true) }
        let chapters = try #require(row["chapters"] as? [[String: Any]])
        #expect(chapters.map { $0["title"] as? String } == ["One", "Two"])
        #expect(chapters[1]["start"] as? Double == 0.4)
        #expect((row["tags"] as? [String: Any])?["title"] as? String == "Two hours")
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(row["size"] as? Int == size && row["bitRate"] as? Int == size * 8)
        // The saved facts are the same.
        #expect(try scrub(["info", path, "--json"], cache: cache).output == fresh.output)
        #expect(cache.contents.contains { $0.hasSuffix(".scrubfacts") })
        let text = try scrub(["info", path], cache: cache).output
        #expect(text.contains("audio") && text.contains("deu") && text.contains("One") && text.contains("Two hours"))
    }

    @Test func aShortVideoIsCountedWhole() throws {
        let cost = try VideoAsset(path: clip("h264-bf3.mp4"), options: .init(cache: .none)).estimatedSeekCost()
        #expect(cost.basis == .all && cost.frameCount == 100)
    }

    @Test func aLongOneIsSampledUntilItIsCounted() throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = folder.path(of: "long.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=gray:s=32x32:r=25", "-frames:v", "4000", "-c:v", "libx264",
                "-preset", "ultrafast", "-g", "50", "-bf", "2", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let asset = try VideoAsset(path: path, options: .init(cache: .init(path: cache.path)))
        let estimate = try asset.estimatedSeekCost()
        #expect(estimate.basis == .sample && estimate.frameCount < 2000)
        let all = try asset.seekCost()
        #expect(all.basis == .all && all.frameCount == 4000)
        #expect(abs(all.mean - estimate.mean) < 0.1 * all.mean && all.max >= estimate.max)
        let again = try VideoAsset(path: path, options: .init(cache: .init(path: cache.path)))
        #expect(try again.estimatedSeekCost() == all)
        #expect(try again.info().restarts.unreadCount == 0)
    }

    /// A single picture that is shown for seconds has no frame rate.
    @Test func onePictureHasNoRate() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "one.mov")
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=1/5", "-frames:v", "1", "-c:v", "mjpeg", path])
        for (file, words) in [(path, "1, 1 keyframe"), (clip("h264-bf3.mp4"), "100 (25 per second), ")] {
            let result = try scrub(["info", file, "--no-cache"])
            let row = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("frames") })
            #expect(row.dropFirst("frames".count).trimmingPrefix { $0 == " " }.hasPrefix(words), "\(row)")
        }
    }

    @Test func aBadFileStopsNothing() throws {
        let folder = try TemporaryFolder()
        let bad = try folder.write("no video".utf8, to: "bad.mp4")
        let files = [bad, clip("h264-bf3.mp4"), folder.path(of: "none.mp4")]
        for command in [["info"], ["verify", "--sample", "2"]] {
            let result = try scrub([command[0]] + files + command.dropFirst() + ["--json", "--no-cache"])
            #expect(result.status == 66)
            // One object for each file; FailedFileTests reads those of the bad ones.
            #expect(result.output.split(separator: "\n").count == 3)
            #expect(result.errors.contains("2 of 3 files failed"), "\(result.errors)")
        }
        let bench = try scrub(["bench"] + files + ["--json", "--requests", "1"])
        #expect(bench.status == 66 && bench.output.split(separator: "\n").count == 3)
    }
}
