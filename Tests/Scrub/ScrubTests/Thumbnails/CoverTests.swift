import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Stills that come with a file are offered, and never taken for its video.
@Suite struct CoverTests {
    private static let program = CommandTests.program

    /// A file with a cover, by ffmpeg; the cover's bytes as it was put in.
    private func make(_ name: String, cover: String, video: Bool, in folder: TemporaryFolder) throws -> (
        path: String, bytes: Data
    ) {
        let still = folder.path + "/still." + cover
        let path = folder.path + "/" + name
        // Larger than the video: size alone would choose it.
        try ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=320x240", "-frames:v", "1", still])
        let main = video ? "testsrc=s=64x48:d=1" : "sine=d=1"
        if name.hasSuffix(".mkv") {
            try ffmpeg(
                [
                    "-f", "lavfi", "-i", main, "-attach", still, "-metadata:s:t",
                    "mimetype=image/\(cover == "jpg" ? "jpeg" : cover)",
                ]
                    + ["-metadata:s:t", "filename=cover.\(cover)", path])
        } else {
            let place = video ? ":v:1" : ":v"
            try ffmpeg(
                ["-f", "lavfi", "-i", main, "-i", still, "-map", "0", "-map", "1", "-c\(place)", "copy"]
                    + ["-disposition\(place)", "attached_pic", path])
        }
        return (path, try Data(contentsOf: URL(filePath: still)))
    }

    private func ffmpeg(_ arguments: [String]) throws {
        let result = try Tool.run("ffmpeg", ["-v", "error", "-y"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
    }

    private func object(_ arguments: [String]) throws -> [String: Any] {
        let result = try Tool.run(Self.program, arguments + ["--no-cache", "--json"])
        #expect(result.status == 0, "\(result.errors)")
        return try #require(JSONSerialization.jsonObject(with: result.bytes) as? [String: Any])
    }

    /// Films with a larger cover: the film is the film, the cover is listed and written byte for byte.
    @Test(arguments: [("film.mp4", "jpg"), ("film.mp4", "png"), ("film.mkv", "jpg"), ("film.mkv", "png")])
    func filmsWithACover(_ name: String, _ cover: String) throws {
        let folder = try TemporaryFolder()
        let (path, bytes) = try make(name, cover: cover, video: true, in: folder)
        let info = try object(["info", path])
        #expect(info["stream"] as? Int == 0 && info["width"] as? Int == 64 && info["frameCount"] as? Int == 25)
        let listed = try #require((info["coverArt"] as? [[String: Any]])?.first)
        #expect(listed["stream"] as? Int == 1 && listed["codec"] as? String == (cover == "jpg" ? "mjpeg" : "png"))
        #expect(listed["width"] as? Int == 320 && listed["height"] as? Int == 240)
        // Naming it does not make it a video.
        let named = try Tool.run(Self.program, ["info", path, "--stream", "1", "--no-cache"])
        #expect(named.status == 64 && named.errors.contains("cover art"), "\(named.errors)")
        // Its own bytes, its own suffix.
        #expect(try object(["poster", path, "--cover", "-o", folder.path + "/out"])["file"] as? String == path)
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/out." + cover)) == bytes)
        _ = try object(["poster", path, "--cover", "--stream", "1", "-o", folder.path + "/covers/"])
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/covers/cover." + cover)) == bytes)
        // Another format and size when they are asked for.
        _ = try object(["poster", path, "--cover", "-o", folder.path + "/out.webp", "--size", "100"])
        let probe = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
                folder.path + "/out.webp",
            ])
        #expect(probe.output.trimmingCharacters(in: .whitespacesAndNewlines) == "webp,100,75")
        // Posters are the film's own; the cover is beside them.
        let explained = try object(["poster", path, "--explain"])
        let frames = try #require(explained["candidates"] as? [[String: Any]]).compactMap { $0["frame"] as? Int }
        #expect(!frames.isEmpty && frames.allSatisfy { (0..<25).contains($0) })
        #expect((explained["coverArt"] as? [[String: Any]])?.first?["stream"] as? Int == 1)
        #expect(try Tool.run(Self.program, ["poster", path, "--cover", "--stream", "0", "-o", "x"]).status == 64)
    }

    /// Songs: no video, but a cover, and how to get it; file managers get a thumbnail of it.
    @Test(arguments: [("song.mp3", "jpg"), ("song.m4a", "png"), ("song.flac", "png")])
    func songs(_ name: String, _ cover: String) throws {
        let folder = try TemporaryFolder()
        let (path, bytes) = try make(name, cover: cover, video: false, in: folder)
        let poster = try Tool.run(Self.program, ["poster", path, "-o", folder.path + "/p.jpg", "--no-cache"])
        #expect(poster.status == 65 && poster.errors.contains("--cover"), "\(poster.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/p.jpg"))
        #expect(try Tool.run(Self.program, ["poster", path, "--cover", "-o", folder.path + "/p.\(cover)"]).status == 0)
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/p.\(cover)")) == bytes)
        let covers = try CoverArt.load(from: path)
        #expect(covers.count == 1 && covers.first.map { Data($0.bytes) } == bytes)
        let cached = try Tool.run(
            Self.program, ["thumbs", path, "--profile", "freedesktop", "--no-cache"],
            environment: ["XDG_CACHE_HOME": folder.path + "/cache"])
        #expect(cached.status == 0, "\(cached.errors)")
        let normal = folder.path + "/cache/thumbnails/normal"
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: normal).first)
        let probe = try Tool.run(
            "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", normal + "/" + file])
        #expect(probe.output.trimmingCharacters(in: .whitespacesAndNewlines) == "128,96")
    }

    @Test func noCover() throws {
        let clip = Clip.folder + "/clips/h264-bf3.mp4"
        #expect(try CoverArt.load(from: clip).isEmpty)
        let result = try Tool.run(Self.program, ["poster", clip, "--cover", "-o", "/nowhere/x.jpg"])
        #expect(result.status == 65 && result.errors.contains("no cover art"))
        let info = try object(["info", clip])
        #expect((info["coverArt"] as? [Any])?.isEmpty == true)
        #expect(throws: ScrubError.self) { try CoverArt.load(from: "/nowhere/film.mp4") }
    }
}
