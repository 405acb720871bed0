import ScrubFileIO
import Foundation
import Scrub
import ScrubThumbnails
import ScrubPictures
import ScrubStoryboards
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Sets that another format cannot hold as they are: the re-encoded parts, and that they show the same.
@Suite struct PaddingTests {
    /// Seven pictures, three by two to a sheet: the last sheet has one.
    private func strip() throws -> (KnownClip, TemporaryFolder) {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.every(Rational(1, 2))))
        options.thumbnails.widths = [160]
        (options.sheets.columns, options.sheets.rows) = (3, 2)
        _ = try clip.asset.writeStrip(into: scratch.path, options: options)
        return (clip, scratch)
    }

    @Test func theLastSheetIsPadded() throws {
        let (clip, scratch) = try strip()
        let out = TemporaryFolder.unmade()
        let refused = #expect(throws: ScrubError.self) {
            try ThumbnailSets.convert(scratch.path, to: .dash, into: out.path)
        }
        #expect(refused?.code == .usage && out.files.isEmpty)
        let report = try ThumbnailSets.convert(scratch.path, to: .dash, into: out.path, quality: 90)
        #expect(report.encodedCount == 1, "the others are copies")
        #expect(try out.bytes("0.jpg") == scratch.bytes("sheet-000.jpg"))
        let found = try clip.asset.verifyThumbnailSets(in: out.path)
        #expect(found.isSound && found.sets.map(\.format).contains("dash-tiles"), "\(found.problems)")
        let last = try JPEG.decode([UInt8](try out.bytes("1.jpg")))
        #expect((last.width, last.height) == (480, 2 * 94))
    }

    /// A BIF file becomes the folder that Jellyfin looks for beside the film, with its hundred to a sheet.
    @Test func bifBecomesJellyfinsFolder() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.plex])
        options.request = ThumbnailPlan.Request(.every(.one), tolerance: .exact)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let bif = scratch.path + "/plex/h264-bf3-320-1.bif"
        let plex = scratch.path + "/plex/index-sd.bif"
        for (source, name, isKnown) in [(plex, "h264-bf3", true), (bif, "h264-bf3-320-1", false)] {
            let out = TemporaryFolder.unmade()
            let report = try ThumbnailSets.convert(source, to: .jellyfin, into: out.path, quality: 90)
            let sheet = "\(name).trickplay/320 - 10x10/0.jpg"
            #expect(report.files == [sheet] + (isKnown ? ["manifest.json"] : []) && report.encodedCount == 1)
            let found = try clip.asset.verifyThumbnailSets(in: out.path, jellyfinInterval: .one)
            #expect(found.isSound && found.sets.contains { $0.format == "jellyfin" }, "\(found.problems)")
        }
    }

    /// Sheets are cut up for BIF, in order.
    @Test func sheetsBecomeBIF() throws {
        let (clip, scratch) = try strip()
        let out = TemporaryFolder.unmade()
        let report = try ThumbnailSets.convert(scratch.path, to: .bif, into: out.path, quality: 90)
        let bif = try Storyboard.BIF(parsing: [UInt8](try out.bytes("index-sd.bif")))
        #expect(bif.multiplier == 500 && bif.entries.count == report.encodedCount)
        #expect(try clip.asset.verifyThumbnailSets(in: out.path).isSound)
    }

    /// Pictures of different sizes, as a BIF file may hold: bars, and no stretching.
    @Test func differentSizesGetBars() throws {
        let scratch = try TemporaryFolder()
        let white = { (width: Int, height: Int) throws in
            try JPEG.encode(
                RasterImage(
                    width: width, height: height, channels: 3, bitDepth: 8,
                    bytes: [UInt8](repeating: 255, count: width * height * 3), color: .sRGB), quality: 90)
        }
        let pictures = [try white(64, 36), try white(36, 36), try white(640, 36)]
        let head = try Storyboard.BIF(multiplier: 1000, timestamps: [0, 1, 2], byteCounts: pictures.map(\.count))
        try scratch.write(head.header + pictures.joined(), to: "Film.bif")
        _ = try ThumbnailSets.convert(
            scratch.path(of: "Film.bif"), to: .jellyfin, into: scratch.path, quality: 95)
        let sheet = try JPEG.decode([UInt8](try scratch.bytes("Film.trickplay/64 - 10x10/0.jpg")))
        #expect((sheet.width, sheet.height) == (640, 360))
        func isWhite(_ x: Int, _ y: Int) -> Bool { sheet.bytes[(y * 640 + x) * 3] > 200 }
        #expect(isWhite(2, 18) && isWhite(96, 2) && isWhite(160, 18))
        #expect(!isWhite(66, 18) && !isWhite(126, 18), "bars beside the square one")
        #expect(!isWhite(160, 2) && !isWhite(160, 33), "bars above and below the wide one")
        #expect(!isWhite(200, 18))
    }

    /// The command names the parts that it made again, and can be told not to.
    @Test func theCommandSaysWhatIsNew() throws {
        let (_, scratch) = try strip()
        let out = TemporaryFolder.unmade()
        let arguments = ["convert", scratch.path, "--to", "dash", "-o", out.path]
        #expect(try Tool.run(CommandTests.program, arguments + ["--copy-only"]).status == 64)
        let made = try Tool.run(CommandTests.program, arguments)
        #expect(
            made.status == 0 && made.output.contains(", 1 picture re-encoded -> "), "\(made.output)\(made.errors)")
    }
}
