import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Files that are shorter than their containers say. `ClipTests` proves of each whole file that it lacks nothing.
@Suite struct MissingMediaTests {
    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    /// The first part of a clip as a file of its own.
    private func cut(_ name: String, leaving share: Double, in folder: TemporaryFolder) throws -> String {
        let data = try Data(contentsOf: URL(filePath: clip(name)))
        let path = folder.path + "/cut-" + name
        try data.prefix(Int(Double(data.count) * share)).write(to: URL(filePath: path))
        return path
    }

    @Test(
        arguments: [
            "mp4-faststart.mp4", "frag.mp4", "frag-dash.mp4", "frag-global-sidx.mp4", "frag-no-mfra.mp4",
            "h264-bf3.mkv",
            "vp9-altref.webm", "h264-b.avi", "mpeg4-b.avi", "mjpeg.avi", "h264-b.flv", "h264-bf3.ts",
            "order-h264.asf", "screen-tscc.avi", "av1-svt.mkv", "mpeg2.mkv",
        ], [0.6, 0.83])
    func halfAFileSaysSo(_ name: String, share: Double) throws {
        let folder = try TemporaryFolder()
        let path = try cut(name, leaving: share, in: folder)
        let whole = try VideoAsset(path: clip(name), options: VideoAsset.OpenOptions(cache: .none))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let missing = try #require(asset.missingMedia)
        #expect(missing.description.hasPrefix("the file is truncated"))
        #expect(asset.frames.count <= whole.frames.count)
        #expect(missing.byteCount.map { $0 > 0 } ?? true)
        if let duration = missing.duration { #expect(duration > .zero && duration < whole.duration) }
        // A table of samples tells exactly how many pictures there were.
        if name == "mp4-faststart.mp4" {
            #expect(asset.frames.count + (missing.pictureCount ?? 0) == whole.frames.count)
        }
        // The warning is one of those that `info` gives.
        #expect(try asset.info().warnings.contains(Wording(missing.description)))
    }

    @Test func aSavedIndexRemembers() throws {
        let folder = try TemporaryFolder()
        let path = try cut("mp4-faststart.mp4", leaving: 0.5, in: folder)
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path + "/cache"))
        let built = try VideoAsset(path: path, options: options)
        let saved = try VideoAsset(path: path, options: options)
        #expect(built.openReport.indexOrigin == .built && saved.openReport.indexOrigin == .saved)
        #expect(saved.missingMedia == built.missingMedia && saved.missingMedia?.pictureCount ?? 0 > 0)
    }

    @Test(arguments: [
        ["info"], ["info", "--json"], ["seek", "f0"], ["seek", "f0", "--json", "--hash"], ["frames", "--json"],
        ["plan", "0.5"], ["index"], ["index", "--json"], ["verify", "--orders", "alone", "--sample", "2"],
        ["verify", "--orders", "alone", "--sample", "2", "--json"], ["poster", "--json"], ["bench", "--json"],
        ["strip", "--count", "2", "--json", "--output"], ["thumbs", "--count", "2", "--profile", "web", "--output"],
    ])
    func everyCommandSaysItOnce(_ words: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try cut("mp4-faststart.mp4", leaving: 0.5, in: folder)
        var arguments = [words[0], path] + words.dropFirst()
        if words.last == "--output" { arguments.append(folder.path + "/out") }
        let result = try Tool.run(
            CommandTests.program, arguments, environment: ["SCRUB_CACHE_DIR": folder.path + "/cache"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.errors.split(separator: "\n").filter { $0.contains("the file is truncated") }
        #expect(lines.count == 1, "\(result.errors)")
        // Pictures that are there are exact, and streams of objects keep their form.
        let isAboutTheFile = ["info", "index", "verify", "poster", "bench", "strip"].contains(words[0])
        guard words.contains("--json"), let first = result.output.split(separator: "\n").first else { return }
        let object = try #require(JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect((object["missing"] as? [String: Any] != nil) == isAboutTheFile)
        if words[0] == "seek" { #expect(object["verdict"] as? String == "exact") }
    }

    @Test func aWholeFileSaysNothing() throws {
        let result = try Tool.run(CommandTests.program, ["info", clip("mp4-faststart.mp4"), "--json", "--no-cache"])
        #expect(result.errors.isEmpty && !result.output.contains("\"missing\""))
    }
}
