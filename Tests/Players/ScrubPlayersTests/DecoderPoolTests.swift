import ScrubBase
import ScrubMedia
import ScrubPlayers
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@Suite struct DecoderPoolTests {
    @Test func theFifthWaitsAndNeverFails() async throws {
        let pool = DecoderPool()
        #expect(pool.limit == 4)
        var leases: [DecoderPool.Lease] = []
        for _ in 0..<4 { leases.append(try await pool.acquire()) }
        #expect((pool.attachedCount, pool.waitingCount) == (4, 0))
        let fifth = Task { try await pool.acquire() }
        await until { pool.waitingCount == 1 }
        leases.removeFirst()
        let lease = try await fifth.value
        #expect((pool.attachedCount, pool.peakAttachedCount, pool.waitingCount) == (4, 4, 0))
        lease.release()
        lease.release()
        leases = []
        withExtendedLifetime(lease) { #expect(pool.attachedCount == 0) }
    }

    @Test func aCancelledWaiterLeavesTheLine() async throws {
        let pool = DecoderPool(limit: 1)
        let first = try await pool.acquire()
        let second = Task { try await pool.acquire() }
        await until { pool.waitingCount == 1 }
        let third = Task { try await pool.acquire() }
        await until { pool.waitingCount == 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(pool.waitingCount == 1)
        first.release()
        let lease = try await third.value
        lease.release()
        #expect(pool.attachedCount == 0)
        let fourth = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pool.acquire()
        }
        await #expect(throws: CancellationError.self) { try await fourth.value }
        #expect((pool.attachedCount, pool.waitingCount) == (0, 0))
    }

    /// The grant is told, and the task is cancelled before it goes on, or just after: the third gets the lease in any
    /// case.
    @Test func aGrantThatCrossesACancellationPassesOn() async throws {
        let pool = DecoderPool(limit: 1)
        for _ in 0..<200 {
            let first = try await pool.acquire()
            let second = Task { try await pool.acquire().release() }
            await until { pool.waitingCount == 1 }
            let third = Task { try await pool.acquire().release() }
            await until { pool.waitingCount == 2 }
            first.release()
            second.cancel()
            try await third.value
            _ = await second.result
            #expect(pool.attachedCount == 0)
        }
    }

    @Test func exactlyOneOfGrantedAndCancelled() throws {
        let pool = DecoderPool(limit: 1)
        let log = Locked<[String]>([])
        let held = Locked<DecoderPool.Lease?>(nil)
        let first = pool.request { lease in
            log.withLock { $0.append("first") }
            held.withLock { $0 = lease }
        }
        #expect(log.withLock { $0 } == ["first"], "at once when one is free")
        #expect(!pool.cancel(first))
        let second = pool.request { _ in log.withLock { $0.append("second") } }
        #expect(pool.cancel(second) && !pool.cancel(second))
        #expect(log.withLock { $0 } == ["first"])
        // From within the call: another request, and the lease goes with the closure's end.
        _ = pool.request { _ in
            _ = pool.request { _ in log.withLock { $0.append("nested") } }
            log.withLock { $0.append("third") }
        }
        let lease = held.withLock { held -> DecoderPool.Lease? in
            defer { held = nil }
            return held
        }
        lease?.release()
        #expect(log.withLock { $0 } == ["first", "third", "nested"])
        #expect(pool.attachedCount == 0)
    }

    @Test func idleLeasesAreEvictedAndNotified() throws {
        let pool = DecoderPool(limit: 2)
        let told = Locked<[String]>([])
        let first = try #require(pool.idleLease { told.withLock { $0.append("first") } })
        let second = try #require(pool.idleLease {})
        #expect(second.becomeBusy() && first.becomeBusy() && pool.idleLease {} == nil)
        second.becomeIdle {
            told.withLock { $0.append("second") }
            second.release()
        }
        first.becomeIdle { told.withLock { $0.append("first") } }
        let granted = Locked<[DecoderPool.Lease]>([])
        _ = pool.request { lease in granted.withLock { $0.append(lease) } }
        #expect(granted.withLock { $0.count } == 1, "its holder gave it back at once")
        #expect(told.withLock { $0 } == ["second"])
        #expect(!second.becomeBusy())
        _ = pool.request { lease in granted.withLock { $0.append(lease) } }
        #expect(granted.withLock { $0.count } == 1, "its holder still closes")
        #expect(told.withLock { $0 } == ["second", "first"])
        #expect(!first.becomeBusy() && first.isWantedBack)
        #expect(pool.attachedCount == 2)
        first.release()
        #expect(granted.withLock { $0.count } == 2 && pool.attachedCount == 2)
        for lease in granted.withLock({ $0 }) { lease.release() }
        #expect(pool.attachedCount == 0)
    }

    @Test func theClockEndsATurn() throws {
        let clock = ScrubTransport.ManualClock()
        let pool = DecoderPool(limit: 1, clock: clock)
        let granted = Locked<[DecoderPool.Lease]>([])
        for _ in 0..<2 { _ = pool.request { lease in granted.withLock { $0.append(lease) } } }
        let first = try #require(granted.withLock { $0.first })
        #expect(!first.isWantedBack)
        clock.advance(by: .milliseconds(249))
        #expect(!first.isWantedBack)
        clock.advance(by: .milliseconds(1))
        #expect(first.isWantedBack)
        first.release()
        #expect(granted.withLock { $0.count } == 2)
        #expect(!first.isWantedBack, "what was given back is not wanted")
        #expect(!first.becomeBusy())
    }

    /// Eight threads and forty tasks over three decoders, with cancellations: never over the limit, nothing is lost.
    @Test func threadsAndTasksShareIt() async throws {
        let seed = SplitMix.seed()
        print("seed \(seed)")
        let pool = DecoderPool(limit: 3, clock: ScrubTransport.SystemClock(), quantum: DecoderQuantum(pictures: 2))
        let using = Locked((now: 0, most: 0))
        let begin: @Sendable () -> Void = { using.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        let end: @Sendable () -> Void = { using.withLock { $0.now -= 1 } }
        let threads = try (0..<8).map { thread in
            try DedicatedThread {
                var generator = SplitMix(seed &+ UInt64(thread))
                for _ in 0..<300 {
                    let handover = BoundedQueue<DecoderPool.Lease?>(capacity: 2)
                    let request = pool.request { handover.push($0) }
                    if generator.isOne(in: 5), pool.cancel(request) { handover.push(nil) }
                    guard let lease = handover.pop() ?? nil else { continue }
                    begin()
                    lease.noteProgress(pictures: 1)
                    var isEvicted = false
                    if generator.isOne(in: 3) {
                        end()
                        lease.becomeIdle {}
                        isEvicted = !lease.becomeBusy()
                        if !isEvicted { begin() }
                    }
                    _ = lease.isWantedBack
                    if !isEvicted { end() }
                    if !generator.isOne(in: 4) { lease.release() }
                }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    var generator = SplitMix(seed &+ 100 &+ UInt64(number))
                    for _ in 0..<40 {
                        let task = Task {
                            let lease = try await pool.acquire()
                            begin()
                            await Task.yield()
                            end()
                            lease.release()
                        }
                        if generator.isOne(in: 4) { task.cancel() }
                        _ = await task.result
                    }
                }
            }
        }
        let joined = Locked(false)
        let joiner = try DedicatedThread {
            for thread in threads { thread.join() }
            joined.withLock { $0 = true }
        }
        joiner.detach()
        await until { joined.withLock { $0 } }
        #expect(using.withLock { $0.most } <= 3 && pool.peakAttachedCount <= 3)
        await until { pool.attachedCount == 0 }
        #expect(pool.waitingCount == 0)
    }
}

/// Waits for a condition that another task fulfils.
func until(_ condition: @Sendable () -> Bool) async {
    while !condition() { await Task.yield() }
}
