import Foundation
import ScrubThumbnails
import Scrub
import ScrubTestSupport
import Testing

/// A stream that asks for a turn with messages at its key pictures: all of its frames are turned.
@Suite struct MessageOrientationTests {
    @Test(arguments: ["a.ts", "a.h264", "a.mp4"]) func allFramesAreTurned(_ name: String) throws {
        let folder = try TemporaryFolder()
        let plain = folder.path(of: "plain.ts")
        let path = folder.path(of: name)
        // In two steps: of one, ffmpeg tells some containers as well.
        for words in [
            [
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=2", "-c:v", "libx264", "-g", "6", "-bsf:v",
                "h264_metadata=display_orientation=insert:rotate=90", plain,
            ], ["-i", plain, "-c", "copy", path],
        ] {
            let made = try Tool.run("ffmpeg", ["-v", "error", "-y"] + words)
            try #require(made.status == 0, "\(made.errors)")
        }
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        #expect(try asset.info().rotation != 0)
        var reader = FrameReader(asset)
        for frame in [0, 1, 5, 6, 8, 13, 19] {
            let picture = try #require(try reader.frame(at: .frame(frame)).picture)
            let size = try picture.outputSize()
            #expect(size == (64, 96), "frame \(frame): \(size)")
        }
        let shape = try asset.uprightShape()
        #expect(shape == (64, 96))
    }
}
