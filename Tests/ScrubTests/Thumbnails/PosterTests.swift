import Foundation
import Scrub
import Testing

@Suite struct PosterTests {
    /// The same film gives the same posters; they differ from each other and are not blank.
    @Test(arguments: ["demo.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4"])
    func postersAreRepeatable(_ file: String) throws {
        let clip = try KnownClip(file)
        var options = PosterOptions()
        options.count = 3
        let first = try clip.asset.posters(options)
        options.threadCount = 1
        let second = try clip.asset.posters(options)
        #expect(first.posters.map(\.frame) == second.posters.map(\.frame))
        #expect(first.candidates.map(\.frame) == second.candidates.map(\.frame))
        #expect(!first.posters.isEmpty && first.posters.count <= 3)
        #expect(Set(first.posters.map(\.frame.number)).count == first.posters.count)
        #expect(first.posters.count == 3 || first.note != nil)
        #expect(first.posters.allSatisfy { !$0.scores.isBlank })
    }

    /// The program writes what it names, in the format of the suffix, at the width asked for.
    @Test func theCommandWritesThem() throws {
        let scratch = StripTests.Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
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
}
