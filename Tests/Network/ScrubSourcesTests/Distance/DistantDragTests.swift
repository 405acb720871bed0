import ScrubFileIO
import ScrubLibAV
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// A finger over a remote film, with a modelled line and clock.
@Suite struct DistantDragTests {
    private static let frameTime: Int64 = 16_666_667

    /// A film of eight groups, and where the first pictures of its groups lie.
    private func film() throws -> (path: String, keys: [(frame: Int, bytes: Range<Int64>)]) {
        let path = DistantSourceTests.clips + "/demo.mp4"
        let near = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let index = near.index
        let keys = index.restarts.compactMap { restart -> (frame: Int, bytes: Range<Int64>)? in
            let (offset, size) = (index.pictures.offsets[Int(restart)], index.pictures.sizes[Int(restart)])
            return index.frame(ofPicture: Int(restart)).map { ($0, offset..<offset + Int64(size)) }
        }
        return (path, keys)
    }

    private func drag(_ frames: [Int]) -> [DistantSession.Move] {
        frames.enumerated().map { place, frame in
            .init(time: Int64(place) * Self.frameTime, frame: frame, isMoving: place < frames.count - 1)
        }
    }

    /// Pictures of the film in a cache on disk are shown at once, however far away the rest is.
    @Test func cachedPicturesAreShownWithoutWaiting() throws {
        let (path, keys) = try film()
        let session = try DistantSession(
            path, delay: 10_000_000_000, bytesPerSecond: 12_500_000, keyPictureCount: 0, known: keys.map(\.bytes))
        let count = session.asset.frames.count
        let start = session.now
        let shown = session.play(drag((0..<60).map { $0 * (count - 1) / 59 }))
        let gaps = shown.filter { $0.time < start + 60 * Self.frameTime }.compactMap(\.gap)
        let step = (count - 1) / 59
        // A new one whenever the finger comes nearer to the next.
        let longest = zip(keys, keys.dropFirst()).map { $1.frame - $0.frame }.max() ?? 0
        #expect((gaps.max() ?? 0) <= Int64(longest / max(1, step) + 3) * Self.frameTime)
        #expect(shown.filter(\.isNew).count >= keys.count)
        #expect(shown.last?.stage == .exact && shown.last?.frame == count - 1)
        for showing in shown {
            // Never one that is farther away than a key picture that was there.
            let nearest = keys.map { abs($0.frame - showing.request.frame) }.min() ?? 0
            if showing.time > showing.request.time + Self.frameTime {
                #expect(abs(showing.frame - showing.request.frame) <= nearest)
            }
        }
        #expect(session.errors.isEmpty)
    }

    /// Of a group as much is shown as has come.
    @Test func aGroupIsShownAsFarAsItIsThere() throws {
        let (path, _) = try film()
        // So slow that the film takes much longer than the finger.
        let session = try DistantSession(path, delay: 50_000_000, bytesPerSecond: 100_000, keyPictureCount: 0)
        let count = session.asset.frames.count
        let shown = session.play(drag((0..<60).map { min(count - 1, $0) }))
        #expect(shown.last?.stage == .exact && shown.last?.frame == min(count - 1, 59))
        #expect(shown.contains { $0.isNew && $0.stage == .approximate && $0.frame > 0 })
        #expect(session.errors.isEmpty)
    }
}
