import ScrubBase
import ScrubDecoding
import ScrubFileIO
import ScrubIndex
import ScrubLibAV
import ScrubTestClips
import Testing

@testable import ScrubMedia

/// A cache of few pictures. What is decoded ahead has room in it or waits in the decoder, so that a movement costs its
/// pictures once, and the answers are the same.
@Suite struct SmallCacheTests {
    /// Films of several groups, with pictures that are decoded before they are shown.
    static let films = ["hevc-closed.mp4", "h264-bf3.mp4"]

    /// Walks over frames, with so many steps of prefetching after each, and returns the decoded pictures.
    private func decoded(
        _ clip: KnownClip, _ frames: [Int], capacity: Int, steps: Int, threadCount: Int = 1
    ) throws -> Int {
        var options = FrameEngine.Options()
        (options.expectsMovement, options.threadCount) = (true, threadCount)
        options.cacheByteLimit = capacity * clip.asset.index.pictureBufferByteCount
        let engine = FrameEngine(clip.asset.seekPlanner(), options: options)
        for frame in frames {
            let answer = try engine.frame(frame)
            #expect(answer.verdict == .exact, "\(frame)")
            #expect(try answer.frame?.frame.md5() == clip.hashes[frame], "\(frame), \(capacity) pictures")
            for _ in 0..<steps where try !engine.prefetch().isWorthMore { break }
        }
        return engine.decodedCount
    }

    private func forward(_ clip: KnownClip, by step: Int) -> [Int] {
        Array(stride(from: 0, to: clip.asset.index.frameCount, by: step))
    }

    @Test(arguments: films, [1, 3]) func aWayForwardDecodesEachPictureOnce(_ film: String, _ step: Int) throws {
        let clip = try KnownClip(film)
        let (frames, count) = (forward(clip, by: step), clip.asset.index.frameCount)
        for capacity in [12, 24] {
            let decoded = try decoded(clip, frames, capacity: capacity, steps: 1000)
            #expect(decoded <= count + count / 10, "\(decoded) of \(count), \(capacity) pictures")
        }
        // With less room the ends of groups may come twice, and never more than without prefetching.
        for capacity in [2, 3, 4, 6, 8] {
            let decoded = try decoded(clip, frames, capacity: capacity, steps: 1000)
            let alone = try self.decoded(clip, frames, capacity: capacity, steps: 0)
            #expect(decoded <= alone + alone / 4, "\(decoded), alone \(alone), \(capacity) pictures")
        }
    }

    /// Decoders with several threads hold more pictures back.
    @Test(arguments: films) func aWayForwardOnTwoThreads(_ film: String) throws {
        let clip = try KnownClip(film)
        let (frames, count) = (forward(clip, by: 1), clip.asset.index.frameCount)
        for capacity in [12, 24] {
            let decoded = try decoded(clip, frames, capacity: capacity, steps: 1000, threadCount: 2)
            #expect(decoded <= count + count / 10, "\(decoded) of \(count), \(capacity) pictures")
        }
    }

    /// A pass back decodes its group up to where it ends, and brings as many pictures as have room.
    @Test(arguments: films, [1, 3]) func aWayBackBringsWhatHasRoom(_ film: String, _ step: Int) throws {
        let clip = try KnownClip(film)
        let frames = Array(stride(from: clip.asset.index.frameCount - 1, through: 0, by: -step))
        for capacity in [2, 3, 4, 6, 8, 12, 24] {
            let decoded = try decoded(clip, frames, capacity: capacity, steps: 1000)
            let alone = try self.decoded(clip, frames, capacity: capacity, steps: 0)
            #expect(decoded <= alone + alone * 2 / 3, "\(decoded), alone \(alone), \(capacity) pictures")
        }
    }

    /// With room for a film nothing is decoded twice on the way forward, and one pass is on the way back for each
    /// group.
    @Test(arguments: films) func aLargeCacheIsAsItWas(_ film: String) throws {
        let clip = try KnownClip(film)
        let count = clip.asset.index.frameCount
        #expect(try decoded(clip, forward(clip, by: 1), capacity: 1000, steps: 1000) == count)
        let back = try decoded(clip, forward(clip, by: 1).reversed(), capacity: 1000, steps: 1000)
        #expect(back <= count * 7 / 5, "\(back) of \(count)")
    }
}
