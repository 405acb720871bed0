import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Copied key pictures as GStreamer plays them: the file, its HLS I-frame playlist and its DASH trick mode set.
@Suite(.enabled(if: ReadBack.hasGStreamer, "install-packages.sh has GStreamer"))
struct KeyPictureReadBackTests {
    private struct Played: Decodable {
        struct Picture: Decodable {
            var seconds: Double
            var hash: String
        }
        var pictures: [Picture]
    }

    private struct Listed: Decodable {
        struct Picture: Decodable {
            var seconds: Double
            var end: Double
        }
        var codecs: String
        var pictures: [Picture]
    }

    /// Every picture comes, in order, at its time, and is bit for bit that of ffmpeg's linear decode.
    @Test(arguments: ["h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "demo.mp4"])
    func everyPictureIsPlayed(_ file: String) throws {
        let clip = try KnownClip(file)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.hls, .dash])
        options.request = ThumbnailPlan.Request(.every(Rational(1)), tolerance: .keyframe)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let report = try clip.asset.writeKeyframeMovie(to: scratch.path + "/again.mp4", every: .one)
        #expect(report.entries.count > 2)
        let expected = report.entries.map { clip.hashes[$0.frameNumber] }
        for place in ["hls/keyframes.mp4", "hls/iframes.m3u8", "dash/manifest.mpd"] {
            let played: Played = try ReadBack.read(["gstreamer", scratch.path + "/" + place])
            #expect(played.pictures.map(\.hash) == expected, "\(place)")
            #expect(played.pictures.count == report.entries.count, "\(place)")
            for (picture, entry) in zip(played.pictures, report.entries) {
                #expect(abs(picture.seconds - entry.time.doubleValue) < 0.000_001, "\(place)")
            }
        }
    }

    /// The trick mode set as a library for presentations reads it: times, ranges, codecs.
    @Test func trickModeIsWellFormed() throws {
        let clip = try KnownClip("h264-open-gop.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.dash])
        options.request = ThumbnailPlan.Request(.every(Rational(1)), tolerance: .keyframe)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let report = try clip.asset.writeKeyframeMovie(to: scratch.path + "/again.mp4", every: .one)
        let listed: Listed = try ReadBack.read(["trickmode", scratch.path + "/dash/manifest.mpd"])
        #expect(listed.codecs == report.codec)
        #expect(listed.pictures.map(\.seconds) == report.entries.map(\.time.doubleValue))
        let ends = report.entries.map { $0.time.doubleValue + $0.duration.doubleValue }
        #expect(listed.pictures.count == ends.count)
        for (picture, end) in zip(listed.pictures, ends) { #expect(abs(picture.end - end) < 0.000_001) }
        // Where MP4 has no room for the codec there is a warning, and the tiles alone.
        let other = TemporaryFolder.unmade()
        let refused = try KnownClip("mpeg2-open.ts").asset.writeThumbnailSets(into: other.path, options: options)
        #expect(refused.warnings.count == 1)
        #expect(try !other.text("dash/manifest.mpd").contains("trickmode"))
    }
}
