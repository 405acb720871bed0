import FileIO
import LibAV
import ScrubDecoding
import Testing

@testable import ScrubMedia

@Suite struct JitterTests {
    /// A finger that jitters on its way forward, and is faster than the decoder, never makes the decoder begin the group
    /// anew: not when it arrives after a step back, nor for frames before the target that were left out.
    @Test(arguments: ["h264-one-key.mp4", "hevc-closed.mp4", "h264-bf3.mp4"], [1, 2, 3, 5])
    func aJitteringFingerDecodesOnce(_ file: String, _ pace: Int) throws {
        let clip = try KnownClip(file)
        let engine = FrameEngine(
            clip.asset.seekPlanner(), options: ScrubOptions().engineSettings,
            cache: Locked(FrameCache(byteLimit: 1 << 20)))
        let start = clip.hashes.count / 3
        var fed = 0
        let moves = (0..<40).map { min(clip.hashes.count - 1, start + $0 / 2 + [0, 2, -1, 1, -2][$0 % 5]) }
        for (place, frame) in moves.enumerated() {
            let search = try engine.start(frame: frame)
            var isFound = false
            for _ in 0..<(place == moves.count - 1 ? 10_000 : pace) where !isFound {
                guard case .answer(let answer) = try engine.step(search) else { continue }
                isFound = true
                if place == moves.count - 1 { #expect(try answer.frame?.frame.md5() == clip.hashes[frame]) }
            }
            fed += search.decoded
            if !isFound { engine.leave(search) }
        }
        // From the restart to the last frame, and some that push it out.
        #expect(fed <= start + 22 + 24, "\(fed)")
    }
}
