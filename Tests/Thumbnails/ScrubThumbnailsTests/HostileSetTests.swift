import Foundation
import ScrubFileIO
import ScrubPictures
@testable import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Sets whose names lead out of their folder, and whose numbers no computer holds: a sentence, and nothing read or
/// copied from outside.
@Suite struct HostileSetTests {
    /// A set in a folder of its own, beside an unrelated picture.
    private final class Made {
        let root: TemporaryFolder
        let asset: VideoAsset
        var set: String { root.path + "/set" }
        var outside: String { root.path + "/outside.jpg" }
        /// A sheet's name.
        let sheet: String

        init() throws {
            root = try TemporaryFolder()
            asset = try KnownClip("h264-bf3.mp4").asset
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(6)))
            options.thumbnails.widths = [64]
            // Full sheets, as DASH wants them.
            (options.sheets.columns, options.sheets.rows) = (3, 2)
            let report = try asset.writeStrip(into: root.path + "/set", options: options)
            sheet = try #require(report.storyboards.first?.sheets.first?.name)
            try FileManager.default.copyItem(atPath: set + "/" + sheet, toPath: outside)
        }

        func edit(_ file: String, _ change: (String) -> String) throws {
            let path = URL(filePath: set + "/" + file)
            try Data(change(String(decoding: try Data(contentsOf: path), as: UTF8.self)).utf8).write(to: path)
        }

        func replaceSheet(linkingTo target: String) throws {
            try FileManager.default.removeItem(atPath: set + "/" + sheet)
            try FileManager.default.createSymbolicLink(atPath: set + "/" + sheet, withDestinationPath: target)
        }

        func problems() throws -> [ThumbnailSets.Verification.Problem] {
            try asset.verifyThumbnailSets(in: set, sample: 4).problems
        }
    }

    @Test func aSoundSetIsSound() throws { #expect(try Made().problems().isEmpty) }

    @Test(arguments: [
        "../outside.jpg", "%2e%2e/outside.jpg", "%2E%2E%2Foutside.jpg", "x/../../outside.jpg", "./../outside.jpg",
        "file:///etc/hostname", "..%2foutside.jpg%00.jpg", "%2fetc%2fhostname",
    ])
    func namesThatLeadOutAreRefused(_ name: String) throws {
        let made = try Made()
        try made.edit("thumbnails.vtt") { $0.replacing(made.sheet, with: name) }
        let problems = try made.problems()
        #expect(problems.contains { $0.file == "thumbnails.vtt" }, "\(problems)")
        // The pictures outside are the set's own: had they been read, all would be well.
        #expect(!problems.contains { $0.reason.contains("differs") })
    }

    @Test func namesThatComeBackInsideAreRead() throws {
        let made = try Made()
        try made.edit("thumbnails.vtt") { $0.replacing(made.sheet, with: "x/../" + made.sheet) }
        #expect(try made.problems().isEmpty)
    }

    @Test(arguments: ["images.m3u8", "manifest.mpd", "thumbnails.json", "iframes.m3u8", "index.html"])
    func namesOfOtherFormatsThatLeadOutAreRefused(_ file: String) throws {
        let made = try Made()
        let text =
            switch file {
            case "images.m3u8":
                "#EXTM3U\n#EXT-X-IMAGES-ONLY\n#EXTINF:4,\n#EXT-X-TILES:RESOLUTION=64x38,LAYOUT=2x1,DURATION=2\n../outside.jpg\n"
            case "manifest.mpd":
                """
                <MPD mediaPresentationDuration="PT4S"><Period><AdaptationSet><SegmentTemplate media="../outside.jpg" \
                duration="4"/><Representation bandwidth="1" width="64" height="38"><EssentialProperty \
                schemeIdUri="http://dashif.org/thumbnail_tile" value="1x1"/></Representation></AdaptationSet></Period></MPD>
                """
            case "thumbnails.json":
                #"[{"url":"../outside.jpg","startTime":0,"width":64,"height":38,"coords":{"x":0,"y":0}}]"#
            case "iframes.m3u8":
                "#EXTM3U\n#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI=\"../o.mp4\",BYTERANGE=\"9@0\"\n#EXTINF:1,\n#EXT-X-BYTERANGE:9@9\n../o.mp4\n"
            default:
                "\n.tile div{width:64px;height:38px}\n<figure class=\"tile\" data-start=\"0\" title=\"frame 0, x url('../outside.jpg');background-position:-0px -0px\n"
            }
        try Data(text.utf8).write(to: URL(filePath: made.set + "/" + file))
        let problems = try made.problems()
        #expect(problems.contains { $0.file == file && $0.reason.contains("outside") }, "\(problems)")
    }

    @Test func linksAreNotFollowed() throws {
        let made = try Made()
        try made.replaceSheet(linkingTo: made.outside)
        #expect(try made.problems().contains { $0.reason.contains(made.sheet) })
        // Nor is a folder that is one.
        try FileManager.default.createSymbolicLink(
            atPath: made.set + "/link", withDestinationPath: made.root.path)
        try made.edit("thumbnails.vtt") { $0.replacing(made.sheet, with: "link/outside.jpg") }
        #expect(try made.problems().contains { $0.file == "thumbnails.vtt" })
    }

    /// Whatever a set names, the files of the new one come from its folder.
    @Test(arguments: [ThumbnailSets.Conversion.Format.vtt, .json, .hls, .dash])
    func convertingCopiesNothingFromOutside(_ format: ThumbnailSets.Conversion.Format) throws {
        let made = try Made()
        let out = made.root.path + "/out"
        try made.replaceSheet(linkingTo: made.outside)
        var error = #expect(throws: ScrubError.self) {
            try ThumbnailSets.convert(made.set, to: format, into: out)
        }
        #expect(error?.code == .badData)
        #expect(!FileManager.default.fileExists(atPath: out))
        try FileManager.default.createSymbolicLink(
            atPath: made.set + "/link", withDestinationPath: made.root.path)
        for name in ["link/outside.jpg", "../outside.jpg", "/etc/hostname"] {
            let other = try Made()
            try FileManager.default.createSymbolicLink(
                atPath: other.set + "/link", withDestinationPath: other.root.path)
            try other.edit("manifest.json") { $0.replacing(other.sheet, with: name) }
            error = #expect(throws: ScrubError.self) {
                try ThumbnailSets.convert(other.set, to: format, into: out)
            }
            #expect(error?.code == .badData, "\(name)")
            #expect(!FileManager.default.fileExists(atPath: out))
        }
    }

    /// An earlier set's files go when a new one is written, but none that only a link leads to.
    @Test func writingAgainRemovesNothingOutside() throws {
        let made = try Made()
        try FileManager.default.createSymbolicLink(
            atPath: made.set + "/link", withDestinationPath: made.root.path)
        try made.edit("manifest.json") { $0.replacing(made.sheet, with: "link/outside.jpg") }
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(6)))
        options.thumbnails.widths = [64]
        _ = try made.asset.writeStrip(into: made.set, options: options)
        #expect(FileManager.default.fileExists(atPath: made.outside))
    }

    @Test(arguments: [
        ("320 - 10x10", "-5.jpg"), ("9223372036854775806 - 2x2", "0.jpg"), ("320 - 10x10", "9223372036854775807.jpg"),
        ("2147483646 - 65535x65535", "0.jpg"), ("64 - 4294967296x4294967296", "0.jpg"), ("64 - 1x1", "007.jpg"),
    ])
    func impossibleJellyfinFoldersAreRefused(_ folder: String, _ name: String) throws {
        let made = try Made()
        let place = made.root.path + "/other/" + folder
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: made.outside, toPath: place + "/" + name)
        let found = try made.asset.verifyThumbnailSets(in: made.root.path + "/other")
        #expect(!found.isSound)
    }

    /// Every number of every index at the edges, one at a time: an answer, whatever it is.
    @Test(arguments: ["thumbnails.vtt", "manifest.json", "images.m3u8", "manifest.mpd", "thumbnails.json"])
    func everyNumberAtTheEdges(_ file: String) throws {
        let made = try Made()
        var folder = made.set
        switch file {
        case "images.m3u8", "manifest.mpd", "thumbnails.json":
            folder = made.root.path + "/out"
            let format: ThumbnailSets.Conversion.Format =
                file == "images.m3u8" ? .hls : file == "manifest.mpd" ? .dash : .json
            _ = try ThumbnailSets.convert(made.set, to: format, into: folder)
            try? FileManager.default.removeItem(atPath: folder + "/manifest.json")
        default: break
        }
        let path = URL(filePath: folder + "/" + file)
        let text = String(decoding: try Data(contentsOf: path), as: UTF8.self)
        let numbers = text.ranges(of: #/\d+/#)
        let edges = ["0", "9223372036854775807", "9223372036854775808", "4294967295", "2147483647", "65535"]
        // About forty of each, evenly.
        let step = max(1, numbers.count * edges.count / 40)
        for place in stride(from: 0, to: numbers.count * edges.count, by: step) {
            var changed = text
            changed.replaceSubrange(numbers[place / edges.count], with: edges[place % edges.count])
            try Data(changed.utf8).write(to: path)
            _ = try made.asset.verifyThumbnailSets(in: folder, sample: 2)
            _ = try? ThumbnailSets.convert(folder, to: .json, into: made.root.path + "/again")
        }
    }

    /// Short files that would keep a reader busy for hours. Each line has its playlist read again, each start of a tile
    /// the rest of its line.
    @Test func shortFilesDoNotKeepAReaderBusy() throws {
        let made = try Made()
        let folder = made.root.path + "/other"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let line = "#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=1,CODECS=\"jpeg\",RESOLUTION=16x16,URI=\"images.m3u8\"\n"
        try Data(("#EXTM3U\n" + String(repeating: line, count: 1000)).utf8)
            .write(to: URL(filePath: folder + "/master.m3u8"))
        let tile = "data-start=\"1\" title=\"frame 1, "
        let page = "\n.tile div{width:16px;height:16px}\n<figure class=\"tile" + String(repeating: tile, count: 100_000)
        try Data(page.utf8).write(to: URL(filePath: folder + "/index.html"))
        let problems = try made.asset.verifyThumbnailSets(in: folder).problems
        #expect(problems.contains { $0.file == "master.m3u8" && $0.reason.contains("1000 playlists") }, "\(problems)")
        #expect(problems.contains { $0.file == "index.html" && $0.reason.contains("line of") }, "\(problems)")
    }

    /// A gap of a playlist has no pictures and takes its time: later pictures are not earlier for it.
    @Test func gapsTakeTheirTime() throws {
        let made = try Made()
        let folder = made.root.path + "/gaps"
        _ = try ThumbnailSets.convert(made.set, to: .hls, into: folder)
        try? FileManager.default.removeItem(atPath: folder + "/manifest.json")
        let scope = try ConfinedFolder(path: folder)
        let sound = try SetReader(scope).sets.first { $0.format == "hls-images" }
        let path = URL(filePath: folder + "/images.m3u8")
        var text = String(decoding: try Data(contentsOf: path), as: UTF8.self)
        let first = try #require(text.range(of: "#EXTINF"))
        let tiles = try #require(text.firstMatch(of: #/#EXT-X-TILES[^\n]*\n/#)).output
        text.insert(contentsOf: "#EXTINF:7,\n#EXT-X-GAP\n\(tiles)gap.jpg\n", at: first.lowerBound)
        try Data(text.utf8).write(to: path)
        let later = try SetReader(scope).sets.first { $0.format == "hls-images" }
        let starts = try #require(sound?.tiles.map(\.start))
        #expect(!starts.isEmpty && later?.tiles.map(\.start) == starts.compactMap { $0.adding(Rational(7)) })
    }

    /// One column of pixels. A requested width is refused when the height would have no end, and one of our own choice
    /// is made smaller.
    @Test func aColumnOfPixelsHasSmallThumbnails() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/column.mkv"
        let made = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "color=red:s=1x2000:r=5:d=1,format=rgb24", "-c:v", "ffv1", path])
        try #require(made.status == 0, "\(made.errors)")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        for width in [160, 16384] {
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(2)))
            options.thumbnails.widths = [width]
            let error = #expect(throws: ScrubError.self) {
                try asset.writeStrip(into: folder.path + "/strip", options: options)
            }
            #expect(error?.code == .usage && error?.cause.contains("taller than 16384") == true)
        }
        var reader = FrameReader(asset)
        let picture = try #require(try reader.frame(numbered: 0).picture)
        #expect(throws: ScrubError.self) { try picture.encoded(as: .jpeg, options: .init(size: .width(1 << 40))) }
        #expect(throws: ScrubError.self) { try picture.encoded(as: .jpeg, options: .init(size: .width(0))) }
        let small = PictureSize(width: 320, shape: (1, 2000))
        #expect(small.width == 8 && small.height == 16384)
        #expect(PictureSize(width: 320, shape: (1920, 1080)).height == 180)
    }

    /// Numbers of a BIF file at the edges, and the result of converting it.
    @Test func everyNumberOfABIFFileAtTheEdges() throws {
        let made = try Made()
        let folder = made.root.path + "/bif"
        _ = try made.asset.writeThumbnailSets(into: folder, options: ThumbnailSets.Options([.plex]))
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder).first { $0.hasSuffix(".bif") }
        let path = folder + "/" + (try #require(found))
        try? FileManager.default.removeItem(atPath: path + ".json")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        for place in stride(from: 8, to: 64 + 8 * 3, by: 4) {
            for edge in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32] {
                var broken = bytes
                for i in 0..<4 { broken[place + i] = UInt8(truncatingIfNeeded: edge >> UInt32(8 * i)) }
                try Data(broken).write(to: URL(filePath: path))
                _ = try made.asset.verifyThumbnailSets(in: folder, sample: 2)
                for format in [ThumbnailSets.Conversion.Format.vtt, .json] {
                    _ = try? ThumbnailSets.convert(path, to: format, into: made.root.path + "/again")
                }
            }
        }
    }
}
