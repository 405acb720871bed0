@testable import ScrubMedia
import ScrubTestSupport
import Testing

@Suite struct ScrubLoopTests {
    private static let millisecond: Int64 = 1_000_000

    /// The newest request wins: earlier ones are left between two packets and never shown as exact.
    @Test func newestWins() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.drag([(0, 30), (16_000_000, 90), (32_000_000, 350)])
        #expect(session.showings.filter { $0.stage == .exact }.map(\.frame) == [350])
        #expect(session.cancelled == [30, 90])
        #expect(session.showings.last?.stage == .exact)
    }

    /// A caller's own number comes back with each picture, and giving up an older request than the newest does nothing.
    @Test func aRequestMayHaveItsCallersNumber() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.board.ask(30, as: 7, isMoving: false, now: 0)
        session.board.ask(50, as: 12, isMoving: false, now: 1)
        session.board.withdraw(7)
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.request.serial == 12)
        // Counted on from there.
        session.board.ask(51, isMoving: false, now: session.clock.now)
        #expect(session.board.situation.request?.serial == 13)
        let count = session.showings.count
        session.board.withdraw(13)
        #expect(session.board.situation.request == nil)
        session.run()
        #expect(session.showings.count == count)
        session.board.ask(52, isMoving: false, now: session.clock.now)
        session.board.withdraw()
        #expect(session.board.situation.request == nil)
    }

    /// Work that waits for bytes is left when the finger goes on, even though nothing was shown for long: it would
    /// bring nothing.
    @Test func workThatWaitsForBytesIsLeft() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond, absent: [30])
        session.drag([(0, 30), (100_000_000, 203), (200_000_000, 320)])
        #expect(session.cancelled == [30])
        #expect(session.showings.filter { $0.stage == .exact }.map(\.frame) == [203, 320])
        #expect((session.showings.first?.time ?? .max) <= 130_000_000, "as soon as it can be decoded")
    }

    /// A picture on the way to an older request's frame is not an answer to the newest, which takes it from the cache:
    /// what was decoded is counted once.
    @Test func aPictureOnTheWayIsCountedOnce() throws {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.drag([(0, 30), (1_000_000, 0)])
        #expect(session.cancelled == [30])
        let answer = try #require(session.showings.last)
        #expect(answer.frame == 0 && answer.stage == .exact && answer.isCacheHit && answer.decoded == 0)
    }

    /// Where decoders are shared, the newest request waits for one, and others may have it when nothing is asked.
    @Test func theNewestRequestWaitsForADecoder() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.hasDecoder.withLock { $0 = false }
        session.drag([(0, 30), (100_000_000, 60)])
        #expect(session.loop.source.total == 0 && session.showings.isEmpty && session.loop.awaitsDecoder)
        session.hasDecoder.withLock { $0 = true }
        session.run()
        #expect(!session.loop.awaitsDecoder)
        #expect(session.showings.filter { $0.stage == .exact }.map(\.frame) == [60] && session.cancelled.isEmpty)
        #expect(session.loop.source.restCount > 0)
        // Taken away on the way: what is under way goes on with the next one.
        session.board.ask(90, isMoving: false, now: session.clock.now)
        session.run(until: session.clock.now + 50 * ScrubLoopTests.millisecond)
        session.hasDecoder.withLock { $0 = false }
        let total = session.loop.source.total
        session.run()
        #expect(session.loop.source.total == total && session.showings.last?.stage != .exact)
        session.hasDecoder.withLock { $0 = true }
        session.run()
        #expect(session.showings.last?.frame == 90 && session.showings.last?.stage == .exact)
    }

    /// A moving finger waits for a pass that brings its frame, and what comes before is shown on the way. Work under
    /// way is left for it. A frame that no pass brings, and one at rest, are decoded alone.
    @Test func aPassServesAMovingFinger() {
        let cost = 10 * ScrubLoopTests.millisecond
        let session = FakeSession(groupLength: 100, cost: cost, passing: [28, 29, 30, 31, 32, 33, 34])
        session.drag([(0, 90), (15_000_000, 33), (100_000_000, 34), (130_000_000, 95)])
        #expect(session.cancelled == [90])
        #expect(session.loop.source.passing.isEmpty)
        let exact = session.showings.filter { $0.stage == .exact }.map(\.frame)
        #expect(exact == [33, 34, 95], "\(exact)")
        let shown = session.showings.map(\.frame)
        #expect(shown.contains(29) && shown.contains(31), "\(shown)")
        // At rest the frame is decoded, whatever a pass brings.
        let rest = FakeSession(groupLength: 100, cost: cost, passing: [28, 29, 30])
        rest.drag([(0, 30)])
        #expect(rest.loop.source.passing.count == 3 && rest.showings.last?.stage == .exact)
    }

    /// A target ahead in the group under way goes on with the same decoder.
    @Test func aTargetAheadExtendsWhatIsUnderWay() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.drag([(0, 30), (100_000_000, 60)])
        #expect(session.loop.source.total == 61, "every frame up to the target once")
        #expect(session.showings.last?.frame == 60)
    }

    /// As soon as any picture is there, every request is answered at the moment it is made.
    @Test func everyRequestIsAnsweredAtOnce() {
        let session = FakeSession(groupLength: 50, cost: 5 * ScrubLoopTests.millisecond)
        session.board.ask(10, isMoving: false, now: 0)
        session.run()
        for frame in [11, 200, 5, 10, 499] {
            let before = session.showings.count
            let time = session.clock.now
            session.board.ask(frame, isMoving: true, now: time)
            let answer = session.showings.dropFirst(before).first
            #expect(answer?.request.frame == frame && answer?.time == time)
            #expect((answer?.stage == .exact) == (answer?.frame == frame))
            if answer?.stage != .exact { #expect(answer?.verdict.name == "approximate") }
        }
    }

    /// The nearest picture that is there is shown, not any.
    @Test func theNearestIsShown() {
        let session = FakeSession(groupLength: 10, cost: 1)
        for frame in [5, 100, 200] {
            session.board.ask(frame, isMoving: false, now: session.clock.now)
            session.run()
        }
        session.board.ask(109, isMoving: true, now: session.clock.now)
        #expect(session.showings.last?.frame == 100)
        session.board.ask(160, isMoving: true, now: session.clock.now)
        #expect(session.showings.last?.frame == 200)
    }

    /// A finger that is always faster than the decoder still sees movement. No gap is longer than the patience, the
    /// packet under way and the cost of a group's first picture.
    @Test(arguments: 0..<40) func nothingStarves(_ seed: UInt64) {
        var random = SplitMix(seed)
        let cost = 12 * ScrubLoopTests.millisecond
        let session = FakeSession(groupLength: 100, cost: cost, kept: 4)
        let moves = (0..<120).map { step in
            (time: Int64(step) * 16_666_667, frame: Int.random(in: 0..<5000, using: &random))
        }
        session.drag(moves)
        let gaps = session.showings.compactMap(\.gap)
        #expect(gaps.count > 10)
        #expect((gaps.max() ?? .max) <= FakeSession.patience + 3 * cost, "\((gaps.max() ?? 0) / 1_000_000) ms")
        #expect(session.cancelled.count > 20, "the finger was not fast enough to mean anything")
    }

    /// Work under way that can no longer be nearer than the shown picture is not finished: the finger left it behind.
    @Test func workFarBehindTheFingerIsLeft() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.pictures.keep(138)
        // The way to 95 takes 960 ms, and after 130 the picture of 138 is nearer than 95 will be.
        let frames = [95, 97, 99, 101, 103, 120, 130, 150, 190, 230, 270, 310, 350, 390, 430, 470, 510, 550, 590, 630]
        session.drag(frames.enumerated().map { (Int64($0.offset) * 16_666_667, $0.element) })
        #expect(session.cancelled.contains(95))
        #expect(session.showings.contains { $0.frame >= 200 && $0.request.isMoving }, "it came along")
        #expect(session.showings.last?.frame == 630)
        #expect(session.loop.source.total < 90)
    }

    /// A finger that jitters about the work under way waits for it, and one that rests does not.
    @Test func aJitteringFingerLetsWorkEnd() {
        var counts: [Int] = []
        for jitters in [false, true] {
            let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond, jitters: jitters)
            // To and fro over a border of two groups, always faster than either group is decoded.
            let moves = (0..<60).map {
                (time: Int64($0) * 16_666_667, frame: ($0.isMultiple(of: 2) ? 170 : 240) + $0 % 5)
            }
            session.drag(moves + [(2_000_000_000, 199)])
            #expect(session.showings.last?.frame == 199 && session.showings.last?.stage == .exact)
            counts.append(session.showings.count { $0.stage == .exact })
        }
        #expect(counts[1] > 2 * counts[0], "\(counts)")
    }

    /// Whatever the finger does, answers come in the order of the requests, at most one exact one for each. After the
    /// last one the exact frame is shown.
    @Test(arguments: 0..<100) func afterARestTheExactFrameIsShown(_ seed: UInt64) {
        var random = SplitMix(seed)
        let session = FakeSession(
            groupLength: Int.random(in: 1...200, using: &random),
            cost: Int64.random(in: 0...40, using: &random) * ScrubLoopTests.millisecond,
            kept: Int.random(in: 0...60, using: &random), damaged: [17, 400, 401, 402])
        var (frame, time) = (Int.random(in: 0..<1000, using: &random), Int64(0))
        let moves = (0..<Int.random(in: 1...60, using: &random)).map { _ in
            let step = Int.random(in: 0..<8, using: &random) == 0 ? 300 : 12
            frame = min(999, max(0, frame + Int.random(in: -step...step, using: &random)))
            time += Int64.random(in: 1...60, using: &random) * ScrubLoopTests.millisecond
            return (time: time, frame: frame)
        }
        session.drag(moves)
        let last = session.showings.last
        #expect(last?.stage == .exact && last?.frame == moves.last?.frame)
        #expect(last?.verdict.name == ([17, 400, 401, 402].contains(frame) ? "damaged" : "exact"))
        let serials = session.showings.map(\.request.serial)
        #expect(zip(serials, serials.dropFirst()).allSatisfy { $0 <= $1 })
        let exact = session.showings.filter { $0.stage == .exact }.map(\.request.serial)
        #expect(Set(exact).count == exact.count)
        #expect(session.showings.allSatisfy { ($0.stage == .exact) == ($0.frame == $0.request.frame) })
    }

    /// A preview of the frame is enough while the finger moves, and not when it rests; a small picture of a
    /// strip never is.
    @Test func aPreviewIsEnoughWhileMoving() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.board.ask(10, isMoving: false, now: 0)
        session.run()
        session.pictures.keepPreview(60)
        let total = session.loop.source.total
        session.board.ask(60, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.showings.last?.stage == .preview && session.showings.last?.isReduced == true)
        #expect(session.loop.source.total == total, "nothing is decoded for it")
        session.board.rest()
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.frame == 60)
        #expect(session.showings.last?.isReduced == false && session.showings.last?.isNew == false)
        session.board.ask(63, isMoving: false, now: session.clock.now)
        #expect(session.showings.last?.stage == .approximate)
        session.run()
        #expect(session.showings.last?.stage == .exact)
    }

    /// An exact picture that is on the screen and was dropped from the cache is not replaced by its preview.
    @Test func aShownPictureIsNoPreviewAgain() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.board.ask(10, isMoving: false, now: 0)
        session.run()
        session.pictures.forget(10)
        session.pictures.keepPreview(10)
        for isMoving in [true, false] {
            session.board.ask(10, isMoving: isMoving, now: session.clock.now)
            #expect(session.showings.last?.stage == .exact && session.showings.last?.isReduced == false)
        }
    }

    /// A damaged picture that was shown as the nearest one is not exact when its own frame is asked for.
    @Test func theNearestPictureKeepsItsVerdict() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.pictures.keep(50)
        session.pictures.nearestVerdict.withLock { $0 = .damaged("a reference is lost") }
        session.board.ask(51, isMoving: true, now: 0)
        #expect(session.showings.last?.frame == 50 && session.showings.last?.stage == .approximate)
        session.pictures.forget(50)
        session.board.ask(50, isMoving: true, now: 1)
        #expect(session.showings.last?.frame == 50 && session.showings.last?.verdict.name == "damaged")
    }

    /// The nearest picture may be the very frame, but small: it is approximate, and the exact one follows.
    @Test func aSmallPictureIsNeverExact() {
        let session = FakeSession(groupLength: 100, cost: 10 * ScrubLoopTests.millisecond)
        session.pictures.keepSmall(200)
        session.board.ask(200, isMoving: true, now: 0)
        #expect(session.showings.last?.stage == .approximate && session.showings.last?.isReduced == true)
        // Said again from what is shown.
        session.board.ask(200, isMoving: true, now: 1)
        #expect(session.showings.last?.stage == .approximate)
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.frame == 200)
    }

    /// The source hears of frames that already existed, and prepares when no request waits.
    @Test func preparingFollowsWhatIsSeen() {
        let session = FakeSession(groupLength: 10, cost: 1)
        session.drag([(0, 9)])
        let before = session.loop.source.prepared
        session.board.ask(4, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.loop.source.noted.last == 4)
        #expect(session.loop.source.prepared > before)
        #expect(session.loop.source.total == 10, "nothing is decoded twice")
    }

    /// The source hears of every frame that a finger passes, also while it decodes another one, and once more of the
    /// one that it rests on. It does not hear of a finger that stays where it is for a moment.
    @Test func theSourceHearsOfTheWholeMovement() {
        let session = FakeSession(groupLength: 200, cost: 20 * ScrubLoopTests.millisecond)
        for (frame, isMoving) in [(100, true), (101, true), (101, true), (103, true), (103, false)] {
            session.board.ask(frame, isMoving: isMoving, now: session.clock.now)
            session.run(until: session.clock.now + ScrubLoopTests.millisecond)
        }
        #expect(session.loop.source.noted == [100, 101, 103, 103])
    }

    /// A request that becomes a rest is no longer a movement.
    @Test func aRestEndsTheMovement() {
        let session = FakeSession(groupLength: 200, cost: 20 * ScrubLoopTests.millisecond)
        session.board.ask(150, isMoving: true, now: 0)
        session.run(until: 200_000_000)
        session.board.rest()
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.frame == 150)
        #expect(session.showings.last?.gap == nil)
    }

    /// Without memory to decode in the request stays open and says so once; when memory comes back its picture follows.
    @Test func aRequestWithoutMemoryWaitsForIt() {
        let session = FakeSession(groupLength: 10, cost: 1)
        session.board.ask(3, isMoving: false, now: 0)
        session.run()
        session.memory.withLock { $0 = 0 }
        session.board.ask(48, isMoving: false, now: session.clock.now)
        session.run()
        #expect(session.showings.suffix(2).map(\.stage) == [.approximate, .awaitingMemory])
        #expect(session.showings.last?.image == nil && session.showings.last?.frame == 3, "what is shown stays")
        let count = session.showings.count
        // A false notice: it is tried again, and not reported again.
        session.memoryNews.withLock { $0 = true }
        session.run()
        #expect(session.showings.count == count && session.loop.source.memoryNewsCount == 1)
        session.memory.withLock { $0 = 1 }
        session.memoryNews.withLock { $0 = true }
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.frame == 48)
        #expect(session.errors.isEmpty)
    }

    /// A picture that may not be handed out, because callers hold too many, is handed out when they let go.
    @Test func aPictureThatCannotBeLentFollowsLater() {
        let session = FakeSession(groupLength: 10, cost: 1)
        session.board.ask(3, isMoving: false, now: 0)
        session.run()
        session.lendable.withLock { $0 = 0 }
        session.board.ask(7, isMoving: false, now: session.clock.now)
        session.run()
        #expect(session.showings.last?.stage == .awaitingMemory && session.showings.last?.request.frame == 7)
        session.board.ask(8, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.showings.last?.stage == .awaitingMemory && session.showings.last?.request.frame == 8)
        session.lendable.withLock { $0 = .max }
        session.memoryNews.withLock { $0 = true }
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.frame == 8)
    }

    /// The shown frame never moves away from the target by more than the finger has come since it was shown.
    @Test func nothingShownMovesFarAway() {
        let schedule = ScrubSchedule(patience: 30)
        let request = ScrubSchedule.Request(serial: 2, frame: 723, isMoving: true, time: 0)
        let screen = ScrubSchedule.Screen(frame: 750, target: 750, time: 0)
        #expect(!schedule.shows(500, for: request, on: screen, now: 1_000_000_000))
        #expect(schedule.shows(697, for: request, on: screen, now: 1_000_000_000), "nearer")
        #expect(schedule.shows(749, for: request, on: screen, now: 1_000_000_000), "nearer")
        // Farther than what is shown, but not farther than the finger came: so that a moving finger sees movement.
        let slow = ScrubSchedule.Screen(frame: 730, target: 760, time: 0)
        #expect(schedule.shows(690, for: request, on: slow, now: 1_000_000_000))
        #expect(!schedule.shows(685, for: request, on: slow, now: 1_000_000_000))
        #expect(!schedule.shows(690, for: request, on: slow, now: 20), "patience first")
        var rest = request
        rest.isMoving = false
        #expect(!schedule.shows(690, for: rest, on: slow, now: 1_000_000_000))
    }

    /// Whatever a finger does, a picture that is shown is nearer than the one before, or the finger moves and has come
    /// farther than the picture is away.
    @Test(arguments: 0..<60) func showingsFollowTheRule(_ seed: UInt64) {
        var random = SplitMix(seed)
        let session = FakeSession(groupLength: 100, cost: 4 * ScrubLoopTests.millisecond, kept: 12)
        var frame = 300
        session.drag(
            (0..<100).map { step in
                frame = min(599, max(0, frame + Int.random(in: -25...25, using: &random)))
                return (Int64(step) * 16 * ScrubLoopTests.millisecond, frame)
            })
        var (shown, target) = (-1, 0)
        for showing in session.showings where showing.image != nil {
            let asked = showing.request.frame
            if shown >= 0, showing.frame != shown {
                let distance = abs(showing.frame - asked)
                #expect(
                    distance <= max(abs(shown - asked), abs(asked - target)), "\(asked): \(shown) to \(showing.frame)")
            }
            if showing.frame != shown { (shown, target) = (showing.frame, asked) }
        }
    }
}
