import Foundation
import ScrubThumbnails
import Scrub
import ScrubTestSupport
import Testing

/// A part of a film that has another shape keeps it.
@Suite struct PartShapeTests {
    /// Two films joined, the second one of another size.
    private func joined(_ second: String, _ folder: TemporaryFolder, codec: [String]) throws -> String {
        var bytes = Data()
        for (i, size) in ["320x180", second].enumerated() {
            let path = folder.path(of: "\(i).ts")
            let made = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-y", "-f", "lavfi", "-i", "color=red:s=\(size):r=10:d=1"] + codec
                    + ["-output_ts_offset", "\(i + 1)", path])
            try #require(made.status == 0, "\(made.errors)")
            bytes += try Data(contentsOf: URL(filePath: path))
        }
        let path = folder.path(of: "joined.ts")
        try bytes.write(to: URL(filePath: path))
        return path
    }

    private func pixels(_ path: String) throws -> [UInt8] {
        let raw = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", path + ".rgb"])
        try #require(raw.status == 0, "\(raw.errors)")
        return [UInt8](try Data(contentsOf: URL(filePath: path + ".rgb")))
    }

    @Test(arguments: [["-c:v", "libx264"], ["-c:v", "mpeg2video"]], ["180x320", "320x320"])
    func partsKeepTheirShape(codec: [String], second: String) throws {
        let folder = try TemporaryFolder()
        let path = try joined(second, folder, codec: codec)
        let output = folder.path(of: "strip")
        let made = try Tool.run(
            CommandTests.program,
            ["strip", path, "--count", "4", "--columns", "1", "--width", "160", "--format", "png", "--output", output],
            environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
        #expect(made.status == 0, "\(made.errors)")
        let image = try pixels(output + "/sheet-000.png")
        try #require(image.count == 160 * 90 * 4 * 3)
        // Whether a pixel of a tile is red; else it is black.
        func isRed(_ tile: Int, _ x: Int, _ y: Int) -> Bool { image[((tile * 90 + y) * 160 + x) * 3] > 128 }
        let width = second == "180x320" ? 51 : 90
        for tile in 0..<4 {
            #expect(isRed(tile, 80, 1) && isRed(tile, 80, 45) && isRed(tile, 80, 88), "tile \(tile)")
            let columns = (0..<160).filter { isRed(tile, $0, 45) }.count
            #expect(abs(columns - (tile < 2 ? 160 : width)) <= 2, "tile \(tile): \(columns) columns")
        }
    }

    /// A poster of such a part has its shape.
    @Test func postersHaveTheShapeOfTheirPart() throws {
        let folder = try TemporaryFolder()
        let asset = try VideoAsset(
            path: joined("180x320", folder, codec: ["-c:v", "libx264"]), options: VideoAsset.OpenOptions(cache: .none))
        var reader = FrameReader(asset)
        let picture = try #require(try reader.frame(at: .last).picture)
        let poster = try picture.posterFile(as: .png, width: 90)
        #expect(poster.width == 90 && poster.height == 160)
    }
}
