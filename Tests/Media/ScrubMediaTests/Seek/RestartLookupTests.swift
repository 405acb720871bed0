import ScrubDecoding
import ScrubIndex
import ScrubTestClips
import Testing

@testable import ScrubMedia

/// The restarts around a picture, beside a search through all of them.
@Suite struct RestartLookupTests {
    @Test(arguments: ["hevc-closed.mp4", "h264-one-key.mp4", "anim.gif"])
    func theyAreThoseOfASearch(_ film: String) throws {
        let index = try #require(Clip.all.first { $0.file == film }).open().index
        let restarts = Array(index.restarts).map { Int($0) }
        for picture in -1..<index.pictures.count + 1 {
            let before = restarts.filter { $0 <= picture }
            #expect(index.restartCount(through: picture) == before.count)
            #expect(index.lastRestart(through: picture) == before.last)
        }
    }
}
