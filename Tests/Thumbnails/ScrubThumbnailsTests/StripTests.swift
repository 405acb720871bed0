import ScrubFileIO
import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

@Suite struct StripTests {
    /// Every thumbnail is the picture of the time that it claims. The proof is the hash of the decoded picture, before
    /// it is made small, against ffmpeg's linear decode.
    @Test(arguments: [
        "h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "av1-svt.mp4", "vp9-altref.webm", "mpeg2-open.ts",
        "h264-one-key.mp4", "h264-paff.mp4", "h264-sar-4-3.mp4", "h264-rgb.mp4", "h264-high10.mp4",
    ])
    func thumbnailsAreTheirTimes(_ file: String) throws {
        let clip = try KnownClip(file)
        for tolerance in [ThumbnailPlan.Request.Tolerance.exact, .keyframe, .within(Rational(1, 4))] {
            let scratch = TemporaryFolder.unmade()
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(13), tolerance: tolerance))
            options.thumbnails.computesMD5 = true
            options.thumbnails.widths = [48]
            (options.sheets.columns, options.sheets.rows) = (3, 2)
            let report = try clip.asset.writeStrip(into: scratch.path, options: options)
            let storyboard = try #require(report.storyboards.first)
            #expect(storyboard.thumbnails.count == 13 && storyboard.sheets.count == 3)
            for thumbnail in storyboard.thumbnails {
                #expect(
                    report.hashes[thumbnail.frameNumber] == clip.hashes[thumbnail.frameNumber],
                    "#\(thumbnail.frameNumber)")
                #expect(thumbnail.time == clip.asset.time(ofFrame: thumbnail.frameNumber))
                let own = try clip.asset.presentedFrame(at: .time(thumbnail.requestedTime)).number
                #expect(thumbnail.verdict == (thumbnail.frameNumber == own ? "exact" : "approximate"))
                if tolerance == .exact { #expect(thumbnail.frameNumber == own) }
            }
            #expect(
                scratch.files == ["manifest.json", "sheet-000.jpg", "sheet-001.jpg", "sheet-002.jpg", "thumbnails.vtt"])
            // What was written says the same when it is read back.
            #expect(try Storyboard.JSON.storyboard(parsing: scratch.text("manifest.json")) == storyboard)
            #expect(try Storyboard.WebVTT(parsing: scratch.text("thumbnails.vtt")).cues.count == 13)
        }
    }

    /// The tile at a place of the sheet shows that frame: clips that carry their number as a bar code say so.
    @Test func tilesAreInTheirPlaces() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(7)))
        options.thumbnails.widths = [96]
        (options.sheets.columns, options.sheets.rows, options.sheets.format) = (4, 3, .png)
        let report = try clip.asset.writeStrip(into: scratch.path, options: options)
        let storyboard = try #require(report.storyboards.first)
        for thumbnail in storyboard.thumbnails {
            let alone = TemporaryFolder.unmade()
            var single = ThumbnailStrip.Options(ThumbnailPlan.Request(.at([.frame(thumbnail.frameNumber)])))
            single.thumbnails.widths = [96]
            single.sheets.format = .png
            (single.sheets.columns, single.sheets.rows) = (1, 1)
            _ = try clip.asset.writeStrip(into: alone.path, options: single)
            let area = "\(thumbnail.width):\(thumbnail.height):\(thumbnail.x):\(thumbnail.y)"
            let tile = try pixels(scratch.path + "/" + storyboard.sheets[thumbnail.sheet].name, "crop=\(area)")
            #expect(tile == (try pixels(alone.path + "/sheet-000.png", "null")), "#\(thumbnail.frameNumber)")
        }
    }

    private func pixels(_ path: String, _ filter: String) throws -> Data {
        try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-vf", filter, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
            .bytes
    }

    /// Turned, stretched and interlaced pictures come out upright, in shape, as the exact frame's own picture is.
    @Test(arguments: [
        "rotate-90.mp4", "rotate-270.mp4", "h264-sar-4-3.mp4", "h264-sar-2-1.mp4", "rotate-90-mirror.mp4",
        "rotate-180.mp4", "rotate-0-mirror.mp4",
    ])
    func shapesAreUpright(_ file: String) throws {
        let clip = try KnownClip(file)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.at([.frame(5)])))
        options.thumbnails.widths = [64]
        (options.sheets.columns, options.sheets.rows, options.sheets.format) = (1, 1, .png)
        let report = try clip.asset.writeStrip(into: scratch.path, options: options)
        let storyboard = try #require(report.storyboards.first)
        var reader = FrameReader(clip.asset)
        let picture = try #require(try reader.frame(at: .frame(5)).picture)
        let png = try picture.png()
        #expect(abs(storyboard.tileHeight - 64 * png.height / png.width) <= 2)
        let full = scratch.path + "/full.png"
        try picture.writePNG(to: full)
        let small = try pixels(scratch.path + "/sheet-000.png", "null")
        let expected = try pixels(full, "scale=64:\(storyboard.tileHeight):flags=area")
        let difference = zip(small, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        // Edges of saturated bars, scaled before or after the conversion to RGB, make 4 to 11. A picture upside down or
        // the other way round makes 75 and more.
        #expect(small.count == expected.count && difference < 16 * small.count, "\(difference / max(1, small.count))")
    }
}
