import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

@Suite struct ThumbnailConversionTests {
    private func sets(_ profiles: [ThumbnailSets.Profile]) throws -> (KnownClip, TemporaryFolder) {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options(profiles)
        options.request = ThumbnailPlan.Request(.every(Rational(1)), tolerance: .exact)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        return (clip, scratch)
    }

    /// Sheets become each other's formats byte for byte, and stay right.
    @Test func sheetsAreCopied() throws {
        let (clip, scratch) = try sets([.dash])
        let formats: [ThumbnailSets.Conversion.Format: Set<String>] = [
            .vtt: ["webvtt"], .hls: ["hls-images", "hls-master"], .dash: ["dash-tiles"],
        ]
        for (format, found) in formats {
            let out = TemporaryFolder.unmade()
            let files = try ThumbnailSets.convert(scratch.path + "/dash", to: format, into: out.path).files
            #expect(Set(files) == Set(out.files), "\(format)")
            #expect(try out.bytes("0.jpg") == scratch.bytes("dash/0.jpg"))
            let result = try clip.asset.verifyThumbnailSets(in: out.path)
            #expect(result.isSound && Set(result.sets.map(\.format)) == found.union(["manifest"]), "\(result.problems)")
        }
    }

    /// JSON from a folder, from one whose sheets lie deeper, and from BIF: the storyboard where there is one sheet and
    /// a whole URL.
    @Test func allBecomesJSON() throws {
        let (clip, scratch) = try sets([.dash, .jellyfin, .plex])
        let bif = scratch.path + "/plex/index-sd.bif"
        try FileManager.default.createDirectory(atPath: scratch.path + "/bare", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: bif, toPath: scratch.path + "/bare/index.bif")
        let sources: [(path: String, sheet: String?, known: Set<String>)] = [
            (scratch.path + "/dash", "dash/0.jpg", ["manifest"]),
            (scratch.path + "/jellyfin", "jellyfin/h264-bf3.trickplay/320 - 10x10/0.jpg", ["manifest"]),
            (bif, nil, ["manifest"]), (scratch.path + "/bare/index.bif", nil, []),
        ]
        for (path, sheet, known) in sources {
            for base in [nil, "t/", "https://a.example/t"] {
                let out = TemporaryFolder.unmade()
                let files = try ThumbnailSets.convert(path, to: .json, into: out.path, baseURL: base).files
                #expect(Set(files) == Set(out.files) && files.last == "thumbnails.json", "\(path) \(files)")
                if let sheet { #expect(try out.bytes(files[0]) == scratch.bytes(sheet)) }
                let isWhole = sheet != nil && base?.hasPrefix("https") == true
                #expect(files.contains("storyboard.json") == isWhole, "\(path) \(base ?? "")")
                let url = try #require(
                    try Storyboard.JSONImages(parsing: out.text("thumbnails.json")).images.first?.url)
                #expect(url.hasPrefix(base ?? files[0]))
                // A relative base is another folder, where nothing is yet.
                if base == "t/" { continue }
                let result = try clip.asset.verifyThumbnailSets(in: out.path)
                #expect(
                    result.isSound
                        && Set(result.sets.map(\.format))
                            == known.union(isWhole ? ["json-images", "json-storyboard"] : ["json-images"]),
                    "\(result.problems)")
            }
        }
    }

    /// A folder that is written again without a base URL has no storyboard any more.
    @Test func anEarlierStoryboardGoes() throws {
        let (_, scratch) = try sets([.web])
        let out = TemporaryFolder.unmade()
        for (base, isThere) in [("https://a.example", true), (nil, false)] {
            _ = try ThumbnailSets.convert(scratch.path + "/web", to: .json, into: out.path, baseURL: base)
            #expect(out.files.contains("storyboard.json") == isThere)
        }
    }

    /// Names in playlists and presentations are relative, and a wrong base is known before anything is written.
    @Test func aBaseURLIsForJSONAndWebVTT() throws {
        let (clip, scratch) = try sets([.dash])
        let out = TemporaryFolder.unmade()
        for (format, base) in [
            (ThumbnailSets.Conversion.Format.hls, "https://a.example"), (.dash, "https://a.example"), (.json, "a?b"),
        ] {
            let error = #expect(throws: ScrubError.self) {
                try ThumbnailSets.convert(scratch.path + "/dash", to: format, into: out.path, baseURL: base)
            }
            #expect(error?.code == .usage && out.files.isEmpty)
        }
        _ = try ThumbnailSets.convert(
            scratch.path + "/dash", to: .vtt, into: out.path, baseURL: "https://a.example")
        #expect(try out.text("thumbnails.vtt").contains("\nhttps://a.example/0.jpg#xywh="))
        #expect(try clip.asset.verifyThumbnailSets(in: out.path).isSound)
    }

    /// Any BIF file becomes pictures with WebVTT; with its manifest it also becomes formats that need frames.
    @Test func bifIsTakenApart() throws {
        let (clip, scratch) = try sets([.plex])
        let bif = scratch.path + "/plex/index-sd.bif"
        for hasManifest in [true, false] {
            if !hasManifest { try FileManager.default.removeItem(atPath: bif + ".json") }
            let out = TemporaryFolder.unmade()
            _ = try ThumbnailSets.convert(bif, to: .vtt, into: out.path)
            let result = try clip.asset.verifyThumbnailSets(in: out.path)
            #expect(result.isSound, "\(result.problems)")
            #expect(out.files.filter { $0.hasSuffix(".jpg") }.count == 4)
        }
        let out = TemporaryFolder.unmade()
        let error = #expect(throws: ScrubError.self) {
            try ThumbnailSets.convert(bif, to: .hls, into: out.path)
        }
        #expect(error?.code == .usage)
    }

    /// Single pictures become an I-frame track for HLS that holds the same bytes; sheets would have to be encoded.
    @Test func singlesBecomeATrack() throws {
        let (clip, scratch) = try sets([.plex])
        let source = [UInt8](try scratch.bytes("plex/index-sd.bif"))
        let out = TemporaryFolder.unmade()
        let made = try ThumbnailSets.convert(
            scratch.path + "/plex/index-sd.bif", to: .hls, into: out.path)
        #expect(made.encodedCount == 0 && Set(made.files) == Set(out.files))
        let playlist = try Storyboard.HLSIFramePlaylist(parsing: out.text("thumbnails.m3u8"))
        let track = [UInt8](try out.bytes(playlist.uri))
        let entries = try Storyboard.BIF(parsing: source).entries
        #expect(
            playlist.segments.map { Array(track[$0.byteRange].dropFirst(108)) }
                == entries.map { Array(source[$0.byteRange]) })
        #expect(try out.text("master.m3u8").contains("CODECS=\"mjpg\",URI=\"thumbnails.m3u8\"\n"))
        let result = try clip.asset.verifyThumbnailSets(in: out.path)
        #expect(result.isSound && result.sets.contains { $0.format == "hls-mjpg" }, "\(result.problems)")
    }

    /// Single pictures become a BIF file that holds the same bytes.
    @Test func singlesBecomeBIF() throws {
        let (_, scratch) = try sets([.plex])
        let out = TemporaryFolder.unmade()
        _ = try ThumbnailSets.convert(scratch.path + "/plex/index-sd.bif", to: .bif, into: out.path)
        #expect(try out.bytes("index-sd.bif") == scratch.bytes("plex/index-sd.bif"))
    }

    /// Conversions that need new pictures are refused.
    @Test func unconvertibleSetsAreRefused() throws {
        let (_, scratch) = try sets([.web])
        for format in [ThumbnailSets.Conversion.Format.bif, .jellyfin] {
            let out = TemporaryFolder.unmade()
            let error = #expect(throws: ScrubError.self) {
                try ThumbnailSets.convert(scratch.path + "/web", to: format, into: out.path)
            }
            #expect(error?.code == .usage && out.files.isEmpty)
        }
    }
}
