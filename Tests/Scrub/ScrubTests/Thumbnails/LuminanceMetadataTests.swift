import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestSupport
import Testing

/// A file's luminance decides the tone curve, and Dolby Vision without a base layer is called by its name.
@Suite struct LightMetadataTests {
    /// Three grays and three colors in one lossless HEVC picture each; the metadata are in its supplemental messages.
    private static func clip(_ parameters: String, _ frames: [[Int]], _ coding: PatchCoding, _ path: String) throws {
        let planes = frames.flatMap { codes in
            [(codes[0], 64 * 64), (codes[1], 32 * 32), (codes[2], 32 * 32)].flatMap {
                [Int](repeating: $0.0, count: $0.1)
            }
        }
        try PatchClip.bytes(planes, bits: 10).write(to: URL(filePath: path + ".yuv"))
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p10le", "-s", "64x64", "-r", "5",
                "-i",
                path + ".yuv", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "log-level=none:lossless=1:keyint=1:" + parameters,
            ] + coding.tags() + [path])
        try #require(made.status == 0, "\(made.errors)")
    }

    private static let display = "master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L"

    /// MaxCLL, else the mastering display's peak, else 1,000 nit; impossible values are not believed.
    @Test(
        arguments: [
            ("hdr10=1:max-cll=600,100:\(display)(40000000,50)", 600),
            ("hdr10=1:max-cll=0,0:\(display)(40000000,50)", 4000),
            ("hdr10=1:max-cll=3000,100:\(display)(20000000,50)", 2000),
            ("hdr10=1:max-cll=20000,100", 1000), ("hdr10=1:max-cll=3,1:\(display)(100,50)", 1000),
            ("hdr10=1:max-cll=250,100", 250), ("repeat-headers=0", 1000),
        ] as [(String, Double)])
    func thePeakComesFromTheFile(parameters: String, peak: Double) throws {
        var coding = try #require(PatchCoding.all.first { $0.light == .pq && !$0.isFullRange })
        coding.peak = peak
        let scratch = try TemporaryFolder()
        let levels = [[150.0, 150, 150], [203, 203, 203], [500, 500, 500], [300, 200, 100], [900, 500, 700]]
        let frames = levels.map { coding.codes($0.map(HDRFormulas.pqSignal)) }
        try Self.clip(parameters, frames, coding, scratch.path + "/hdr.mp4")
        let asset = try VideoAsset(path: scratch.path + "/hdr.mp4", options: VideoAsset.OpenOptions(cache: .none))
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.at(frames.indices.map { .frame($0) })))
        options.thumbnails.widths = [32]
        (options.sheets.columns, options.sheets.rows, options.sheets.format) = (frames.count, 1, .png)
        let board = try #require(
            try asset.writeStrip(into: scratch.path + "/strip", options: options).storyboards.first)
        let sheet = try #require(board.sheets.first)
        let reading = try PatchReading(
            scratch.path + "/strip/" + sheet.name, width: sheet.width, height: sheet.height, format: .png)
        #expect(board.thumbnails.count == frames.count)
        for (codes, tile) in zip(frames, board.thumbnails) {
            let (found, wanted) = (reading.color(x: tile.x + 16, y: tile.y + 16), coding.shown(codes))
            #expect(PatchReading.distance(found, wanted) <= 2, "\(found), expected \(wanted)")
        }
    }

    /// Profile 5 is warned of wherever its pictures or facts are handed out; profile 8 has a base layer that is shown.
    @Test(arguments: [(5, 0), (8, 1)] as [(UInt8, UInt8)])
    func dolbyVision(profile: UInt8, compatibility: UInt8) throws {
        let coding = try #require(PatchCoding.all.first { $0.light == .pq && !$0.isFullRange })
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/dolby.mp4")
        try Self.clip("hdr10=1", [[500, 512, 512]], coding, plain)
        // Dolby Vision Streams Within the ISO Base Media File Format, 3.1: version 1.0, profile, level 1, RPU and base
        // layer.
        let flags = UInt16(profile) << 9 | 1 << 3 | 0b101
        let record =
            [1, 0, UInt8(flags >> 8), UInt8(flags & 255), compatibility << 4] + [UInt8](repeating: 0, count: 19)
        try BoxPatching.insert(
            BoxPatching.box(profile == 8 ? "dvvC" : "dvcC", record), intoSampleEntryOf: plain, output: path)
        let isWarned = profile == 5
        let says = { (warnings: [any CustomStringConvertible]) in
            warnings.contains { $0.description.contains("Dolby Vision profile 5 cannot be converted") }
        }
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        #expect(says(try asset.info().warnings) == isWarned)
        var reader = FrameReader(asset)
        let picture = try #require(try reader.frame(at: .first).picture)
        #expect(says(try picture.png().warnings) == isWarned)
        #expect(says(try picture.encoded(as: .jpeg).warnings) == isWarned)
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(1)))
        options.thumbnails.widths = [32]
        #expect(says(try asset.writeStrip(into: scratch.path + "/strip", options: options).warnings) == isWarned)
        for arguments in [
            ["info", path], ["seek", path, "first", "-o", scratch.path + "/a.png"],
            ["strip", path, "--count", "1", "-o", scratch.path + "/b", "--no-cache"],
            ["poster", path, "-o", scratch.path + "/c.jpg", "--no-cache"],
        ] {
            let result = try Tool.run(CommandTests.program, arguments)
            #expect(result.status == 0, "\(result.errors)")
            #expect(says([result.output + result.errors]) == isWarned, "\(arguments)")
        }
    }
}
