import ScrubDecoding
import ScrubIndex
import ScrubLibAV
import ScrubTestClips
import Testing

@testable import ScrubMedia

@Suite struct MovementPassesTests {
    private struct Bench {
        let clip: KnownClip
        let track: PreviewTrack
        let engine: FrameEngine
        var passes: ScrubPreviewPasses

        init(_ file: String) throws {
            clip = try KnownClip(file)
            let bytes = ByteBudget(limit: 256 << 20)
            track = try #require(PreviewTrack(clip.asset, longSide: 64, in: bytes, decoders: nil))
            track.store.limit(to: 64 << 20)
            engine = FrameEngine(
                clip.asset.seekPlanner(), options: ScrubSession.Options().engineSettings,
                cache: Locked(FrameCache(byteLimit: 1 << 20)))
            passes = ScrubPreviewPasses(engine, track)
        }

        mutating func move(_ frames: [Int]) {
            for frame in frames {
                engine.note(frame: frame)
                track.look(at: frame)
                passes.note(frame)
            }
        }

        /// Makes all that the movement wants; returns the frames that came out.
        mutating func make() throws -> [Int] {
            var found: [Int] = []
            let hashes = clip.hashes
            var wrong: [Int] = []
            while passes.step({ frame, image, decoded in
                found.append(frame)
                if (try? image.frame.md5()) != hashes[frame] || decoded < 1 { wrong.append(frame) }
            }) {}
            #expect(wrong.isEmpty)
            return found
        }
    }

    static let clips = [
        "h264-bf3.mp4", "h264-one-key.mp4", "h264-open-gop.mp4", "hevc-closed.mp4", "hevc-open-gop.mp4", "av1-svt.mp4",
        "vp9-altref.webm", "mpeg2-open.ts",
    ]

    /// A finger that goes back has a preview of every frame before it, of its group and of the one before, each of its
    /// own picture. Each coded picture is decoded once for that, those before the nearest frames twice.
    @Test(arguments: clips) func aFingerThatGoesBackFindsPreviews(_ file: String) throws {
        var bench = try Bench(file)
        let last = bench.clip.hashes.count - 3
        bench.move([last, last - 1])
        #expect(!bench.passes.isWanted && !bench.passes.serves(last - 1))
        bench.move([last - 2])
        #expect(bench.passes.isWanted)
        let found = try bench.make()
        #expect(found.count < 2 * bench.clip.hashes.count)
        let group = bench.engine.group(around: last - 2, limit: 512)
        let before = group.lowerBound > 0 ? bench.engine.group(around: group.lowerBound - 1, limit: 512) : group
        for frame in min(before.lowerBound, group.lowerBound)...(last - 2) {
            #expect(bench.track.hasPreview(ofFrame: frame), "#\(frame)")
        }
        let pictures = group.count + before.count
        #expect(bench.engine.decodedCount <= 2 * pictures + 32, "\(bench.engine.decodedCount) for \(pictures)")
        // Nothing is left to do before the finger moves on.
        #expect(!bench.passes.isWanted)
    }

    /// Forward the decoder of the requests brings all frames. At rest, and after a jump, nothing is made.
    @Test func otherFingersWantNoPass() throws {
        var bench = try Bench("h264-one-key.mp4")
        bench.move([10, 12, 14, 16, 18])
        #expect(!bench.passes.isWanted)
        #expect(try bench.make().isEmpty)
        bench.move([60, 58, 56, 56])
        #expect(!bench.passes.isWanted)
        bench = try Bench("h264-one-key.mp4")
        bench.move([60, 58, 56])
        #expect(bench.passes.step { _, _, _ in })
        #expect(bench.passes.serves(50) && !bench.passes.serves(90))
        // Alone a frame takes the pictures that it depends on: sooner while the pass has far to go.
        #expect(!bench.passes.serves(50, isStill: true))
        while bench.passes.serves(50), !bench.passes.serves(50, isStill: true) {
            #expect(bench.passes.step { _, _, _ in })
        }
        #expect(bench.passes.serves(50, isStill: true))
        bench.passes.leave()
        #expect(!bench.passes.serves(50))
    }

    /// Without room for previews no pass is made, and a damaged group has none: requests alone have its verdicts.
    @Test func whatCannotBeMadeIsLeftToRequests() throws {
        var bench = try Bench("h264-one-key.mp4")
        bench.track.store.limit(to: 0)
        bench.move([60, 58, 56])
        _ = try bench.make()
        #expect(bench.track.frameCount == 0 && !bench.passes.serves(50))

        let asset = try VideoAsset(path: Clip.folder + "/clips/damaged-h264.mp4")
        let track = try #require(
            PreviewTrack(asset, longSide: 64, in: ByteBudget(limit: 256 << 20), decoders: nil))
        track.store.limit(to: 64 << 20)
        let engine = FrameEngine(
            asset.seekPlanner(), options: ScrubSession.Options().engineSettings,
            cache: Locked(FrameCache(byteLimit: 1 << 20)))
        var passes = ScrubPreviewPasses(engine, track)
        let last = asset.frames.count - 1
        var reader = FrameReader(asset, options: .threads(1))
        for frame in [last, last - 1, last - 2] {
            engine.note(frame: frame)
            track.look(at: frame)
            passes.note(frame)
        }
        while passes.step({ frame, image, _ in
            let alone = try? reader.frame(numbered: frame)
            #expect(alone?.verdict == .exact && (try? alone?.picture?.md5()) == (try? image.frame.md5()), "#\(frame)")
        }) {}
        #expect(!passes.isWanted)
    }
}
