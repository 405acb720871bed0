import Foundation
import Scrub
import Storyboards
import Testing

/// Which sets there can be, and that it is known before anything is decoded.
@Suite struct ThumbnailSetsTests {
    /// An interval that Jellyfin cannot say.
    private func options(_ profiles: [ThumbnailProfile]) -> ThumbnailSetOptions {
        var options = ThumbnailSetOptions(profiles)
        options.request = ThumbnailRequest(.every(Rational(3, 2)), tolerance: .exact)
        return options
    }

    @Test func whatCannotBeSaidIsRefusedBeforeDecoding() throws {
        let scratch = StripTests.Scratch()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var steps = 0
        let error = #expect(throws: ScrubError.self) {
            try asset.writeThumbnailSets(
                into: scratch.path, options([.web, .jellyfin]), progress: { _, _ in steps += 1 })
        }
        #expect(error?.code == .usage && error?.cause.contains("Jellyfin") == true)
        #expect(steps == 0)
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/web"))
    }

    @Test func everybodyElseGetsTheirs() throws {
        let scratch = StripTests.Scratch()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = options(ThumbnailProfile.allCases)
        options.leavesOutUnfit = true
        let report = try asset.writeThumbnailSets(into: scratch.path, options)
        #expect(report.sets.map(\.profile) == ThumbnailProfile.allCases.filter { $0 != .jellyfin })
        #expect(report.warnings.contains { $0.contains("jellyfin") && $0.contains("whole seconds") })
        let hidden = try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasPrefix(".") }
        #expect(hidden == [], "the journal goes when everything is written")
    }

    /// Emby's file is Plex's under another name, and its head is true.
    @Test func plexAndEmbyHaveTheSameBytes() throws {
        let scratch = StripTests.Scratch()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailSetOptions([.plex])
        options.request.places = .every(.one)
        let report = try asset.writeThumbnailSets(into: scratch.path, options)
        let plex = try Data(contentsOf: URL(filePath: scratch.path + "/plex/index-sd.bif"))
        let emby = try Data(contentsOf: URL(filePath: scratch.path + "/plex/h264-bf3-320-1.bif"))
        #expect(plex == emby)
        let bif = try BIF(parsing: [UInt8](plex))
        #expect(bif.byteCount == plex.count && bif.entries.count == 4)
        #expect(report.sets[0].byteCount == plex.count - BIF.headerByteCount(pictures: 4))
    }

    /// A folder that is written again holds the new set and nothing of the old one, and everything that is no part of either.
    @Test func nothingOfAnEarlierSetIsLeft() throws {
        let scratch = StripTests.Scratch()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailSetOptions([.jellyfin, .plex])
        options.request.places = .every(.one)
        _ = try asset.writeThumbnailSets(into: scratch.path, options)
        let trickplay = "jellyfin/h264-bf3.trickplay/320 - 10x10/0.jpg"
        #expect(scratch.files.contains(trickplay) && scratch.files.contains("plex/h264-bf3-320-1.bif"))
        for own in ["plex/own.bif", "plex/h264-bf3-320-9.bif"] {
            try Data("mine".utf8).write(to: URL(filePath: scratch.path + "/" + own))
        }
        options.request.places = .every(Rational(2))
        _ = try asset.writeThumbnailSets(into: scratch.path, options)
        let plex = scratch.files.filter { $0.hasPrefix("plex/") }
        #expect(
            Set(plex) == [
                "plex/index-sd.bif", "plex/index-sd.bif.json", "plex/h264-bf3-320-2.bif", "plex/own.bif",
                "plex/h264-bf3-320-9.bif",
            ])
        #expect(scratch.files.contains(trickplay))
    }

    /// The same for sheets that were more, and of another format.
    @Test func sheetsOfAnEarlierStripGo() throws {
        let scratch = StripTests.Scratch()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = StripOptions(ThumbnailRequest(.count(5)))
        (options.sheets.columns, options.sheets.rows) = (2, 1)
        _ = try asset.writeStrip(into: scratch.path, options)
        #expect(
            Set(scratch.files) == [
                "sheet-000.jpg", "sheet-001.jpg", "sheet-002.jpg", "thumbnails.vtt", "manifest.json",
            ])
        options.sheets.format = .png
        options.sheets.rows = 3
        _ = try asset.writeStrip(into: scratch.path, options)
        #expect(Set(scratch.files) == ["sheet-000.png", "thumbnails.vtt", "manifest.json"])
    }
}
