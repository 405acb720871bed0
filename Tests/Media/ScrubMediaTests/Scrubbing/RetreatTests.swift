import ScrubFileIO
import ScrubLibAV
import ScrubDecoding
import ScrubIndex
import ScrubTestClips
import Testing

@testable import ScrubMedia

@Suite struct RetreatTests {
    /// A finger that goes back faster than the decoder gets along finds exact pictures all the same. A pass aims at
    /// where the finger will be, and is not begun again for every step.
    @Test(arguments: ["h264-one-key.mp4", "hevc-closed.mp4"], [2, 3, 4])
    func aPassAimsAtWhereTheFingerWillBe(_ file: String, _ pace: Int) throws {
        let clip = try KnownClip(file)
        let engine = FrameEngine(
            clip.asset.seekPlanner(), options: ScrubSession.Options().engineSettings,
            cache: Locked(FrameCache(byteLimit: 64 << 20)))
        var task: SeekRequest?
        var found = 0
        let moves = Array(stride(from: clip.hashes.count - 1, to: 0, by: -1))
        for frame in moves {
            let picture = Int(clip.asset.index.frames[frame])
            engine.note(frame: frame)
            if let kept = engine.cache.withLock({ $0[picture] }) {
                found += 1
                #expect(try kept.frame?.frame.md5() == clip.hashes[frame])
                if let left = task { engine.leave(left) }
                task = nil
                for _ in 0..<pace where try !engine.prefetch().isWorthMore { break }
                continue
            }
            if let left = task { engine.leave(left) }
            let begun = try engine.start(frame: frame, isNoted: true)
            task = begun
            for _ in 0..<pace {
                guard case .answer = try engine.step(begun).outcome else { continue }
                task = nil
                break
            }
        }
        #expect(found >= moves.count * 3 / 5, "\(found) of \(moves.count)")
    }
}
