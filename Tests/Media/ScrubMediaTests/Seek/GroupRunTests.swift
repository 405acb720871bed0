import ScrubFileIO
import ScrubBase
import ScrubDecoding
import ScrubIndex
import ScrubLibAV
import ScrubTestClips
import Testing

@testable import ScrubMedia

/// The one decode machine by its schedulers. A frame has one verdict and one picture, whichever of them asks, and
/// wherever a run was left before.
@Suite struct GroupRunTests {
    /// Films that take each way: decoded fast, after a proof, and carefully because of damage.
    static let films = ["h264-bf3.mp4", "hevc-closed.mp4", "av1-svt.mp4", "msmpeg4.avi", "damaged-h264.mp4"]

    private struct Outcome: Equatable, CustomStringConvertible {
        var verdict: Verdict
        var hash: String?
        var description: String { "\(verdict.name) \(hash ?? "-")" }
    }

    private static func outcome(_ answer: FrameEngine.Answer) throws -> Outcome {
        Outcome(verdict: answer.verdict, hash: try answer.frame?.frame.md5())
    }

    private static func engine(_ asset: VideoAsset, keepsPictures: Bool = true) -> FrameEngine {
        // Each with proofs of its own: an engine that finds the proof of another one does not go that way.
        let graph = DependencyGraph(file: asset.file, index: asset.index)
        var options = FrameEngine.Options()
        if !keepsPictures { options.cacheByteLimit = 0 }
        return FrameEngine(
            SeekPlanner(file: asset.file, index: asset.index, graph: graph, proofs: RestartProofs()), options: options)
    }

    /// A request that is left after any number of packets, in whatever stage that is, changes no later answer.
    @Test(arguments: films) func aRequestMayBeLeftAnywhere(_ film: String) throws {
        let asset = try #require(Clip.all.first { $0.file == film }).open()
        let last = asset.index.frameCount - 1
        let frame = min(last, asset.index.restarts.last.map { Int($0) + 3 } ?? 5)
        let expected = try GroupRunTests.outcome(try GroupRunTests.engine(asset).frame(frame))
        let used = GroupRunTests.engine(asset, keepsPictures: false)
        var steps = 0
        while try !GroupRunTests.leave(GroupRunTests.engine(asset), frame, after: steps, expected) {
            _ = try GroupRunTests.leave(used, frame, after: steps, expected)
            steps += steps < 24 ? 1 : 17
            try #require(steps < 2000, "the request has no end")
        }
        #expect(steps > 1)
    }

    /// Asks for a frame, leaves it after some steps for another one, and asks again.
    ///
    /// - Returns: whether it was answered before it was left.
    private static func leave(
        _ engine: FrameEngine, _ frame: Int, after steps: Int, _ expected: Outcome
    ) throws -> Bool {
        let request = try engine.start(frame: frame)
        for _ in 0..<steps {
            guard case .answer(let answer) = try engine.step(request).outcome else { continue }
            #expect(try outcome(answer) == expected, "\(steps) steps")
            return true
        }
        engine.leave(request)
        _ = try engine.frame(steps % 2 == 0 ? max(0, frame - 2) : engine.planner.index.frameCount - 1)
        #expect(try outcome(try engine.frame(frame)) == expected, "left after \(steps) steps")
        return false
    }

    /// In the film's order, groups come one after the other, whichever thread is done first, with the answers that come
    /// in any order. An end of the work ends it also while threads wait for their turn.
    @Test(arguments: films) func groupsComeInTheFilmsOrder(_ film: String) throws {
        let asset = try #require(Clip.all.first { $0.file == film }).open()
        let frames = Array(0..<asset.index.frameCount)
        var expected: [Int: Outcome] = [:]
        try GroupRunTests.engine(asset).frames(frames) { (number, answer) throws(ScrubError) in
            expected[number] = try? GroupRunTests.outcome(answer)
        }
        for (threadCount, ahead) in [(1, 1), (2, 1), (4, 1), (3, 5)] {
            var options = FrameEngine.Options()
            options.threadCount = threadCount
            let engine = FrameEngine(asset.seekPlanner(), options: options)
            var (restarts, found): ([Int], [Int: Outcome]) = ([], [:])
            let planner = engine.planner
            try engine.frames(
                frames, order: .film(ahead: ahead), map: { (_, answer) throws(ScrubError) in answer }
            ) { (number, answer) throws(ScrubError) in
                restarts.append(planner.plan(forFrame: number).restart)
                found[number] = try? GroupRunTests.outcome(answer)
            }
            #expect(found == expected)
            #expect(restarts == restarts.sorted(), "\(threadCount) threads, \(ahead) ahead")
            var left = frames.count / 2
            #expect(throws: ScrubError.self) {
                try engine.frames(
                    frames, order: .film(ahead: ahead), map: { (_, answer) throws(ScrubError) in answer }
                ) { (_, _) throws(ScrubError) in
                    left -= 1
                    if left <= 0 { throw ScrubError(.unavailable, "enough") }
                }
            }
        }
    }

    /// A pass, a packet at a time, gives what each frame alone gives, also when it is left after some packets for one
    /// of what is missing, with requests between its packets.
    @Test(arguments: films, [3, 40, Int.max]) func aPassMayBeLeftAnywhere(_ film: String, _ packets: Int) throws {
        let asset = try #require(Clip.all.first { $0.file == film }).open()
        let frames = Array(0..<asset.index.frameCount)
        let single = GroupRunTests.engine(asset)
        var expected: [Int: Outcome] = [:]
        for frame in frames { expected[frame] = try GroupRunTests.outcome(try single.frame(frame)) }
        let engine = GroupRunTests.engine(asset, keepsPictures: false)
        var missing = Set(frames)
        var (problems, passes): ([Int], Int) = ([], 0)
        while !missing.isEmpty, passes < 2000 {
            passes += 1
            // It must get on: a short pass that brings nothing is made longer.
            let limit = packets == .max ? .max : packets * passes
            let pass = engine.startPass(of: missing.sorted())
            var steps = 0
            while !pass.isOver, steps < limit {
                steps += 1
                for (frame, answer) in try engine.step(pass) {
                    #expect(missing.remove(frame) != nil)
                    if try GroupRunTests.outcome(answer) != expected[frame] { problems.append(frame) }
                }
                if steps % 29 == 28 {
                    let frame = steps % frames.count
                    #expect(try GroupRunTests.outcome(try engine.frame(frame)) == expected[frame])
                }
            }
            #expect(pass.isOver == pass.missing.isEmpty)
            engine.leave(pass)
        }
        #expect(problems.isEmpty && missing.isEmpty && (packets < .max || passes == 1))
    }

    /// One request, a batch on one thread and on two, a playback forward, backward and in strides, and prefetching. All
    /// give a frame the same verdict and picture.
    @Test(arguments: films) func allSchedulersAgree(_ film: String) throws {
        let asset = try #require(Clip.all.first { $0.file == film }).open()
        let frames = Array(0..<asset.index.frameCount)
        var expected: [Int: Outcome] = [:]
        for frame in frames {
            expected[frame] = try GroupRunTests.outcome(try GroupRunTests.engine(asset).frame(frame))
        }
        let moving = GroupRunTests.engine(asset)
        for frame in frames.reversed() {
            #expect(try GroupRunTests.outcome(try moving.frame(frame)) == expected[frame], "\(frame), moving back")
            for _ in 0..<3 where try !moving.prefetch().isWorthMore { break }
        }
        for threadCount in [1, 2] {
            var options = FrameEngine.Options()
            options.threadCount = threadCount
            let engine = FrameEngine(asset.seekPlanner(), options: options)
            var answered: Set<Int> = []
            var problems: [String] = []
            try engine.frames(frames) { (number, answer) throws(ScrubError) in
                answered.insert(number)
                let outcome = try? GroupRunTests.outcome(answer)
                if outcome != expected[number] { problems.append("\(number) in a batch of \(threadCount)") }
            }
            #expect(problems.isEmpty && answered.count == frames.count, "\(problems)")
        }
        for (isForward, stride) in [(true, 1), (false, 1), (true, 3), (false, 2)] {
            let decoder = SequenceDecoder(asset.seekPlanner(), options: .init())
            decoder.begin(at: isForward ? 0 : frames.count - 1, isForward: isForward, stride: stride)
            var shown = 0
            walk: while true {
                switch try decoder.step() {
                case .more, .placeholder: continue
                case .end: break walk
                case .starved:
                    Issue.record("no memory")
                    break walk
                case .frame(let answer):
                    shown += 1
                    let hash = try answer.picture.frame?.frame.md5()
                    #expect(
                        Outcome(verdict: answer.picture.verdict, hash: hash) == expected[answer.frame],
                        "\(answer.frame), forward \(isForward), stride \(stride)")
                }
            }
            #expect(shown == (frames.count + stride - 1) / stride)
        }
    }
}
