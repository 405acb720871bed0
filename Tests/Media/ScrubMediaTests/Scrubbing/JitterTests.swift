import ScrubFileIO
import ScrubLibAV
import ScrubDecoding
import ScrubTestClips
import Testing

@testable import ScrubMedia

@Suite struct JitterTests {
    /// A finger that jitters on its way forward, and is faster than the decoder, never makes the decoder begin the
    /// group again. That holds when it arrives after a step back, and for frames before the target that were left out.
    @Test(arguments: ["h264-one-key.mp4", "hevc-closed.mp4", "h264-bf3.mp4"], [1, 2, 3, 5])
    func aJitteringFingerDecodesOnce(_ file: String, _ pace: Int) throws {
        let clip = try KnownClip(file)
        let engine = FrameEngine(
            clip.asset.seekPlanner(), options: ScrubSession.Options().engineSettings,
            cache: Locked(FrameCache(byteLimit: 1 << 20)))
        let start = clip.hashes.count / 3
        var fed = 0
        let moves = (0..<40).map { min(clip.hashes.count - 1, start + $0 / 2 + [0, 2, -1, 1, -2][$0 % 5]) }
        for (place, frame) in moves.enumerated() {
            let search = try engine.start(frame: frame)
            var isFound = false
            for _ in 0..<(place == moves.count - 1 ? 10_000 : pace) where !isFound {
                guard case .answer(let answer) = try engine.step(search).outcome else { continue }
                isFound = true
                if place == moves.count - 1 { #expect(try answer.frame?.frame.md5() == clip.hashes[frame]) }
            }
            fed += search.decoded
            if !isFound { engine.leave(search) }
        }
        // From the restart to the last frame, and some that push it out.
        #expect(fed <= start + 22 + 24, "\(fed)")
    }

    /// A finger that jumps to and fro over the border of two groups goes on in both: with two decoders neither group is
    /// decoded twice.
    @Test(arguments: ["h264-bf3.mp4", "hevc-closed.mp4"]) func aBorderIsCrossedWithTwoDecoders(_ file: String) throws {
        let clip = try KnownClip(file)
        let planner = clip.asset.seekPlanner()
        let border = try #require(clip.frames.dropFirst().first { planner.isKeyFrame($0) })
        let end = clip.frames.dropFirst(border + 1).first { planner.isKeyFrame($0) } ?? clip.frames.upperBound
        let steps = min(border, end - border) / 2
        func fed(decoders: Int) throws -> Int {
            var options = ScrubSession.Options()
            (options.decoderLimit, options.threadCount) = (decoders, 1)
            let engine = FrameEngine(
                planner, options: options.engineSettings, cache: Locked(FrameCache(byteLimit: 1 << 16)))
            return try (0..<2 * steps).reduce(0) { sum, move in
                let frame = (move % 2 == 0 ? 0 : border) + steps / 2 + move / 2
                let answer = try engine.frame(frame)
                #expect(try answer.frame?.frame.md5() == clip.hashes[frame], "frame \(frame)")
                return sum + answer.decoded
            }
        }
        let (one, two) = (try fed(decoders: 1), try fed(decoders: 2))
        #expect(two <= end, "\(two) for two groups of \(end)")
        #expect(one > 2 * two, "\(one), \(two): the clip shows nothing")
    }

    /// A drag that leaves a group keeps the decoder to the group's end: no frame near the end takes the group again.
    @Test(arguments: ["h264-bf3.mp4", "hevc-closed.mp4"]) func theEndOfAGroupIsReachedOnce(_ file: String) throws {
        let clip = try KnownClip(file)
        let planner = clip.asset.seekPlanner()
        let border = try #require(clip.frames.dropFirst().first { planner.isKeyFrame($0) })
        var options = ScrubSession.Options()
        (options.decoderLimit, options.threadCount) = (1, 2)
        let engine = FrameEngine(
            planner, options: options.engineSettings, cache: Locked(FrameCache(byteLimit: 1 << 18)))
        var fed = 0
        for frame in 0..<border {
            let answer = try engine.frame(frame)
            #expect(try answer.frame?.frame.md5() == clip.hashes[frame], "frame \(frame)")
            fed += answer.decoded
        }
        #expect(fed <= border + 2, "\(fed) for \(border) frames")
    }
}
