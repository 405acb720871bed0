import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The frames that a reader keeps from one request must be right for the next.
///
/// A decoder that stays in a group was given only the packets that the last frame needed. Whatever it is given then, to
/// bring that frame out or to go on, may depend on pictures that were left out.
@Suite struct GestureTests {
    static let clips = [
        "h264-bf3.mp4", "h264-open-gop.mp4", "h264-intra-refresh-b.mp4", "h264-paff.mp4", "hevc-closed.mp4",
        "hevc-open-gop.mp4", "hevc-radl.mp4", "hevc-temporal.mp4", "hevc-layers.hevc", "av1-svt.mp4", "av1-aom.mp4",
        "av1-10.mp4", "vp9-altref.webm", "vp8-altref.webm", "mpeg2-open.ts", "mpeg4-b.mp4",
    ]

    /// Into a group, a few steps on, and then every frame around: pictures that came out beside the requested frames
    /// are right too.
    @Test(arguments: clips, [1, 2]) func stepsAfterAJumpAreExact(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        let count = clip.hashes.count
        var problems: [String] = []
        for start in stride(from: 0, to: count, by: 11) {
            for step in [1, 4, -1, -5] {
                var reader = FrameReader(clip.asset, options: .threads(threads))
                let asked = (0..<3).map { start + $0 * step }.filter(clip.frames.contains)
                for number in asked + clip.frames.clamped(to: start - 4..<start + 10) {
                    guard let problem = try clip.problem(reader.frame(numbered: number)) else { continue }
                    problems.append("from #\(start) by \(step), \(problem)")
                }
            }
        }
        #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(5))")
    }

    /// A long walk through one reader with little room, each answer checked.
    @Test(arguments: clips, [1, 2]) func walksAreExact(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        let count = clip.hashes.count
        var random = SplitMix(UInt64(threads))
        var reader = FrameReader(clip.asset, options: .threads(threads, decoders: 2, cacheBytes: 600_000))
        var (place, problems) = (0, [String]())
        for _ in 0..<80 {
            let step = Int.random(in: 0..<4, using: &random) == 0 ? count / 2 : 6
            place = min(count - 1, max(0, place + Int.random(in: -step...step, using: &random)))
            if let problem = try clip.problem(reader.frame(numbered: place)) { problems.append(problem) }
        }
        #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(5))")
    }

    /// Groups as long as encoders make them: there decoders stay where they stand, and are fed on.
    @Test(arguments: [
        ["libx265", "-x265-params", "log-level=error:keyint=200:bframes=8:b-adapt=0:ref=5:scenecut=0"],
        ["libx264", "-preset", "slow", "-g", "200", "-bf", "8", "-refs", "6", "-sc_threshold", "0"],
    ])
    func longGroupsAreExact(_ encoder: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/long.mp4"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i",
                "testsrc2=size=192x112:rate=25:duration=8,noise=alls=30:allf=t", "-pix_fmt", "yuv420p", "-c:v",
            ] + encoder + [path])
        try #require(made.status == 0, "\(made.errors)")
        let clip = try KnownClip(path: path)
        #expect(clip.hashes.count == 200 && clip.asset.frames.count == 200)
        var problems: [String] = []
        for start in stride(from: 3, to: 110, by: 7) {
            for threads in [1, 2] {
                for step in [1, 5, 10] {
                    var reader = FrameReader(clip.asset, options: .threads(threads))
                    for number in [start, start + step] + (start..<start + step + 24) {
                        guard let problem = try clip.problem(reader.frame(numbered: number)) else { continue }
                        problems.append("from #\(start) by \(step), \(problem)")
                    }
                }
            }
        }
        #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(5))")
    }
}
