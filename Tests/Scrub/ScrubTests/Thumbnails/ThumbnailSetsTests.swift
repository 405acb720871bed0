import Foundation
import Scrub
import ScrubThumbnails
import ScrubStoryboards
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Which sets there can be, and that it is known before anything is decoded.
@Suite struct ThumbnailSetsTests {
    /// An interval that Jellyfin cannot say.
    private func options(_ profiles: [ThumbnailSets.Profile]) -> ThumbnailSets.Options {
        var options = ThumbnailSets.Options(profiles)
        options.request = ThumbnailPlan.Request(.every(Rational(3, 2)), tolerance: .exact)
        return options
    }

    @Test func unrepresentableSetsAreRefusedBeforeDecoding() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var steps = 0
        let error = #expect(throws: ScrubError.self) {
            try asset.writeThumbnailSets(
                into: scratch.path, options: options([.web, .jellyfin]), progress: { _ in steps += 1 })
        }
        #expect(error?.code == .usage && error?.cause.contains("Jellyfin") == true)
        #expect(steps == 0)
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/web"))
    }

    @Test func otherProfilesAreStillWritten() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = options(ThumbnailSets.Profile.allCases)
        options.skipsUnsupportedProfiles = true
        let report = try asset.writeThumbnailSets(into: scratch.path, options: options)
        #expect(report.sets.map(\.profile) == ThumbnailSets.Profile.allCases.filter { $0 != .jellyfin })
        #expect(
            report.warnings.contains { $0.description.contains("jellyfin") && $0.description.contains("whole seconds") }
        )
        let hidden = try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasPrefix(".") }
        #expect(hidden == [], "what is kept to go on from goes when everything is written")
    }

    /// Emby's file is Plex's under another name, and its head is true.
    @Test func plexAndEmbyHaveTheSameBytes() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailSets.Options([.plex])
        options.request.positions = .every(.one)
        let report = try asset.writeThumbnailSets(into: scratch.path, options: options)
        let plex = try Data(contentsOf: URL(filePath: scratch.path + "/plex/index-sd.bif"))
        let emby = try Data(contentsOf: URL(filePath: scratch.path + "/plex/h264-bf3-320-1.bif"))
        #expect(plex == emby)
        let bif = try Storyboard.BIF(parsing: [UInt8](plex))
        #expect(bif.byteCount == plex.count && bif.entries.count == 4)
        #expect(report.sets[0].byteCount == plex.count - Storyboard.BIF.headerByteCount(pictures: 4))
    }

    /// A folder that is written again holds the new set and nothing of the old one, and everything that is not part
    /// of either.
    @Test func nothingOfAnEarlierSetIsLeft() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailSets.Options([.jellyfin, .plex])
        options.request.positions = .every(.one)
        _ = try asset.writeThumbnailSets(into: scratch.path, options: options)
        let trickplay = "jellyfin/h264-bf3.trickplay/320 - 10x10/0.jpg"
        #expect(scratch.files.contains(trickplay) && scratch.files.contains("plex/h264-bf3-320-1.bif"))
        for own in ["plex/own.bif", "plex/h264-bf3-320-9.bif"] {
            try Data("mine".utf8).write(to: URL(filePath: scratch.path + "/" + own))
        }
        options.request.positions = .every(Rational(2))
        _ = try asset.writeThumbnailSets(into: scratch.path, options: options)
        let plex = scratch.files.filter { $0.hasPrefix("plex/") }
        #expect(
            Set(plex) == [
                "plex/index-sd.bif", "plex/index-sd.bif.json", "plex/h264-bf3-320-2.bif", "plex/own.bif",
                "plex/h264-bf3-320-9.bif",
            ])
        #expect(scratch.files.contains(trickplay))
    }

    /// A storyboard of an earlier set goes where the new one has none: on several sheets, or without a base URL.
    @Test func theStoryboardOfAnEarlierSetGoes() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        func write(_ interval: Rational, _ base: String?) throws -> Bool {
            var options = ThumbnailSets.Options([.web])
            (options.request, options.baseURL) = (ThumbnailPlan.Request(.every(interval)), base)
            _ = try asset.writeThumbnailSets(into: scratch.path, options: options)
            // A relative base is another folder, where nothing is yet.
            let found = try asset.verifyThumbnailSets(in: scratch.path, sample: 2)
            #expect(found.isSound == (base != "t"), "\(found.problems)")
            #expect(scratch.files.contains("web/thumbnails.json"))
            return scratch.files.contains("web/storyboard.json")
        }
        let base = "https://a.example/t/"
        #expect(try write(.one, base))
        #expect(try write(Rational(1, 2), base))
        #expect(try !write(Rational(1, 2), nil))
        #expect(try write(.one, base))
        #expect(try !write(Rational(1, 10), base), "it has two sheets")
        #expect(try write(.one, base))
        #expect(try !write(.one, "t"), "a base that is not absolute")
        // Foreign files stay.
        let others = #"{"url":"https://a.example/other.jpg","tile_width":1,"tile_height":1,"duration":1,"tiles":[]}"#
        for own in [others, "mine"] {
            let path = scratch.path + "/web/storyboard.json"
            try Data(own.utf8).write(to: URL(filePath: path))
            var options = ThumbnailSets.Options([.web])
            options.request.positions = .every(.one)
            _ = try asset.writeThumbnailSets(into: scratch.path, options: options)
            #expect(try scratch.text("web/storyboard.json") == own)
        }
    }

    /// A slip in the base URL is an error, and not a reason to leave the set out.
    @Test func aWrongBaseURLIsRefusedBeforeDecoding() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailSets.Options(ThumbnailSets.Profile.allCases)
        (options.skipsUnsupportedProfiles, options.baseURL) = (true, "https://a.example/?q=1")
        let error = #expect(throws: ScrubError.self) {
            try asset.writeThumbnailSets(into: scratch.path, options: options)
        }
        #expect(error?.code == .usage && scratch.files.isEmpty)
    }

    /// The commands take one, where it has a place.
    @Test func theCommandsTakeABaseURL() throws {
        let scratch = TemporaryFolder.unmade()
        let film = Clip.folder + "/clips/h264-bf3.mp4"
        func thumbs(_ profile: String) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program,
                [
                    "thumbs", film, "--no-cache", "--every", "1", "--profile", profile, "--base-url",
                    "https://a.example/t", "--output", scratch.path,
                ])
        }
        let refused = try thumbs("hls,dash")
        #expect(refused.status == 64 && refused.errors.contains("base URL") && scratch.files.isEmpty)
        let made = try thumbs("web,hls")
        #expect(made.status == 0 && scratch.files.contains("web/storyboard.json"), "\(made.errors)")
        for (base, isThere) in [(["--base-url", "https://a.example"], true), ([], false)] {
            let out = TemporaryFolder.unmade()
            let converted = try Tool.run(
                CommandTests.program, ["convert", scratch.path + "/hls", "--to", "json", "--output", out.path] + base)
            #expect(converted.status == 0 && converted.output.hasSuffix("/thumbnails.json\n"), "\(converted.errors)")
            #expect(out.files.contains("storyboard.json") == isThere && out.files.contains("sheet-000.jpg"))
        }
    }

    /// The same for sheets that were more, and of another format.
    @Test func sheetsOfAnEarlierStripGo() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(5)))
        (options.sheets.columns, options.sheets.rows) = (2, 1)
        _ = try asset.writeStrip(into: scratch.path, options: options)
        #expect(
            Set(scratch.files) == [
                "sheet-000.jpg", "sheet-001.jpg", "sheet-002.jpg", "thumbnails.vtt", "manifest.json",
            ])
        options.sheets.format = .png
        options.sheets.rows = 3
        _ = try asset.writeStrip(into: scratch.path, options: options)
        #expect(Set(scratch.files) == ["sheet-000.png", "thumbnails.vtt", "manifest.json"])
    }
}
