import Foundation
import ScrubThumbnails
import ScrubStoryboards
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Parts that several sets share are made once, and the files do not show it.
@Suite struct SharedWorkTests {
    /// With repeats: thumbnails four a second of a film with few key pictures.
    private func sets(_ file: String, _ profiles: [ThumbnailSets.Profile]) throws -> (KnownClip, TemporaryFolder) {
        let clip = try KnownClip(file)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options(profiles)
        options.request = ThumbnailPlan.Request(.every(Rational(1, 4)), tolerance: .keyframe)
        let report = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        #expect(report.warnings.isEmpty)
        return (clip, scratch)
    }

    /// Sets that come from one run have the bytes of sets that come from a run each, in whatever order.
    @Test func setsAreWhatTheyAreAlone() throws {
        let profiles: [ThumbnailSets.Profile] = [.hls, .web, .dash, .plex, .roku]
        let (_, together) = try sets("h264-bf3.mp4", profiles)
        for profile in profiles {
            let (_, alone) = try sets("h264-bf3.mp4", [profile])
            let files = alone.files.filter { $0.contains(".") }
            #expect(files.count >= 2)
            #expect(together.files.filter { $0.hasPrefix(profile.rawValue + "/") && $0.contains(".") } == files)
            for file in files { #expect(try together.bytes(file) == alone.bytes(file), "\(file)") }
        }
    }

    /// Thumbnails of one picture have one picture's hashes and bytes.
    @Test func repeatsAreEqual() throws {
        let (_, scratch) = try sets("h264-bf3.mp4", [.web, .plex])
        let board = try Storyboard.JSON.storyboard(parsing: scratch.text("web/manifest.json"))
        #expect(board.thumbnails.contains { $0.isRepeat })
        for (frame, same) in Dictionary(grouping: board.thumbnails, by: \.frameNumber) {
            #expect(Set(same.map(\.blurHash)).count == 1 && same.allSatisfy { $0.blurHash != nil }, "#\(frame)")
            #expect(Set(same.map(\.thumbHash)).count == 1 && same.allSatisfy { $0.thumbHash != nil }, "#\(frame)")
        }
        let bytes = [UInt8](try scratch.bytes("plex/index-sd.bif"))
        let pictures = try Storyboard.BIF(parsing: bytes).entries.map { bytes[$0.byteRange] }
        for (number, thumbnail) in board.thumbnails.enumerated() where number > 0 {
            #expect((pictures[number] == pictures[number - 1]) == thumbnail.isRepeat, "\(number)")
        }
    }

    /// HLS and DASH get the same file of key pictures, and each reports the parts that it does not get.
    @Test func keyPicturesAreCopiedOnce() throws {
        let (_, scratch) = try sets("h264-open-gop.mp4", [.hls, .dash])
        let movie = try scratch.bytes("hls/keyframes.mp4")
        #expect(try !movie.isEmpty && scratch.bytes("dash/keyframes.mp4") == movie)
        let other = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.hls, .dash])
        options.request = ThumbnailPlan.Request(.every(.one), tolerance: .keyframe)
        let refused = try KnownClip("mpeg2-open.ts").asset.writeThumbnailSets(into: other.path, options: options)
        #expect(refused.warnings.count == 2 && !other.files.contains { $0.hasSuffix("keyframes.mp4") })
        for name in ["HLS", "DASH"] {
            let told = refused.warnings.filter { $0.description.hasPrefix("the \(name) set has no key pictures: ") }
            #expect(
                told.count == 1 && told[0].description.hasSuffix("(H.264, HEVC, AV1 and VP9 are supported)"), "\(told)")
        }
    }
}
