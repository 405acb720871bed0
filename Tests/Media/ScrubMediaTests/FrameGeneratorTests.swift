import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Frames for asynchronous code.
@Suite struct FrameGeneratorTests {
    static let clips = [
        "h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "av1-svt.mp4", "vp9-altref.webm", "mpeg2-open.ts",
        "h264-one-key.mp4",
    ]

    @Test(arguments: clips) func manyTasksShareOne(_ file: String) async throws {
        let clip = try KnownClip(file)
        let generator = try FrameGenerator(clip.asset, options: .threads(2, decoders: 2))
        let problems = try await withThrowingTaskGroup(of: String?.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SplitMix(UInt64(task))
                    for _ in 0..<8 {
                        let number = Int.random(in: clip.frames, using: &random)
                        let answer = try await generator.frame(at: .frame(number))
                        if answer.frame.number != number { return "not #\(number)" }
                        if let problem = try clip.problem(answer) { return problem }
                    }
                    return nil
                }
            }
            return try await group.reduce(into: []) { problems, problem in if let problem { problems.append(problem) } }
        }
        #expect(problems.isEmpty, "\(problems)")
    }

    /// One result for each position, in the order asked, twice for one that comes twice, an error for an invalid one.
    @Test(arguments: clips, [FrameGenerator.Order.asRequested, .asDecoded])
    func everyPositionOfASeriesComesBack(_ file: String, _ order: FrameGenerator.Order) async throws {
        let clip = try KnownClip(file)
        let generator = try FrameGenerator(clip.asset, options: .threads(2, decoders: 2))
        let count = clip.hashes.count
        let jumps = (0..<40).map { FramePosition.frame($0 * 37 % count) }
        let positions =
            [.last, .frame(count), .first, .last] + jumps + (0..<min(count, 50)).map { .frame($0) }
            + (0..<min(count, 40)).reversed().map { .frame($0) } + [.frame(-count - 1)]
        var places: [Int] = []
        for try await result in generator.frames(at: positions, order: order) {
            places.append(result.index)
            #expect(result.requested == positions[result.index])
            guard case .frame(let number) = result.requested.kind, (-count..<count).contains(number) else {
                let error = #expect(throws: ScrubError.self) { try result.get() }
                #expect(error?.code == .usage)
                continue
            }
            let answer = try result.get()
            #expect(answer.frame.number == (number < 0 ? count + number : number))
            let problem = try clip.problem(answer)
            #expect(problem == nil, "\(problem ?? "")")
        }
        #expect(order == .asDecoded || places == Array(positions.indices))
        #expect(places.sorted() == Array(positions.indices))
    }

    /// A window of one picture, a decoder of one thread: slower, and the same.
    @Test func aSeriesNeedsLittleMemory() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset, options: .threads(1, decoders: 1, cacheBytes: 0))
        var numbers: [Int] = []
        for try await result in generator.frames(at: [5, 80, 3, 3, 99].map { FramePosition.frame($0) }) {
            numbers.append(try result.get().frame.number)
            #expect(try clip.problem(result.get()) == nil)
        }
        #expect(numbers == [5, 80, 3, 3, 99])
        for try await _ in generator.frames(at: []) { Issue.record("nothing was asked for") }
    }

    /// Within a tolerance a frame that stands alone is taken; its own time is told, and that it is not the one asked
    /// for.
    @Test(arguments: clips) func toleranceTakesTheCheapest(_ file: String) async throws {
        let clip = try KnownClip(file)
        let frames = clip.asset.frames
        let generator = try FrameGenerator(clip.asset)
        for number in stride(from: 1, to: frames.count, by: 9) {
            let time = frames[number].time
            let any = try await generator.frame(at: .time(time), tolerance: .any)
            #expect(
                any.requestedTime == time && any.requestedFrame.number == number && any.actualTime == any.frame.time)
            #expect(any.verdict.name == (any.frame.number == number ? "exact" : "approximate"))
            #expect(try any.picture?.md5() == clip.hashes[any.frame.number])
            let bounded = FrameTolerance(before: Rational(1, 5), after: 0)
            let near = try await generator.frame(at: .time(time), tolerance: bounded)
            #expect(near.frame.number <= number && near.actualTime >= time - bounded.before)
            #expect(try near.picture?.md5() == clip.hashes[near.frame.number])
            let exact = try await generator.frame(at: .time(time))
            #expect(exact.frame.number == number && exact.verdict == .exact)
        }
        var results: [Int] = []
        let positions = frames.indices.map { FramePosition.frame($0) }
        for try await result in generator.frames(at: positions, tolerance: .any) {
            results.append(try result.get().frame.number)
        }
        #expect(results.count == frames.count && Set(results).count < frames.count)
    }

    /// Positions outside are errors; what arithmetic loses at the ends is told with the time within the video.
    @Test func requestedTimesAreWithinTheVideo() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset)
        let end = clip.asset.duration
        #expect(try await generator.frame(at: .time(end)).requestedTime == end)
        #expect(try await generator.frame(at: .seconds(end.doubleValue + 1e-7)).requestedTime == end)
        #expect(try await generator.frame(at: .seconds(-1e-7)).requestedTime == 0)
        for position in [FramePosition.seconds(1_000_000), .seconds(-1), .fraction(2)] {
            let outside = await #expect(throws: ScrubError.self) { try await generator.frame(at: position) }
            #expect(outside?.code == .usage, "\(position)")
        }
        #expect(try await generator.frame(at: .fraction(0.5)).requestedTime == clip.asset.duration / 2)
        let error = await #expect(throws: ScrubError.self) { try await generator.frame(at: .frame(100)) }
        #expect(error?.code == .usage)
    }

    /// Pixels and files are those of the picture itself.
    @Test func imagesAreThePictures() async throws {
        let clip = try KnownClip("hevc-open-gop.mp4")
        let generator = try FrameGenerator(clip.asset)
        let options = FramePicture.Options(size: .maximum(width: 60, height: 60))
        for number in [0, 17, clip.hashes.count - 1] {
            let image = try await generator.image(at: .frame(number), layout: .bgra8, options: options)
            let picture = try #require(try await generator.frame(at: .frame(number)).picture)
            #expect(image.frame.number == number && image.verdict == .exact)
            #expect(try picture.md5() == clip.hashes[number])
            #expect(max(image.pixels.width, image.pixels.height) == 60)
            #expect(try image.pixels.bytes == picture.pixels(.bgra8, options: options).bytes)
            #expect(image.actualTime == clip.asset.time(ofFrame: number) && image.requestedTime == image.actualTime)
            let file = try await generator.encodedImage(at: .frame(number), as: .png, options: options)
            #expect(try file.bytes == picture.png(options).bytes)
        }
        let error = await #expect(throws: ScrubError.self) {
            _ = try await generator.image(at: .first, options: FramePicture.Options(size: .width(0)))
        }
        #expect(error?.code == .usage)
        await #expect(throws: ScrubError.self) {
            _ = try await generator.encodedImage(at: .first, as: .jpeg, quality: 1000)
        }
    }

    // Cancellation.

    /// A cancelled task gets `CancellationError` and nothing else, whether it was cancelled before, while, or after it
    /// asked; the generator goes on answering others.
    @Test(arguments: ["h264-one-key.mp4", "hevc-closed.mp4", "av1-svt.mp4"])
    func cancelledRequestsSaySo(_ file: String) async throws {
        let clip = try KnownClip(file)
        let generator = try FrameGenerator(clip.asset, options: .threads(1, decoders: 1, cacheBytes: 1 << 20))
        for round in 0..<20 {
            let task = Task { try await generator.frame(at: .frame(round % 2 == 0 ? clip.hashes.count - 1 : 0)) }
            for _ in 0..<(round % 4) { await Task.yield() }
            task.cancel()
            do {
                let answer = try await task.value
                #expect(try clip.problem(answer) == nil)
            } catch {
                #expect(error is CancellationError, "\(error)")
            }
        }
        #expect(try clip.problem(await generator.frame(at: .frame(7))) == nil)
    }

    @Test func aCancelledTaskEndsAtOnce() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await generator.frame(at: .first)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let series = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in generator.frames(at: [.first]) { Issue.record("it was cancelled") }
        }
        await #expect(throws: CancellationError.self) { try await series.value }
    }

    /// Of many that want the newest the last one gets its frame; each other gets its own or a `CancellationError`.
    @Test func theNewestWins() async throws {
        let clip = try KnownClip("h264-one-key.mp4")
        let generator = try FrameGenerator(clip.asset, options: .threads(1, cacheBytes: 1 << 20))
        var tasks: [Task<FrameAnswer, any Error>] = []
        let last = clip.hashes.count - 1
        for step in 0..<30 {
            tasks.append(Task { try await generator.frame(at: .frame(last - step), cancelsPending: true) })
            await Task.yield()
        }
        var outcomes: [Result<FrameAnswer, any Error>] = []
        for task in tasks { outcomes.append(await task.result) }
        for (step, outcome) in outcomes.enumerated() {
            switch outcome {
            case .success(let answer):
                #expect(answer.frame.number == last - step)
                #expect(try clip.problem(answer) == nil)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        #expect(outcomes.contains { (try? $0.get()) != nil })
    }

    /// A series ends where its loop is left or its task cancelled; the next one is right.
    @Test(arguments: [FrameGenerator.Order.asRequested, .asDecoded]) func aSeriesCanBeLeft(
        _ order: FrameGenerator.Order
    )
        async throws
    {
        let clip = try KnownClip("h264-open-gop.mp4")
        let generator = try FrameGenerator(clip.asset, options: .threads(2))
        let positions = clip.hashes.indices.map { FramePosition.frame($0 * 13 % clip.hashes.count) }
        for rounds in 0..<4 {
            var got = 0
            for try await result in generator.frames(at: positions, order: order) {
                #expect(try clip.problem(result.get()) == nil)
                got += 1
                if got > rounds { break }
            }
            let task = Task {
                var got = 0
                for try await _ in generator.frames(at: positions, order: order) {
                    got += 1
                    if got > rounds { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        // Two at once, one inside the other.
        var pairs = 0
        for try await outer in generator.frames(at: positions.prefix(3)) {
            for try await inner in generator.frames(at: positions.prefix(3)) {
                #expect(try clip.problem(outer.get()) == nil && clip.problem(inner.get()) == nil)
                pairs += 1
            }
        }
        #expect(pairs == 9)
    }

    /// An endless sequence of positions is taken as it is needed.
    @Test func aSeriesTakesPositionsAsItNeedsThem() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset)
        let taken = Locked(0)
        var got = 0
        for try await result in generator.frames(at: EndlessPositions(taken: taken)) {
            #expect(try clip.problem(result.get()) == nil)
            got += 1
            if got == 10 { break }
        }
        #expect(taken.withLock { $0 } <= 10 + 2 * SeriesLimits.window + 2)
    }

    /// A generator that is released while it works ahead is gone, and its pictures live on.
    @Test func lettingGoDoesNotHang() async throws {
        let clip = try KnownClip("h264-one-key.mp4")
        for round in 0..<8 {
            weak var ended: FrameGenerator?
            var last: FrameAnswer?
            do {
                let generator = try FrameGenerator(clip.asset, options: .threads(2))
                ended = generator
                for step in 0..<(2 + round) { last = try await generator.frame(at: .frame(step)) }
            }
            #expect(ended == nil)
            #expect(try clip.problem(#require(last)) == nil)
        }
    }

    /// More tasks than the cooperative pool has threads wait for frames, and others still run: no thread is blocked.
    @Test func tasksRunWhileOthersWait() async throws {
        let clip = try KnownClip("h264-one-key.mp4")
        let gate = BoundedQueue<Void>(capacity: 1)
        // Every read waits for the gate, on a thread of the library's.
        let source = try ByteSourceTests.Slow("h264-one-key.mp4") { _ in if !gate.hasEnded { _ = gate.pop() } }
        let opened = (0..<64).map { _ in Task { try await VideoAsset.open(source: source, name: "a.mp4") } }
        // With all of them blocked this would never run.
        let others = (0..<64).map { number in Task { number } }
        var sum = 0
        for other in others { sum += await other.value }
        #expect(sum == 2016)
        gate.close()
        for task in opened { #expect(try await task.value.frames.count == clip.hashes.count) }
    }

    /// An opening ends with its task, in the middle of a pass over the file, and nothing of it is saved.
    @Test func anOpeningCanBeCancelled() async throws {
        let folder = try TemporaryFolder()
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path))
        for stop in [1, 2, 5, 12] {
            let task = Locked<Task<VideoAsset, any Error>?>(nil)
            let gate = BoundedQueue<Void>(capacity: 1)
            let source = try ByteSourceTests.Slow("mpeg2-open.ts", identifier: "one") { read in
                if read == 1 { _ = gate.pop() }
                if read == stop { task.withLock { $0?.cancel() } }
            }
            let opening = Task { try await VideoAsset.open(source: source, name: "a.ts", options: options) }
            task.withLock { $0 = opening }
            gate.close()
            await #expect(throws: CancellationError.self) { _ = try await opening.value }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let path = Clip.folder + "/clips/mpeg2-open.ts"
        #expect(try await VideoAsset.open(path: path, options: options).openReport.indexOrigin == .built)
        await #expect(throws: ScrubError.self) { _ = try await VideoAsset.open(path: path + "-not", options: options) }
    }
}

@Suite struct BlockingWorkTests {
    @Test func workGivesItsResultOrItsError() async throws {
        #expect(try await BlockingWork.run { 42 } == 42)
        await #expect(throws: ScrubError.self) { try await BlockingWork.run { throw ScrubError(.usage, "no") } }
    }
}
