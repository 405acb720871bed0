import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

@Suite struct PosterTests {
    /// The same film gives the same posters; they differ from each other and are not blank.
    @Test(arguments: ["demo.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4"])
    func postersAreRepeatable(_ file: String) throws {
        let clip = try KnownClip(file)
        var options = Poster.Options()
        options.count = 3
        let first = try clip.asset.posterReport(options: options)
        options.threadCount = 1
        let second = try clip.asset.posterReport(options: options)
        #expect(first.posters.map(\.frame) == second.posters.map(\.frame))
        #expect(first.candidates.map(\.frame) == second.candidates.map(\.frame))
        #expect(!first.posters.isEmpty && first.posters.count <= 3)
        #expect(Set(first.posters.map(\.frame.number)).count == first.posters.count)
        #expect(first.posters.count == 3 || first.note != nil)
        #expect(first.posters.allSatisfy { !$0.scores.isBlank })
    }

    /// One picture as it is and as it should not be: black, faded, blurred, with bars. The sheet and the JSON name
    /// every criterion.
    @Test func spoiledPicturesRankBelowTheOriginal() throws {
        let folder = try TemporaryFolder()
        let still = folder.path + "/still.png"
        let spoiled = [
            "null", "gblur=sigma=5", "lutyuv=y=(val-16)*0.4+16",
            "lutyuv=y=val*0.3+165:u=(val-128)*0.3+128:v=(val-128)*0.3+128",
            "scale=320:120,pad=320:180:0:30", "drawbox=c=black:t=fill",
        ]
        func ffmpeg(_ arguments: [String]) throws {
            let result = try Tool.run("ffmpeg", ["-v", "error", "-y"] + arguments)
            #expect(result.status == 0, "\(result.errors)")
        }
        try ffmpeg([
            "-f", "lavfi", "-i", "mandelbrot=s=320x180:start_scale=0.01:end_scale=0.005", "-frames:v", "1", still,
        ])
        for (number, filter) in spoiled.enumerated() {
            try ffmpeg(["-i", still, "-vf", "format=yuv420p," + filter, folder.path + "/\(number).png"])
        }
        let film = folder.path + "/film.mp4"
        try ffmpeg(
            [
                "-framerate", "1", "-i", folder.path + "/%d.png", "-c:v", "libx264", "-g", "1", "-pix_fmt", "yuv420p",
                film,
            ])
        let output = folder.path + "/posters/"
        let result = try Tool.run(
            CommandTests.program,
            ["poster", film, "--candidates", "200", "--explain", "--json", "--no-cache", "-o", output])
        let object = try #require(JSONSerialization.jsonObject(with: result.bytes) as? [String: Any])
        let candidates = try #require(object["candidates"] as? [[String: Any]])
        #expect(candidates.compactMap { $0["frame"] as? Int } == Array(spoiled.indices))
        let scores = candidates.compactMap { $0["score"] as? Double }
        for number in 1..<spoiled.count { #expect(scores[number] < scores[0], "\(spoiled[number]): \(scores)") }
        #expect(scores.last == 0 && candidates.last?["blank"] != nil)
        let poster = try #require((object["posters"] as? [[String: Any]])?.first)
        #expect(poster["frame"] as? Int == 0)
        // 4 x 3 parts are 28 characters; a ThumbHash has 5 bytes of head and at most 20 of amplitudes.
        #expect((poster["blurHash"] as? String)?.count == 28)
        let text = try #require(poster["thumbHash"] as? String)
        let thumbHash = try #require(Data(base64Encoded: text))
        #expect((6...25).contains(thumbHash.count))
        let sheet = try String(contentsOfFile: output + "explanation.svg", encoding: .utf8)
        for criterion in PosterScores.Criterion.allCases { #expect(sheet.contains("\(criterion.rawValue) ")) }
    }

    /// A film with few key pictures is looked at all over, not at its beginning alone.
    @Test func candidatesAreSpread() throws {
        let asset = try KnownClip("h264-one-key.mp4").asset
        let report = try asset.posterReport()
        let frames = report.candidates.map(\.frame.number)
        let count = asset.frames.count
        #expect(frames.contains { $0 < count / 3 } && frames.contains { $0 > 2 * count / 3 }, "\(frames) of \(count)")
    }

    /// The program writes the files that it names, in the format of the suffix, at the width asked for.
    @Test func theCommandWritesThem() throws {
        let scratch = try TemporaryFolder()
        let clip = Clip.folder + "/clips/demo.mp4"
        for (suffix, codec) in [("jpg", "mjpeg"), ("png", "png"), ("webp", "webp")] {
            let path = scratch.path + "/poster.\(suffix)"
            let result = try Tool.run(
                CommandTests.program, ["poster", clip, "--width", "200", "-o", path, "--json", "--explain"])
            #expect(result.status == 0, "\(result.errors)")
            let object = try #require(
                JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            let posters = try #require(object["posters"] as? [[String: Any]])
            #expect(posters.count == 1 && posters.first?["file"] as? String == path)
            for key in ["frame", "seconds", "score"] { #expect(posters.first?[key] is NSNumber, "\(key)") }
            #expect((posters.first?["scores"] as? [String: Any])?["sharpness"] is NSNumber)
            #expect((object["candidates"] as? [Any])?.isEmpty == false)
            let probe = try Tool.run(
                "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name,width", "-of", "csv=p=0", path])
            #expect(probe.output.trimmingCharacters(in: .whitespacesAndNewlines) == "\(codec),200")
        }
        let folder = scratch.path + "/several/"
        let several = try Tool.run(CommandTests.program, ["poster", clip, "--count", "2", "--explain", "-o", folder])
        #expect(several.status == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(
            files.count { $0.hasPrefix("poster-") } >= 1 && files.contains("explanation.json")
                && files.contains("explanation.svg"))
        let wrong = try Tool.run(CommandTests.program, ["poster", clip, "-o", scratch.path + "/poster.xyz"])
        #expect(wrong.status == 64)
    }

    /// Desktops name the file: what was asked for is written there, whatever its name says.
    @Test(arguments: ["thumbnail", "thumbnail.jpg", "thumbnail.tmp"])
    func theFormatThatIsAskedForHolds(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: name)
        // The desktop has made it for its name, and reads from what it has open.
        try Data().write(to: URL(filePath: path))
        let opened = try #require(FileHandle(forReadingAtPath: path))
        let result = try Tool.run(
            CommandTests.program,
            [
                "poster", Clip.folder + "/clips/demo.mp4", "--size", "128", "--format", "png", "--no-cache", "--output",
                path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try opened.readToEnd()?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        #expect(try Data(contentsOf: URL(filePath: path)).starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }
}
