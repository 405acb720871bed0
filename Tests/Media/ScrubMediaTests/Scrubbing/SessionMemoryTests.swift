import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A session while memory is short: pictures that callers hold are counted, decoding always has its part, and want of
/// memory is never damage.
@Suite struct SessionMemoryTests {
    /// A caller that keeps the last pictures it was given.
    private final class Keeper: Sendable {
        private struct State {
            var kept: [FramePicture] = []
            var last: (request: Int, stage: ScrubSession.Update.Stage, verdict: Verdict, hash: String?)?
            var worst: String?
        }

        private let state = Locked(State())
        let limit: Int

        init(_ session: ScrubSession, limit: Int) {
            self.limit = limit
            session.observe { [state] update in
                let hash = update.stage == .exact ? update.picture.flatMap { try? $0.md5() } : nil
                state.withLock { state in
                    state.last = (update.request, update.stage, update.verdict, hash)
                    if let picture = update.picture, limit > 0 {
                        state.kept.append(picture)
                        if state.kept.count > limit { state.kept.removeFirst() }
                    }
                    if update.verdict.name == "undecodable" || update.verdict.reason?.contains("memory") == true,
                        update.stage == .exact
                    {
                        state.worst = "\(update.verdict)"
                    }
                }
            }
        }

        var last: (request: Int, stage: ScrubSession.Update.Stage, verdict: Verdict, hash: String?)? {
            state.withLock { $0.last }
        }
        var worst: String? { state.withLock { $0.worst } }
        func release() {
            let kept = state.withLock { state in
                defer { state.kept = [] }
                return state.kept
            }
            _ = kept.count
        }
    }

    static let clips = [
        "h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "hevc-main10.mp4", "av1-svt.mp4", "av1-10.mp4",
        "vp9-altref.webm", "h264-bf3.ts", "damaged-concealed.mp4", "mpeg2-open.ts",
    ]

    /// Random gestures with the smallest budget and the default one, and callers that keep 0, 1, 8 and 100 pictures. At
    /// rest the picture is the reader's own answer, or memory is named and it comes when pictures are released; the
    /// budget holds.
    @Test(arguments: clips, 0..<30) func restIsExactOrNamesMemory(_ file: String, _ seed: Int) throws {
        let clip = try #require(Clip.all.first { $0.file == file })
        try SessionMemoryTests.gesture(over: clip.open(), isDamaged: clip.kind == .damaged, seed)
    }

    /// The same over 4K, whose pictures are 12 MB each.
    @Test(arguments: 0..<8) func restIsExactOrNamesMemoryIn4K(_ seed: Int) throws {
        try SessionMemoryTests.gesture(over: SessionMemoryTests.large.get().asset, isDamaged: false, seed)
    }

    private static let large = Result {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "4k.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=3840x2160:r=24:d=1", "-c:v", "libx264",
                "-preset",
                "ultrafast", "-bf", "3", "-g", "12", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return (folder: folder, asset: try VideoAsset(path: path, options: .init(cache: .none)))
    }

    private static func gesture(over asset: VideoAsset, isDamaged: Bool, _ seed: Int) throws {
        var random = SplitMix(UInt64(seed) &* 7919 &+ UInt64(asset.frames.count))
        var options = ScrubSession.Options()
        options.threadCount = 1 + seed % 2
        options.keyPictureCount = seed % 3 == 0 ? 8 : 0
        let least = options.minimumByteCount(for: asset)
        let budget = seed.isMultiple(of: 2) ? ScrubBudget(byteLimit: least) : ScrubBudget()
        let session = try ScrubSession(asset, options: options, budget: budget)
        let keeper = Keeper(session, limit: [0, 1, 8, 100][seed / 2 % 4])
        let count = asset.frames.count
        var frame = Int.random(in: 0..<count, using: &random)
        var request = 0
        for _ in 0..<2 {
            for step in 0..<Int.random(in: 4...40, using: &random) {
                let reach = random.isOne(in: 12) ? count : 6
                frame = min(count - 1, max(0, frame + Int.random(in: -reach...reach, using: &random)))
                session.scrub(toFrame: frame, isMoving: true)
                request += 1
                if step % 5 == 4 { session.waitUntilIdle() }
            }
            session.scrub(toFrame: frame, isMoving: false)
            request += 1
            session.waitUntilIdle()
            // Pictures that are handed out on the way are kept too, so it may take as many times as there are pictures
            // to keep.
            for _ in 0..<20 where keeper.last?.stage == .awaitingMemory {
                #expect(keeper.last?.verdict.name == "approximate" && keeper.limit > 0)
                keeper.release()
                session.waitUntilIdle()
            }
            let last = try #require(keeper.last)
            #expect(last.request == request && last.stage == .exact, "\(last)")
            var reader = FrameReader(asset)
            let answer = try reader.frame(numbered: frame)
            #expect(last.verdict.name == answer.verdict.name, "frame \(frame)")
            #expect(try last.hash == answer.picture?.md5(), "frame \(frame)")
        }
        #expect(keeper.worst == nil || isDamaged, "\(keeper.worst ?? "")")
        #expect(budget.peakByteCount <= budget.byteLimit)
        #expect(session.heldByteCount <= budget.byteLimit && budget.heldByteCount == session.heldByteCount)
        keeper.release()
        #expect(session.heldByteCount == 0, "\(session.heldByteCount) bytes are held by nobody")
    }

    /// A session's second decoder keeps no other session out, and gives its memory back.
    @Test(arguments: 0..<4) func secondDecodersMakeRoom(_ seed: Int) throws {
        let clip = try KnownClip("h264-bf3.mp4")
        var options = ScrubSession.Options()
        (options.threadCount, options.keyPictureCount) = (1 + seed % 2, seed / 2 * 4)
        let budget = ScrubBudget(byteLimit: 2 * options.minimumByteCount(for: clip.asset))
        let first = try ScrubSession(clip.asset, options: options, budget: budget)
        let keeper = Keeper(first, limit: 1)
        for frame in [10, 60, 12, 62, 14] {
            first.scrub(toFrame: frame, isMoving: false)
            first.waitUntilIdle()
            #expect(keeper.last?.hash == clip.hashes[frame] && keeper.last?.stage == .exact)
        }
        let second = try ScrubSession(clip.asset, options: options, budget: budget)
        let other = Keeper(second, limit: 1)
        for frame in [20, 70, 22] {
            first.scrub(toFrame: frame, isMoving: false)
            second.scrub(toFrame: frame + 2, isMoving: false)
            first.waitUntilIdle()
            second.waitUntilIdle()
            #expect(keeper.last?.hash == clip.hashes[frame] && keeper.last?.stage == .exact)
            #expect(other.last?.hash == clip.hashes[frame + 2] && other.last?.stage == .exact)
        }
        #expect(budget.peakByteCount <= budget.byteLimit)
    }

    /// Pictures that are held are told, once for each picture however often it is handed out.
    @Test func heldPicturesAreCounted() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let budget = ScrubBudget()
        let session = try ScrubSession(clip.asset, budget: budget)
        let keeper = Keeper(session, limit: 100)
        session.scrub(toFrame: 10, isMoving: false)
        session.waitUntilIdle()
        let one = session.heldByteCount
        #expect(one > 0 && budget.heldByteCount == one)
        session.scrub(toFrame: 10, isMoving: false)
        session.waitUntilIdle()
        #expect(session.heldByteCount == one)
        session.scrub(toFrame: 40, isMoving: false)
        session.waitUntilIdle()
        #expect(session.heldByteCount > one)
        keeper.release()
        #expect(session.heldByteCount == 0)
    }

    /// The needs of a stream are read from the parameter sets in the container, as the decoder will find them. They are
    /// the same from MP4 tables as from a transport stream whose packets were looked at.
    @Test func budgetsComeFromParameterSets() throws {
        let folder = try TemporaryFolder()
        func film(_ name: String, _ arguments: [String]) throws -> VideoAsset {
            let path = folder.path(of: name)
            let made = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "color=s=3840x2160:d=0.2"] + arguments + [path])
            try #require(made.status == 0, "\(made.errors)")
            return try VideoAsset(path: path, options: .init(cache: .none))
        }
        let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "3"]
        var options = ScrubSession.Options()
        options.threadCount = 2
        let table = try film("a.mp4", x264)
        let scanned = try film("b.ts", x264)
        #expect(options.minimumByteCount(for: table) == options.minimumByteCount(for: scanned))
        let deep = try film("c.mp4", ["-pix_fmt", "yuv420p10le"] + x264)
        #expect(
            options.minimumByteCount(for: deep) > options.minimumByteCount(for: table) * 3 / 2, "two bytes a sample")
        // Two films of 4K in the default budget.
        let budget = ScrubBudget()
        let sessions = try [table, scanned].map { try ScrubSession($0, options: options, budget: budget) }
        for session in sessions {
            let keeper = Keeper(session, limit: 1)
            session.scrub(toFrame: 3, isMoving: false)
            session.waitUntilIdle()
            #expect(keeper.last?.stage == .exact && keeper.last?.verdict == .exact)
        }
        #expect(budget.peakByteCount <= budget.byteLimit)
    }
}
