import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// The memory that a session wants is that of the pictures which its decoder holds.
@Suite struct DecoderMemoryTests {
    /// Films with the pictures that their decoders hold at most.
    @Test(arguments: [
        ("a.gif", [String](), 2), ("b.mkv", ["-c:v", "ffv1"], 2), ("c.apng", ["-f", "apng"], 3),
        ("d.mov", ["-c:v", "qtrle"], 2), ("e.avi", ["-c:v", "msvideo1", "-s", "320x180"], 2),
        ("f.flv", ["-c:v", "flv1"], 2), ("g.ogv", ["-c:v", "libtheora"], 3), ("h.avi", ["-c:v", "cinepak"], 2),
        ("i.mov", ["-c:v", "png"], 3),
    ])
    func sessionsAskForWhatIsHeld(_ name: String, _ options: [String], held: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: name)
        let made = try Tool.run(
            "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=10:d=0.3"] + options + [path])
        try #require(made.status == 0, "\(made.errors)")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var session = ScrubSession.Options()
        session.threadCount = 1
        // Two on their way, one in work, two with the caller.
        #expect(session.minimumByteCount(for: asset) <= (held + 5) * asset.pictureByteCount)
    }
}
