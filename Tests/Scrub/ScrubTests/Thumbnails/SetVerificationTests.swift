import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

@Suite struct SetVerificationTests {
    private static func sets(_ file: String, _ profiles: [ThumbnailSets.Profile]) throws -> (KnownClip, TemporaryFolder)
    {
        let clip = try KnownClip(file)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options(profiles)
        options.request = ThumbnailPlan.Request(.every(Rational(1, 2)), tolerance: .exact)
        if profiles.contains(.jellyfin) { options.request.positions = .every(Rational(1)) }
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        return (clip, scratch)
    }

    /// A written set is sound, in every format.
    @Test(arguments: ["hevc-open-gop.mp4", "rotate-90.mp4", "vfr.mp4"])
    func setsAreSound(_ file: String) throws {
        let (clip, scratch) = try SetVerificationTests.sets(file, ThumbnailSets.Profile.allCases)
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path)
        #expect(result.isSound, "\(result.problems)")
        #expect(
            Set(result.sets.map(\.format)) == [
                "manifest", "webvtt", "json-images", "bif", "hls-images", "hls-master", "hls-iframes", "hls-mjpg",
                "dash-tiles", "dash-trickmode", "jellyfin", "contact", "page", "preview", "freedesktop",
            ])
        #expect(result.sets.allSatisfy { $0.comparedCount > 0 || $0.format == "hls-master" })
        for file in ["web/index.html", "web/preview.webp", "plex/index-sd.bif", "contact/contact.svg"] {
            #expect(scratch.files.contains(file))
        }
    }

    /// A third of seven seconds is written as 2.333333333: three of them end a nanosecond before the film, and are all
    /// the same.
    @Test(arguments: [3, 6, 7, 9, 11])
    func roundedTimesMakeNoThumbnail(_ count: Int) throws {
        let clip = try KnownClip("demo.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.hls, .dash])
        options.request = ThumbnailPlan.Request(.count(count))
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path)
        #expect(result.isSound, "\(result.problems)")
        for format in ["hls-images", "dash-tiles"] {
            #expect(result.sets.first { $0.format == format }?.thumbnailCount == count, "\(format)")
        }
    }

    /// A strip whose sheets are named behind a base URL: they are found beside their index.
    @Test(arguments: ["https://a.example/%C3%BC/t", "/t/"])
    func stripsBehindABaseURLAreSound(_ base: String) throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(5)))
        options.baseURL = base
        _ = try clip.asset.writeStrip(into: scratch.path, options: options)
        #expect(try scratch.text("thumbnails.vtt").contains("t/sheet-000.jpg#"))
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path)
        #expect(result.isSound && result.sets.allSatisfy { $0.comparedCount == 5 }, "\(result.problems)")
    }

    /// The same of a web set's indexes; a storyboard needs a whole URL.
    @Test(arguments: ["https://a.example/%C3%BC/t", "/t/"])
    func setsBehindABaseURLAreSound(_ base: String) throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.web])
        (options.request.positions, options.baseURL) = (.every(Rational(1, 2)), base)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let url = base.hasSuffix("/") ? base : base + "/"
        for file in ["web/thumbnails.vtt", "web/thumbnails.json"] {
            #expect(try scratch.text(file).contains(url + "sheet-000.jpg"), "\(file)")
        }
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path)
        #expect(result.isSound, "\(result.problems)")
        let whole: Set<String> = base.hasPrefix("https") ? ["json-storyboard"] : []
        #expect(
            Set(result.sets.map(\.format)) == whole.union(["manifest", "webvtt", "json-images", "page", "preview"]))
        #expect(result.sets.allSatisfy { $0.comparedCount > 0 })
    }

    /// So are sets of the standard tolerance, which shows frames that no index but the manifest names: with the
    /// manifests and without. In `dup-` clips several frames have one time; the others change much within a slot.
    @Test(arguments: ["dup-ctts.mp4", "dup-fast.mkv", "demo.mp4", "elst-two.mp4"])
    func nearFramesAreSound(_ file: String) throws {
        let clip = try KnownClip(file)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.web, .plex, .hls])
        (options.request, options.skipsUnsupportedProfiles) = (
            ThumbnailPlan.Request(.every(.one), tolerance: .automatic), true
        )
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path, sample: 6)
        #expect(result.isSound, "\(result.problems)")
        for name in scratch.files where name.hasSuffix(".json") && !name.hasSuffix("thumbnails.json") {
            try FileManager.default.removeItem(atPath: scratch.path + "/" + name)
        }
        let alone = try clip.asset.verifyThumbnailSets(in: scratch.path, sample: 6)
        #expect(alone.isSound, "\(alone.problems)")
    }

    /// Pictures of another time are found, whichever index tells the times.
    @Test func wrongTimesAreFound() throws {
        let (clip, scratch) = try SetVerificationTests.sets("demo.mp4", [.web, .plex])
        let board = try Storyboard.JSON.storyboard(parsing: scratch.text("web/manifest.json"))
        var shifted = board
        for i in shifted.thumbnails.indices {
            shifted.thumbnails[i].frameNumber = (board.thumbnails[i].frameNumber + 60) % 210
        }
        for i in shifted.thumbnails.indices {
            shifted.thumbnails[i].time = clip.asset.time(ofFrame: shifted.thumbnails[i].frameNumber)
        }
        try write(Storyboard.JSON.manifest(shifted), scratch, "web/manifest.json")
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path)
        #expect(!result.isSound)
        #expect(result.problems.contains { $0.file == "web/manifest.json" && $0.reason.contains("claims frame") })
        // The VTT beside it and the BIF are still right. The page names other frames than the manifest now does, and
        // the preview has no claims but the manifest's.
        #expect(
            result.problems.allSatisfy {
                $0.file == "web/manifest.json" || $0.file == "web/preview.webp"
                    || $0.file == "web/index.html" && $0.reason.contains("but web/manifest.json claims frame")
            }, "\(result.problems)")
    }

    @Test func damageIsFound() throws {
        let (clip, scratch) = try SetVerificationTests.sets("h264-bf3.mp4", [.web, .plex, .hls, .dash])
        try FileManager.default.removeItem(atPath: scratch.path + "/hls/sheet-000.jpg")
        try write(
            scratch.text("web/thumbnails.vtt").replacing("xywh=308,", with: "xywh=3080,"), scratch, "web/thumbnails.vtt"
        )
        var bif = try scratch.bytes("plex/index-sd.bif")
        bif[64 + 8 + 4] ^= 0xFF
        try bif.write(to: URL(filePath: scratch.path + "/plex/index-sd.bif"))
        try write(scratch.text("dash/manifest.mpd").replacing("5x5", with: "5x4"), scratch, "dash/manifest.mpd")
        let result = try clip.asset.verifyThumbnailSets(in: scratch.path)
        let faulty = Set(result.problems.map(\.file))
        #expect(
            faulty.isSuperset(of: ["hls/images.m3u8", "hls/manifest.json", "web/thumbnails.vtt", "plex/index-sd.bif"]))
        #expect(!faulty.contains("web/manifest.json"), "\(result.problems)")
    }

    /// The program says so with its exit code.
    @Test func theCommandSaysSo() throws {
        let (_, scratch) = try SetVerificationTests.sets("h264-bf3.mp4", [.web])
        let clips = Clip.folder + "/clips/"
        func run(_ folder: String, _ file: String) throws -> Tool.Result {
            try Tool.run(CommandTests.program, ["verify-set", folder, "--against", clips + file, "--json"])
        }
        let good = try run(scratch.path, "h264-bf3.mp4")
        #expect(good.status == 0 && good.output.contains("\"valid\":true"), "\(good.errors)")
        let bad = try run(scratch.path, "demo.mp4")
        #expect(bad.status == 65 && bad.output.contains("\"valid\":false"))
        let empty = try TemporaryFolder()
        #expect(try run(empty.path, "h264-bf3.mp4").status == 66)
        #expect(try run(empty.path + "/none", "h264-bf3.mp4").status == 66)
    }

    private func write(_ text: String, _ scratch: TemporaryFolder, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: scratch.path + "/" + name))
    }
}
