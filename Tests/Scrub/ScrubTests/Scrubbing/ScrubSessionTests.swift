import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

@Suite struct ScrubSessionTests {
    static let clips = [
        "h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "av1-svt.mp4", "vp9-altref.webm", "mpeg2-open.ts",
    ]

    /// Takes a session's pictures.
    final class Viewer: Sendable {
        private let waitUntilIdle: @Sendable () -> Void
        private let seen = Locked<[ScrubSession.Update]>([])
        private let notes = Locked<[Note]>([])
        /// The newest exact picture: all of them would be memory that the session's decoder does not have.
        private let newest = Locked<ScrubSession.Update?>(nil)

        /// - Parameters:
        ///   - keepsUpdates: whether ``updates`` are wanted; their pictures are memory that the budget counts.
        ///   - keepsNotes: whether ``take()`` is wanted, which has hashes instead.
        init(_ session: ScrubSession, keepsUpdates: Bool = true, keepsNotes: Bool = false) {
            // A session ends with its owner, the test.
            waitUntilIdle = { [weak session] in session?.waitUntilIdle() }
            session.observe { [seen, newest, notes] update in
                if keepsUpdates { seen.withLock { $0.append(update) } }
                if keepsNotes {
                    let note = Viewer.note(update)
                    notes.withLock { $0.append(note) }
                }
                if update.stage == .exact { newest.withLock { $0 = update } }
            }
        }

        var updates: [ScrubSession.Update] { seen.withLock { $0 } }

        /// Waits until the session has nothing left to do.
        ///
        /// - Returns: the exact picture of a request, the newest one; `nil` when the session did without one.
        func wait(for request: Int) -> ScrubSession.Update? {
            waitUntilIdle()
            return newest.withLock { $0 }.flatMap { $0.request == request ? $0 : nil }
        }

        func forget() {
            seen.withLock { $0 = [] }
            notes.withLock { $0 = [] }
        }

        /// An update without its picture.
        struct Note {
            var frame: PresentedFrame
            var requestedFrame: Int
            var stage: ScrubSession.Update.Stage
            var verdict: Verdict
            var isReduced: Bool
            var picture: (width: Int, hash: String)?
        }

        /// Returns the updates since the last time.
        func take() -> [Note] {
            notes.withLock { notes in
                defer { notes = [] }
                return notes
            }
        }

        private static func note(_ update: ScrubSession.Update) -> Note {
            Note(
                frame: update.frame, requestedFrame: update.requestedFrame, stage: update.stage,
                verdict: update.verdict, isReduced: update.isReduced,
                picture: update.picture.map { ($0.width, (try? $0.md5()) ?? "") })
        }
    }

    /// After each of several drags the picture of the frame under the finger is there, exactly. Every picture on the
    /// way is that of the frame it says.
    @Test(arguments: clips) func afterADragTheExactFrameIsShown(_ file: String) throws {
        let clip = try KnownClip(file)
        let session = try ScrubSession(clip.asset)
        let viewer = Viewer(session)
        var random = SplitMix(5)
        var (request, frame) = (0, clip.hashes.count / 2)
        for _ in 0..<6 {
            for step in 0..<20 {
                frame = min(clip.hashes.count - 1, max(0, frame + Int.random(in: -9...9, using: &random)))
                session.scrub(toFrame: frame, isMoving: step < 19)
                request += 1
            }
            let update = try #require(viewer.wait(for: request))
            #expect(update.frame.number == frame && update.requestedFrame == frame)
            for update in viewer.updates {
                let picture = try #require(update.picture)
                if update.isReduced { continue }
                #expect(try picture.md5() == clip.hashes[update.frame.number], "#\(update.frame.number)")
                #expect((update.stage == .exact) == (update.frame.number == update.requestedFrame))
            }
            viewer.forget()
        }
        let counters = session.counters
        #expect(counters.requestCount == 120 && counters.exactPictureCount >= 6)
    }

    /// Reduced pictures alone fit a budget that has no room for two full ones. Each frame is shown small, at rest too,
    /// and is the same picture in whatever order it comes.
    @Test(arguments: ["h264-bf3.mp4", "hevc-open-gop.mp4", "vp9-altref.webm", "h264-gray.mp4"])
    func reducedPicturesAloneTakeLess(_ file: String) throws {
        let clip = try KnownClip(file)
        var options = ScrubSession.Options()
        (options.previewSide, options.keyPictureCount, options.threadCount) = (48, 0, 1)
        let full = options.minimumByteCount(for: clip.asset)
        options.showsOnlyReducedPictures = true
        let least = options.minimumByteCount(for: clip.asset)
        #expect(least < full)
        let last = clip.hashes.count - 1
        let frames = [last / 2, last / 2 + 1, 3, last, 0]
        var hashes: [Int: Set<String>] = [:]
        for order in [frames, frames.reversed()] {
            let budget = ScrubBudget(byteLimit: least)
            let session = try ScrubSession(clip.asset, options: options, budget: budget)
            let viewer = Viewer(session, keepsUpdates: false, keepsNotes: true)
            for (place, frame) in order.enumerated() {
                session.scrub(toFrame: frame, isMoving: place % 2 == 1)
                session.waitUntilIdle()
            }
            let notes = viewer.take()
            for frame in frames {
                let own = notes.filter { $0.stage == .preview && $0.frame.number == frame }
                #expect(!own.isEmpty, "frame \(frame): \(notes.map(\.stage))")
                for note in own {
                    #expect(note.requestedFrame == frame && note.verdict.name == "approximate")
                    hashes[frame, default: []].insert(try #require(note.picture).hash)
                }
            }
            for note in notes { #expect(note.stage != .exact && note.isReduced && note.picture?.width ?? 0 <= 48) }
            #expect(budget.peakByteCount <= budget.byteLimit)
        }
        #expect(hashes.values.allSatisfy { $0.count == 1 }, "\(hashes)")
        #expect(Set(hashes.values).count == frames.count, "each is another picture")
    }

    /// With previews every move is answered with its own frame at once, in the small size, and when the finger rests
    /// the exact picture comes.
    @Test(arguments: ["h264-bf3.mp4", "hevc-open-gop.mp4", "av1-svt.mp4", "vp9-altref.webm"])
    func previewsAnswerAtOnce(_ file: String) throws {
        let clip = try KnownClip(file)
        // Room for the decoder and few pictures more, so that it is not full pictures that answer.
        var options = ScrubSession.Options()
        (options.previewSide, options.keyPictureCount, options.keyPictureSide, options.threadCount) = (64, 8, 32, 1)
        let budget = ScrubBudget(byteLimit: 3 * options.minimumByteCount(for: clip.asset))
        var updates: [Viewer.Note] = []
        let session = try ScrubSession(clip.asset, options: options, budget: budget)
        let viewer = Viewer(session, keepsUpdates: false, keepsNotes: true)
        let middle = clip.hashes.count / 2
        session.scrub(toFrame: middle, isMoving: false)
        _ = try #require(viewer.wait(for: 1))
        session.waitForPreviews(aroundFrame: middle)
        let track = try #require(session.previewTrack)
        #expect(track.frameCount == clip.hashes.count && track.byteCount > 0 && track.longSide == 64)
        // However fast the decoder is: it waits while these are answered.
        session.waitUntilIdle { [frames = clip.hashes.indices] in
            viewer.forget()
            for frame in frames { session.scrub(toFrame: frame) }
        }
        updates += viewer.take()
        session.waitUntilIdle()
        let last = clip.hashes.count - 1
        session.scrub(toFrame: last, isMoving: false)
        let end = try #require(viewer.wait(for: clip.hashes.count + 2))
        #expect(end.frame.number == last && !end.isReduced)
        #expect(try end.picture?.md5() == clip.hashes[last])
        updates += viewer.take()
        let small = updates.filter { $0.stage == .preview }
        #expect(small.count > clip.hashes.count / 2, "\(updates.map(\.stage))")
        #expect(!updates.contains { $0.stage == .approximate })
        for update in updates {
            let (width, hash) = try #require(update.picture)
            #expect(update.isReduced == (width <= 64), "\(width)")
            if update.stage == .preview {
                #expect(update.isReduced && update.frame.number == update.requestedFrame)
                #expect(update.verdict.name == "approximate")
            }
            if update.stage == .exact { #expect(!update.isReduced) }
            if !update.isReduced { #expect(hash == clip.hashes[update.frame.number]) }
        }
        #expect(budget.peakByteCount <= budget.byteLimit)
    }

    /// Untagged pictures are BT.709's by their size; a small one of them has the same colors.
    @Test func smallPicturesKeepTheirColors() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "a.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=0x20C040:s=1280x720:r=25", "-frames:v", "30", "-pix_fmt",
                "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-g", "10", path,
            ])
        #expect(made.status == 0, "\(made.errors)")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let session = try ScrubSession(asset)
        let viewer = Viewer(session)
        session.scrub(toFrame: 0, isMoving: false)
        _ = try #require(viewer.wait(for: 1))
        viewer.forget()
        session.scrub(toFrame: 29)
        let update = try #require(viewer.updates.first { $0.isReduced })
        let small = try #require(update.picture).pixels(.rgb8).bytes.prefix(3)
        var reader = FrameReader(asset)
        let exact = try #require(try reader.frame(numbered: update.frame.number).picture).pixels(.rgb8).bytes.prefix(3)
        // By BT.601 these codes are 12 of red and 25 of green away.
        for (a, b) in zip(exact, small) { #expect(abs(Int(a) - Int(b)) <= 2, "\(exact) became \(small)") }
    }

    /// Long before anything near it was decoded, a jump finds a key picture of the strip near it.
    @Test func aJumpFindsTheStrip() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        // The frame's own preview may be there before.
        var options = ScrubSession.Options()
        options.makesPreviews = false
        let session = try ScrubSession(clip.asset, options: options)
        let viewer = Viewer(session)
        session.scrub(toFrame: 0, isMoving: false)
        _ = try #require(viewer.wait(for: 1))
        session.waitUntilIdle()
        viewer.forget()
        let last = clip.hashes.count - 1
        session.scrub(toFrame: last)
        let first = try #require(viewer.updates.first)
        #expect(first.stage == .approximate && first.isReduced && first.request == 2)
        #expect(first.frame.number > last / 2, "#\(first.frame.number)")
    }

    /// A consumer that comes late gets the newest picture and no queue; the stream ends with the session.
    @Test func aSlowConsumerGetsTheNewest() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        var session: ScrubSession? = try ScrubSession(clip.asset)
        let viewer = try Viewer(#require(session))
        let updates = try #require(session?.updates)
        for frame in 0..<20 { session?.scrub(toFrame: frame, isMoving: frame < 19) }
        let last = viewer.wait(for: 20)
        #expect(last?.frame.number == 19)
        session = nil
        var got: [Int] = []
        for await update in updates { got.append(update.frame.number) }
        #expect(got == [19])
    }

    /// A listener that comes after the picture gets it at once, without a new request; an observation that was
    /// ended gets nothing more.
    @Test func lateListenersGetTheNewest() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let session = try ScrubSession(clip.asset)
        session.scrub(toFrame: 42, isMoving: false)
        // Without a listener the picture is made all the same.
        session.waitUntilIdle()
        var late = session.updates.makeAsyncIterator()
        let first = try #require(await late.next())
        #expect(first.frame.number == 42 && first.stage == .exact && first.isCacheHit)
        #expect(try first.picture?.md5() == clip.hashes[42])
        let seen = Locked<[Int]>([])
        let observation = session.observe { update in seen.withLock { $0.append(update.frame.number) } }
        #expect(seen.withLock { $0 } == [42])
        observation.end()
        session.scrub(toFrame: 7, isMoving: false)
        session.waitUntilIdle()
        #expect(seen.withLock { $0 } == [42])
        #expect(await late.next()?.frame.number != nil)
        #expect(session.counters.requestCount == 2)
    }

    /// Events report every request, and their sums are the counters.
    @Test func eventsAndCountersAgree() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        var session: ScrubSession? = try ScrubSession(clip.asset)
        let viewer = try Viewer(#require(session))
        let events = try #require(session?.events)
        for frame in [3, 40, 41, 7] { session?.scrub(toFrame: frame) }
        session?.rest()
        _ = viewer.wait(for: 4)
        let counters = try #require(session?.counters)
        session = nil
        var all: [ScrubSession.Event] = []
        for await event in events { all.append(event) }
        #expect(all.filter { $0.kind == .requested }.map(\.requestedFrame) == [3, 40, 41, 7])
        #expect(all.filter { $0.kind == .cancelled }.count >= counters.cancelledDecodeCount)
        #expect(all.last { $0.kind == .shown(.exact) }?.shownFrame == 7)
        #expect(all.filter { $0.kind == .shown(.exact) }.count == counters.exactPictureCount)
        #expect(all.allSatisfy { $0.json.hasPrefix("{\"event\":\"") && $0.json.hasSuffix("}") })
    }

    /// Eight sessions share one budget: random gestures from eight threads, every last frame exact, and not a byte more
    /// than the limit at any time.
    @Test func eightSessionsStayWithinOneBudget() throws {
        let files = ["h264-bf3.mp4", "hevc-closed.mp4", "vp9-altref.webm", "h264-open-gop.mp4"]
        let clips = try files.map { try KnownClip($0) }
        let budget = ScrubBudget(byteLimit: 48 << 20)
        let problems = Locked<[String]>([])
        let threads = try (0..<8).map { number in
            let clip = clips[number % clips.count]
            return try DedicatedThread {
                do {
                    var options = ScrubSession.Options()
                    options.threadCount = 1 + number % 2
                    options.makesPreviews = number % 3 == 0
                    let session = try ScrubSession(clip.asset, options: options, budget: budget)
                    let viewer = Viewer(session, keepsUpdates: false)
                    var random = SplitMix(UInt64(number))
                    var (request, frame) = (0, 0)
                    for _ in 0..<8 {
                        for step in 0..<25 {
                            let reach = Int.random(in: 0..<6, using: &random) == 0 ? clip.hashes.count : 5
                            frame = min(
                                clip.hashes.count - 1, max(0, frame + Int.random(in: -reach...reach, using: &random)))
                            session.scrub(toFrame: frame, isMoving: step < 24)
                            request += 1
                        }
                        guard let update = viewer.wait(for: request), let picture = update.picture else {
                            problems.withLock { $0.append("session \(number): no picture of #\(frame)") }
                            return
                        }
                        let hash = try picture.md5()
                        if hash != clip.hashes[frame] { problems.withLock { $0.append("#\(frame): \(hash)") } }
                    }
                } catch {
                    problems.withLock { $0.append("\(error)") }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(problems.withLock { $0 }.isEmpty, "\(problems.withLock { $0.prefix(5) })")
        #expect(budget.peakByteCount <= budget.byteLimit)
        #expect(budget.peakByteCount > 8 << 20, "\(budget.peakByteCount): nothing was counted")
        #expect(budget.usedByteCount == 0, "\(budget.usedByteCount) bytes are left")
    }

    /// A budget that a decoder could not work in is refused at once, with the needed one.
    @Test func aBudgetThatIsTooSmallIsRefused() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let budget = ScrubBudget(byteLimit: 100_000)
        let error = #expect(throws: ScrubError.self) { try ScrubSession(clip.asset, budget: budget) }
        #expect(error?.code == .unavailable)
        #expect(error?.cause.contains("100000") == true)
    }
}
