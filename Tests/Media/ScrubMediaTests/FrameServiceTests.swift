import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

@Suite struct FrameServiceTests {
    static let clips = [
        "h264-bf3.mp4", "h264-open-gop.mp4", "h264-intra-refresh-b.mp4", "hevc-closed.mp4", "hevc-open-gop.mp4",
        "hevc-temporal.mp4", "av1-svt.mp4", "av1-aom.mp4", "vp9-altref.webm", "mpeg2-open.ts",
    ]

    /// Four threads ask one service at once: each gets its own frame's picture.
    @Test(arguments: clips) func threadsShareAService(_ file: String) throws {
        let clip = try KnownClip(file)
        let service = try FrameService(clip.asset, options: .threads(2, decoders: 2))
        let problems = Locked<[String]>([])
        let answered = Locked(0)
        let threads = try (0..<4).map { thread in
            try DedicatedThread {
                var random = SplitMix(UInt64(thread))
                for _ in 0..<25 {
                    let number = Int.random(in: clip.frames, using: &random)
                    do {
                        let answer = try service.frame(numbered: number)
                        let problem =
                            answer.frame.number == number ? try clip.problem(answer) : "not #\(number) at all"
                        if let problem { problems.withLock { $0.append(problem) } }
                    } catch {
                        problems.withLock { $0.append("#\(number): \(error)") }
                    }
                    answered.withLock { $0 += 1 }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(problems.withLock { $0 }.isEmpty, "\(problems.withLock { $0.prefix(5) })")
        #expect(answered.withLock { $0 } == 100)
    }

    /// A run forward, a run back, jumps between: all frames as they are, whatever was decoded ahead.
    @Test(arguments: clips, [1, 2]) func movementsAreExact(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        let count = clip.hashes.count
        let service = try FrameService(clip.asset, options: .threads(threads, decoders: 2))
        let forward = Array(0..<count)
        let fast = stride(from: count - 1, through: 0, by: -3)
        let mixed = (0..<count).map { ($0 * 37 + $0 % 3) % count }
        for number in forward + forward.reversed().prefix(count / 2) + fast + mixed {
            let problem = try clip.problem(service.frame(numbered: number))
            #expect(problem == nil, "\(problem ?? "")")
        }
    }

    /// Frames that are asked for one after the other come from a linear decode: its own pictures, whatever is asked for
    /// between them, and each decoded once.
    @Test(arguments: clips + ["h264-one-key.mp4"], [1, 2])
    func rowsAreALinearDecode(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        let count = clip.hashes.count
        let service = try FrameService(clip.asset, options: .threads(threads, decoders: 2))
        var decoded = 0
        for number in 0..<count {
            let answer = try service.frame(numbered: number)
            decoded += answer.decodedPictureCount
            let problem = try clip.problem(answer)
            #expect(problem == nil, "\(problem ?? "")")
            // What was just there is there again, and the row goes on after it.
            guard number % 5 == 4 else { continue }
            let again = try service.frame(numbered: number)
            #expect(try again.frame.number == number && clip.problem(again) == nil)
        }
        #expect(decoded <= 2 * count + 64, "\(decoded)")
    }

    /// A row through damage has the verdict and the picture of each frame that is asked for alone, also of frames
    /// behind skipped ones.
    @Test(arguments: ["damaged-h264.mp4", "damaged-hevc.mkv", "damaged-mpeg2.mpg", "damaged-frag-cut.mp4"], [1, 3])
    func rowsThroughDamageAreAsFramesAlone(_ file: String, step: Int) throws {
        let asset = try VideoAsset(path: Clip.folder + "/clips/\(file)")
        let service = try FrameService(asset, options: .threads(2, decoders: 2))
        var reader = FrameReader(asset, options: .threads(1))
        for number in asset.frames.indices where number < 2 || number % step == 0 {
            let (row, alone) = try (service.frame(numbered: number), reader.frame(numbered: number))
            #expect(row.frame.number == number && row.verdict == alone.verdict, "#\(number)")
            #expect(try row.picture?.md5() == alone.picture?.md5(), "#\(number)")
        }
    }

    /// A step back, a repeat and a skip of a few frames cost nothing, and the row goes on after them.
    @Test func aRowSurvivesJogging() throws {
        let clip = try KnownClip("h264-one-key.mp4")
        let service = try FrameService(clip.asset, options: .threads(1, decoders: 1))
        let asked = Array(0...20) + [19, 20, 20, 21, 22, 24, 23, 25, 26]
        var decoded = 0
        for number in asked {
            let answer = try service.frame(numbered: number)
            decoded += answer.decodedPictureCount
            #expect(try answer.frame.number == number && clip.problem(answer) == nil, "#\(number)")
        }
        // 27, each once: a caller that begins with the first frame begins a row. Up to five wait or are handed over,
        // and the decoder holds some back for their order.
        #expect(decoded < 40, "\(decoded)")
    }

    /// Two callers that read on from the same place at once each get their own frames, also where each skips one.
    @Test(arguments: ["h264-bf3.mp4", "h264-one-key.mp4", "av1-svt.mp4"], [1, 2])
    func callersShareARow(_ file: String, step: Int) throws {
        let clip = try KnownClip(file)
        let service = try FrameService(clip.asset, options: .threads(1, decoders: 1))
        let problems = Locked<[String]>([])
        let threads = try (0..<2).map { thread in
            try DedicatedThread {
                for number in stride(from: thread * (step - 1), to: clip.hashes.count, by: step) {
                    let problem = Result { try clip.problem(service.frame(numbered: number)) }
                    if case .success(nil) = problem { continue }
                    problems.withLock { $0.append("#\(number): \(problem)") }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(problems.withLock { $0 }.isEmpty, "\(problems.withLock { $0.prefix(5) })")
    }

    /// A caller that gives up after it has its answer ends no later request.
    @Test func aLateCancellationTouchesNoLaterRequest() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let service = try FrameService(clip.asset, options: .threads(2, decoders: 2))
        var calls: [Cancellation] = []
        for number in 0..<24 {
            let call = Cancellation()
            let answer = try call.perform { try service.frame(numbered: number) }
            #expect(try answer.frame.number == number && clip.problem(answer) == nil, "#\(number)")
            calls.append(call)
            if number % 6 == 5 { for call in calls { call.cancel() } }
        }
    }

    /// A caller that was cancelled before it asks gets no frame, of a row or not, and the next one gets its own.
    @Test func aCancelledCallerGetsNothing() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let service = try FrameService(clip.asset, options: .threads(2, decoders: 2))
        for number in [0, 1, 2, 40, 41] {
            let call = Cancellation()
            call.cancel()
            let error = #expect(throws: ScrubError.self) { try call.perform { try service.frame(numbered: number) } }
            #expect(error?.isCancellation == true)
            #expect(try clip.problem(service.frame(numbered: number)) == nil, "#\(number)")
        }
    }

    /// With a cache too small for frames that are decoded ahead, frames are made again and again, and stay right.
    @Test(arguments: clips) func movementsAreExactWithoutRoom(_ file: String) throws {
        let clip = try KnownClip(file)
        let count = clip.hashes.count
        let service = try FrameService(clip.asset, options: .threads(2, decoders: 1, cacheBytes: 250_000))
        let there = stride(from: 0, to: count, by: 2)
        let back = stride(from: count - 1, through: count / 2, by: -1)
        for number in Array(there) + back {
            let problem = try clip.problem(service.frame(numbered: number))
            #expect(problem == nil, "\(problem ?? "")")
        }
    }

    /// A service that is released while it works ahead ends at once, and its pictures live on.
    @Test(arguments: ["h264-one-key.mp4", "hevc-closed.mp4", "av1-svt.mp4"])
    func lettingGoDoesNotHang(_ file: String) throws {
        let clip = try KnownClip(file)
        for round in 0..<8 {
            weak var ended: FrameService?
            var last: FrameAnswer?
            do {
                let service = try FrameService(clip.asset, options: .threads(2))
                ended = service
                let isForward = round % 2 == 0
                for step in 0..<(2 + round) {
                    last = try service.frame(numbered: isForward ? step : clip.hashes.count - 1 - step)
                }
            }
            #expect(ended == nil)
            #expect(try clip.problem(#require(last)) == nil)
        }
    }

    /// A decoded frame is there at once, for another request too, and its cost is zero.
    @Test func decodedFramesCostNothing() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let service = try FrameService(clip.asset, options: .threads(2))
        let first = try service.frame(numbered: 42)
        let second = try service.frame(numbered: 42)
        #expect(first.decodedPictureCount > 1 && first.restart != nil)
        #expect(second.decodedPictureCount == 0 && second.restart == nil && second.verdict == .exact)
        #expect(try second.picture?.md5() == clip.hashes[42])
    }

    /// Several frames at once are each their own, whatever was asked for before; those that a single request brought
    /// are not decoded again.
    @Test(arguments: clips, [1, 2]) func severalAreExact(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        let count = clip.hashes.count
        let service = try FrameService(clip.asset, options: .threads(threads, decoders: 2))
        for round in 0..<3 {
            let single = (round * 31 + 17) % count
            #expect(try clip.problem(service.frame(numbered: single)) == nil)
            let wanted = (0..<12).map { ($0 * 37 + round * 5) % count } + [single, single]
            var left = Set(wanted)
            let failure = try service.frames(numbered: wanted) { answer in
                #expect(left.remove(answer.frame.number) != nil, "#\(answer.frame.number)")
                let problem = try clip.problem(answer)
                #expect(problem == nil, "\(problem ?? "")")
                if answer.frame.number == single {
                    #expect(answer.decodedPictureCount == 0 && answer.verdict == .exact)
                }
            }
            #expect(failure == nil && left.isEmpty)
        }
    }

    /// What a row brought last is not decoded again for several frames, and a row may begin after them.
    @Test func severalTakeWhatARowBrought() throws {
        let clip = try KnownClip("h264-one-key.mp4")
        let service = try FrameService(clip.asset, options: .threads(1, decoders: 1))
        for round in 0..<2 {
            for number in 0...20 { #expect(try clip.problem(service.frame(numbered: number)) == nil) }
            var decoded: [Int: Int] = [:]
            let failure = try service.frames(numbered: [20, 3, 19, 20]) { answer in
                decoded[answer.frame.number] = answer.decodedPictureCount
                let problem = try clip.problem(answer)
                #expect(problem == nil, "\(problem ?? "")")
            }
            #expect(failure == nil && Set(decoded.keys) == [3, 19, 20], "\(round): \(decoded)")
            #expect(decoded[20] == 0 && decoded[19] == 0, "\(round): \(decoded)")
        }
    }

    private struct Enough: Error {}

    /// A caller that takes no more, or that is cancelled, ends the decoding; the next call gets its own.
    @Test func severalEndWithTheirCaller() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let service = try FrameService(clip.asset, options: .threads(2, decoders: 2))
        let wanted = Array(clip.frames)
        var taken = 0
        #expect(throws: Enough.self) {
            try service.frames(numbered: wanted) { (_) throws(Enough) in
                taken += 1
                if taken == 5 { throw Enough() }
            }
        }
        #expect(taken == 5)
        #expect(try clip.problem(service.frame(numbered: 42)) == nil)
        let call = Cancellation()
        taken = 0
        let failure = call.perform {
            service.frames(numbered: wanted) { _ in
                taken += 1
                if taken == 5 { call.cancel() }
            }
        }
        #expect(failure?.isCancellation == true && taken == 5)
        #expect(try clip.problem(service.frame(numbered: 43)) == nil)
        call.cancel()
        let late = call.perform { service.frames(numbered: [1]) { _ in taken += 1 } }
        #expect(late?.isCancellation == true && taken == 5)
        #expect(service.frames(numbered: []) { _ in taken += 1 } == nil && taken == 5)
    }
}
