import Glibc
import ScrubPlayersLogic
import ScrubBase
import Testing
import ScrubTestSupport

@testable import ScrubPlayers

@Suite struct PictureLaneTests {
    /// Waits for a condition that other threads bring about.
    private func until(_ condition: () -> Bool, _ place: SourceLocation = #_sourceLocation) async {
        for _ in 0..<200_000 {
            if condition() { return }
            await Task.yield()
            usleep(50)
        }
        Issue.record("it did not come about", sourceLocation: place)
    }

    private func lane(
        _ pool: DecoderPool, _ watch: FakeFeed.Watch, _ listener: LaneListener, frames: Int = 20
    ) -> PictureDecodePipeline<FakeFeed> {
        PictureDecodePipeline(
            pool: pool,
            makeFeed: { () throws(ScrubError) -> FakeFeed in FakeFeed(frameCount: frames, watch: watch) },
            deliver: { listener.take($0, $1) })
    }

    @Test func everyFrameComesInOrderAndTheDecoderGoesWithTheLane() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener())
        let lane = lane(pool, watch, listener)
        lane.start(ticket: 1, at: 0, .forward)
        await until { listener.ends == 1 }
        #expect(listener.frames == Array(0..<20))
        #expect(pool.attachedCount == 1)
        #expect(listener.heard.withLock { $0.placeholders } == 1)
        lane.close()
        await until { pool.attachedCount == 0 }
        #expect(watch.open == 0)
    }

    @Test func aFullQueueHoldsTheNextFrameBack() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener(room: 3))
        let lane = lane(pool, watch, listener)
        lane.start(ticket: 1, at: 19, .backward)
        await until { listener.frames.count == 3 }
        for _ in 0..<50 { await Task.yield() }
        #expect(listener.frames == [19, 18, 17])
        listener.heard.withLock { $0.room = 2 }
        lane.resume(ticket: 1, isAhead: false)
        await until { listener.frames.count == 5 }
        #expect(listener.frames == [19, 18, 17, 16, 15])
        // Room for another ticket has no effect.
        lane.resume(ticket: 7, isAhead: false)
        lane.close()
        await until { pool.attachedCount == 0 }
        #expect(listener.frames.count == 5)
    }

    @Test func whileTheQueueIsFullTheFeedPreparesAndThenTheDecoderMayBeClosed() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener(room: 2))
        let lane = lane(pool, watch, listener)
        defer { lane.close() }
        lane.start(ticket: 1, at: 0, .forward)
        await until { watch.counts.withLock { $0.prepared } >= 4 }
        let (other, others) = (FakeFeed.Watch(), LaneListener())
        let second = self.lane(pool, other, others)
        defer { second.close() }
        second.start(ticket: 1, at: 5, .forward)
        await until { others.ends == 1 }
        #expect(watch.open == 0)
        listener.heard.withLock { $0.room = .max }
        lane.resume(ticket: 1, isAhead: false)
        await until { listener.ends == 1 }
        // It began again with the last frame that was delivered, and did not deliver it twice.
        #expect(listener.frames == Array(0..<20))
        #expect(watch.begun == [0, 1])
        #expect(pool.peakAttachedCount == 1)
    }

    @Test func aMeterHearsOfDecodersAndTheirWork() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener(room: 2))
        let (time, reports) = (Locked(Int64(100)), Locked<[PipelineReport]>([]))
        let held = pool.idleLease {}
        let lane = PictureDecodePipeline(
            pool: pool,
            meter: PipelineMetrics(now: { time.withLock { $0 } }) { report in reports.withLock { $0.append(report) } },
            makeFeed: { () throws(ScrubError) -> FakeFeed in FakeFeed(frameCount: 20, watch: watch) },
            deliver: { listener.take($0, $1) })
        lane.start(ticket: 1, at: 0, .forward)
        time.withLock { $0 = 150 }
        held?.release()
        await until { watch.counts.withLock { $0.prepared } >= 4 }
        // Another one wants the decoder, which is idle.
        let other = LaneListener()
        let second = self.lane(pool, FakeFeed.Watch(), other)
        defer { second.close() }
        second.start(ticket: 1, at: 5, .forward)
        await until { reports.withLock { $0.last } == .detached(.evicted) }
        // Else the two take the decoder from each other once more.
        await until { other.ends == 1 }
        listener.heard.withLock { $0.room = .max }
        lane.resume(ticket: 1, isAhead: false)
        await until { listener.ends == 1 }
        lane.close()
        await until { reports.withLock { $0.last } == .detached(.closed) }
        var (pictures, again, bytes) = (0, 0, Int64(0))
        var others: [PipelineReport] = []
        for report in reports.withLock({ $0 }) {
            if case .worked(let more, let twice, let read) = report {
                (pictures, again, bytes) = (pictures + more, again + twice, bytes + read)
            } else {
                others.append(report)
            }
        }
        #expect(
            others.first == .attached(waitedNanoseconds: 50) && others.count == 4
                && others[1] == .detached(.evicted) && others[3] == .detached(.closed), "\(others)")
        #expect((pictures, again, bytes) == (63, 3, 630), "twenty frames of three packets, one of them twice")
    }

    @Test func stoppingWhileInLineLeavesTheLine() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener())
        let held = pool.idleLease {}
        let lane = lane(pool, watch, listener)
        defer { lane.close() }
        #expect(!lane.start(ticket: 1, at: 0, .forward))
        #expect(pool.waitingCount == 1)
        lane.stop()
        #expect(pool.waitingCount == 0)
        lane.start(ticket: 2, at: 18, .forward)
        held?.release()
        await until { listener.ends == 1 }
        #expect(listener.heard.withLock { $0.tickets.allSatisfy { $0 == 2 } })
        #expect(listener.frames == [18, 19])
    }

    @Test func aLookAheadQueuesOnceItIsCurrent() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener())
        let held = pool.idleLease {}
        let lane = lane(pool, watch, listener)
        defer { lane.close() }
        #expect(!lane.start(ticket: 1, at: 3, .forward, isLookAhead: true))
        #expect(pool.waitingCount == 0)
        lane.becomeCurrent()
        #expect(pool.waitingCount == 1)
        held?.release()
        await until { listener.ends == 1 }
        #expect(listener.frames == Array(3..<20))
    }

    @Test func errorsAndMissingMemoryAreReported() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener())
        watch.counts.withLock { ($0.starvesAt, $0.failsAt) = (2, 5) }
        let lane = lane(pool, watch, listener)
        defer { lane.close() }
        lane.start(ticket: 1, at: 0, .forward)
        await until { listener.heard.withLock { $0.starved } == 1 }
        #expect(listener.frames == [0, 1])
        lane.resume(ticket: 1, isAhead: false)
        await until { listener.heard.withLock { $0.failures } == 1 }
        #expect(listener.frames == [0, 1, 2, 3, 4])
        // What failed is over; another start is another try.
        watch.counts.withLock { $0.failsAt = nil }
        lane.start(ticket: 2, at: 5, .forward)
        await until { listener.ends == 1 }
        #expect(listener.frames == Array(0..<20))
    }

    @Test func theNewestStartWins() async {
        let (pool, watch, listener) = (DecoderPool(limit: 1), FakeFeed.Watch(), LaneListener())
        let lane = lane(pool, watch, listener, frames: 1000)
        defer { lane.close() }
        var random = SplitMix(14)
        for ticket in 0..<300 {
            switch random.next() % 4 {
            case 0: lane.stop()
            case 1: lane.closeDecoderWhenFull()
            default: break
            }
            lane.start(ticket: ticket, at: Int(random.next() % 1000), ticket % 2 == 0 ? .forward : .backward)
            if random.next() % 3 == 0 { await Task.yield() }
        }
        lane.start(ticket: 300, at: 990, .forward)
        await until { listener.ends > 0 && listener.frames.suffix(10) == Array(990..<1000)[...] }
        // Tickets never go back.
        #expect(listener.heard.withLock { zip($0.tickets, $0.tickets.dropFirst()).allSatisfy(<=) })
        lane.stop()
        lane.closeDecoderWhenFull()
        await until { pool.attachedCount == 0 }
        #expect(watch.open == 0)
        lane.start(ticket: 301, at: 0, .backward)
        await until { listener.frames.last == 0 }
    }

    @Test func hundredLanesShareFourDecoders() async {
        let (pool, watch) = (DecoderPool(limit: 4), FakeFeed.Watch())
        let listeners = (0..<100).map { _ in LaneListener() }
        let lanes = listeners.map { lane(pool, watch, $0, frames: 60) }
        for lane in lanes { lane.start(ticket: 1, at: 0, .forward) }
        await until { listeners.allSatisfy { $0.ends == 1 } }
        for listener in listeners { #expect(listener.frames == Array(0..<60)) }
        #expect(pool.peakAttachedCount <= 4 && watch.counts.withLock { $0.peakOpen } <= 4)
        for lane in lanes { lane.close() }
        await until { pool.attachedCount == 0 && pool.waitingCount == 0 && watch.open == 0 }
    }

    @Test func startsAndStopsFromManyThreadsLeaveNothingBehind() async {
        let (pool, watch) = (DecoderPool(limit: 2), FakeFeed.Watch())
        let lanes = (0..<6).map { _ in lane(pool, watch, LaneListener(room: 5), frames: 50) }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = SplitMix(UInt64(worker))
                    for ticket in 0..<400 {
                        let lane = lanes[Int(random.next() % 6)]
                        switch random.next() % 6 {
                        case 0: lane.stop()
                        case 1: lane.closeDecoderWhenFull()
                        case 2: lane.resume(ticket: ticket - 1, isAhead: false)
                        case 3: lane.becomeCurrent()
                        default:
                            lane.start(
                                ticket: ticket, at: Int(random.next() % 50), .forward,
                                isLookAhead: random.next() % 3 == 0)
                        }
                        await Task.yield()
                    }
                }
            }
        }
        for lane in lanes { lane.close() }
        await until { pool.attachedCount == 0 && pool.waitingCount == 0 && watch.open == 0 }
        #expect(pool.peakAttachedCount <= 2)
    }
}
