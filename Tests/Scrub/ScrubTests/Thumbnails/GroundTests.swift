import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Transparent pixels show the color that the command names.
@Suite struct GroundTests {
    /// Left nothing, in the middle half of a green, right an opaque red.
    private static func clip(_ path: String) throws {
        var bytes = Data()
        for _ in 0..<64 {
            for x in 0..<96 {
                bytes.append(contentsOf: x < 32 ? [10, 200, 30, 0] : x < 64 ? [0, 200, 0, 128] : [220, 10, 20, 255])
            }
        }
        try bytes.write(to: URL(filePath: path + ".raw"))
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "96x64", "-r", "5", "-i",
                path + ".raw", "-c:v", "png", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test(
        arguments: [
            ([], [0.0, 0, 0]), (["--ground", "#ffffff"], [255, 255, 255]), (["--ground", "#28c"], [34, 136, 204]),
            (["--ground", "FF8000"], [255, 128, 0]),
        ] as [([String], [Double])])
    func theGroundShowsThrough(arguments: [String], ground: [Double]) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/alpha.mov"
        try Self.clip(path)
        let share = 128.0 / 255
        let mixed = (0..<3).map { ($0 == 1 ? 200.0 : 0) * share + ground[$0] * (1 - share) }
        let (strip, poster, sets) = (scratch.path + "/strip", scratch.path + "/poster.png", scratch.path + "/sets")
        for command in [
            [
                "strip", path, "--count", "1", "--width", "96", "--columns", "1", "--rows", "1", "--format", "png",
                "-o", strip,
            ],
            ["poster", path, "-o", poster], ["thumbs", path, "--profile", "web", "--quality", "95", "-o", sets],
        ] {
            let result = try Tool.run(CommandTests.program, command + arguments + ["--no-cache"])
            #expect(result.status == 0, "\(result.errors)")
        }
        for file in [strip + "/sheet-000.png", poster] {
            let reading = try PatchReading(file, width: 96, height: 64, format: .png)
            for (x, wanted) in [(8, ground), (48, mixed), (88, [220, 10, 20])] {
                let found = reading.color(x: x, y: 32)
                #expect(PatchReading.distance(found, wanted) <= 1, "\(file): \(found), expected \(wanted)")
            }
        }
        let manifest = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(filePath: sets + "/web/manifest.json")))
        let tiles = try #require((manifest as? [String: Any])?["thumbnails"] as? [[String: Any]])
        let (width, height) = (
            try #require(tiles.first?["width"] as? Int), try #require(tiles.first?["height"] as? Int)
        )
        let reading = try PatchReading(sets + "/web/sheet-000.jpg", width: 5 * width, height: height, format: .jpeg)
        let found = reading.color(x: width / 12, y: height / 2)
        #expect(PatchReading.distance(found, ground) <= 2, "\(found), expected \(ground)")
    }

    @Test(arguments: ["#ff", "white", "#12345", "#gggggg", "", "#１２３"]) func otherWordsAreRefused(word: String) throws {
        let result = try Tool.run(
            CommandTests.program, ["strip", "none.mp4", "--ground", word, "--count", "1", "-o", "none"])
        #expect(result.status == 64 && result.errors.contains("--ground"), "\(result.errors)")
    }
}
