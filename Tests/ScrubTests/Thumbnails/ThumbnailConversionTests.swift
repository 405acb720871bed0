import Foundation
import Scrub
import Testing

@Suite struct ThumbnailConversionTests {
    private func sets(_ profiles: [ThumbnailProfile]) throws -> (KnownClip, StripTests.Scratch) {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = StripTests.Scratch()
        var options = ThumbnailSetOptions(profiles)
        options.request = ThumbnailRequest(.every(Rational(1)), tolerance: .exact)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options)
        return (clip, scratch)
    }

    /// Sheets become each other's formats byte for byte, and stay right.
    @Test func sheetsAreCopied() throws {
        let (clip, scratch) = try sets([.dash])
        let formats: [ThumbnailConversion.Format: Set<String>] = [
            .vtt: ["webvtt"], .hls: ["hls-images", "hls-master"], .dash: ["dash-tiles"],
        ]
        for (format, found) in formats {
            let out = StripTests.Scratch()
            let files = try ThumbnailConversion.convert(scratch.path + "/dash", to: format, into: out.path)
            #expect(Set(files) == Set(out.files), "\(format)")
            #expect(try out.bytes("0.jpg") == scratch.bytes("dash/0.jpg"))
            let result = try clip.asset.verifyThumbnailSets(in: out.path)
            #expect(result.isSound && Set(result.sets.map(\.format)) == found.union(["manifest"]), "\(result.problems)")
        }
    }

    /// A BIF file of anybody's becomes pictures with WebVTT; with its manifest it also becomes what needs frames.
    @Test func bifIsTakenApart() throws {
        let (clip, scratch) = try sets([.plex])
        let bif = scratch.path + "/plex/index-sd.bif"
        for hasManifest in [true, false] {
            if !hasManifest { try FileManager.default.removeItem(atPath: bif + ".json") }
            let out = StripTests.Scratch()
            _ = try ThumbnailConversion.convert(bif, to: .vtt, into: out.path)
            let result = try clip.asset.verifyThumbnailSets(in: out.path)
            #expect(result.isSound, "\(result.problems)")
            #expect(out.files.filter { $0.hasSuffix(".jpg") }.count == 4)
        }
        let out = StripTests.Scratch()
        let error = #expect(throws: ScrubError.self) { try ThumbnailConversion.convert(bif, to: .hls, into: out.path) }
        #expect(error?.code == .usage)
    }

    /// Single pictures become a BIF file that holds the same bytes.
    @Test func singlesBecomeBIF() throws {
        let (_, scratch) = try sets([.plex])
        let out = StripTests.Scratch()
        _ = try ThumbnailConversion.convert(scratch.path + "/plex/index-sd.bif", to: .bif, into: out.path)
        #expect(try out.bytes("index-sd.bif") == scratch.bytes("plex/index-sd.bif"))
    }

    /// What cannot be without new pictures is refused.
    @Test func sheetsAreNoBIF() throws {
        let (_, scratch) = try sets([.web])
        for format in [ThumbnailConversion.Format.bif, .jellyfin] {
            let out = StripTests.Scratch()
            let error = #expect(throws: ScrubError.self) {
                try ThumbnailConversion.convert(scratch.path + "/web", to: format, into: out.path)
            }
            #expect(error?.code == .usage && out.files.isEmpty)
        }
    }
}
