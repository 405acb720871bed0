import ScrubBase
import Testing

@testable import ScrubMedia

/// The thread of everything that decodes: one at a time, and none while there is nothing to do.
@Suite struct TurnThreadTests {
    /// Takes what was asked for. Every turn but the last one of a ring is `now`, as a decoder's packets.
    private final class Counter: StepwiseWork {
        struct State {
            var asked = 0
            var taken = 0
            var turns = 0
            var threads = 0
            var ends = 0
            var failures = 0
            var isAtWork = false
            var overlaps = 0
        }

        let state = Locked(State())
        private let idle: StepOutcome
        /// Called in each turn.
        private let body: @Sendable () -> Void

        init(_ idle: StepOutcome, _ body: @escaping @Sendable () -> Void = {}) { (self.idle, self.body) = (idle, body) }

        func begin() { state.withLock { $0.threads += 1 } }

        func turn() -> StepOutcome {
            state.withLock { state in
                state.overlaps += state.isAtWork ? 1 : 0
                state.isAtWork = true
            }
            body()
            return state.withLock { state in
                state.isAtWork = false
                state.turns += 1
                guard state.taken < state.asked else { return idle }
                state.taken += 1
                return .now
            }
        }

        func fail(_ error: ScrubError) {
            body()
            state.withLock { $0.failures += 1 }
        }

        func end() { state.withLock { $0.ends += 1 } }
    }

    /// Threads of a system that has none left for some time.
    private static func refusing(_ count: Locked<Int>) -> StepWorkerThread.NewThread {
        { (run) throws(ScrubError) in
            let isRefused = count.withLock { count in
                count -= 1
                return count >= 0
            }
            guard !isRefused else { throw ScrubError(.inputOutput, "no thread is left") }
            try DedicatedThread(run).detach()
        }
    }

    /// Without a thread the work fails, on the thread that rang; a ring during that tries again, and a later one too.
    @Test func withoutAThreadTheWorkFails() {
        let (refusals, ring) = (Locked(3), Locked<StepWorkerThread?>(nil))
        let counter = Counter(.rest(atMost: nil)) { if refusals.withLock({ $0 == 1 }) { ring.withLock { $0 }?.ring() } }
        let thread = StepWorkerThread(newThread: Self.refusing(refusals))
        thread.give(counter)
        #expect(throws: ScrubError.self) { try thread.start() }
        #expect(counter.state.withLock { $0.failures == 1 && $0.turns == 0 })
        ring.withLock { $0 = thread }
        #expect(throws: ScrubError.self, "the ring during it is refused too") { try thread.start() }
        #expect(counter.state.withLock { $0.failures == 3 && $0.threads == 0 })
        ring.withLock { $0 = nil }
        counter.state.withLock { $0.asked = 1 }
        thread.ring()
        thread.close()
        thread.join()
        #expect(counter.state.withLock { $0.threads == 1 && $0.ends == 1 })
    }

    /// Whatever is refused, the work ends once.
    @Test(arguments: [false, true]) func withoutAThreadItEnds(_ isIdle: Bool) {
        let counter = Counter(.whenRung)
        let thread = StepWorkerThread(newThread: Self.refusing(Locked(.max)))
        thread.give(counter)
        thread.ring()
        thread.close(isIdle: isIdle)
        thread.join()
        #expect(counter.state.withLock { $0.threads == 0 && $0.ends == 1 && $0.failures >= 1 })
    }

    /// All that several callers asked for is taken, by one thread at a time. It does not matter whether threads stay or
    /// end with each rest.
    @Test(
        arguments: [Int64?.none, 0, StepWorkerThread.patience],
        [StepOutcome.rest(atMost: nil), .whenRung, .rest(atMost: 0)])
    func everyRingIsSeen(_ longestRest: Int64?, _ idle: StepOutcome) async throws {
        let counter = Counter(idle)
        let state = counter.state
        let thread = StepWorkerThread(longestRest: longestRest)
        thread.give(counter)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        state.withLock { $0.asked += 1 }
                        thread.ring()
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        while state.withLock({ $0.taken < 800 }) { await Task.yield() }
        thread.close()
        thread.join()
        let end = state.withLock { $0 }
        #expect(end.taken == 800 && end.overlaps == 0 && end.ends == 1)
        #expect(longestRest != nil || end.threads == 1 || idle.endsThread)
        // Nothing is started after the end.
        thread.ring()
        thread.close()
        #expect(state.withLock { $0.turns } == end.turns)
    }

    /// Without work a ring starts nothing. Nothing is started before it is rung for. What was never begun ends too.
    @Test(arguments: [false, true]) func withoutWorkThereIsNoThread(_ isIdle: Bool) throws {
        let counter = Counter(.whenRung)
        let thread = StepWorkerThread()
        thread.ring()
        thread.give(counter)
        thread.close(isIdle: isIdle)
        thread.join()
        let end = counter.state.withLock { $0 }
        #expect(end.turns == 0 && end.ends == 1 && end.threads == (isIdle ? 0 : 1))
    }

    /// Work that is done ends by itself; its own thread may close it and wait for nothing.
    @Test func workEndsByItself() throws {
        let box = Locked<StepWorkerThread?>(nil)
        let counter = Counter(.never) {
            guard let thread = box.withLock({ $0 }) else { return }
            thread.close()
            thread.join()
        }
        let thread = StepWorkerThread()
        thread.give(counter)
        thread.ring()
        thread.join()
        #expect(counter.state.withLock { $0.turns == 1 && $0.ends == 1 })
        let other = Counter(.now) {
            guard let thread = box.withLock({ $0 }) else { return }
            thread.close()
            thread.join()
        }
        let own = StepWorkerThread()
        own.give(other)
        box.withLock { $0 = own }
        own.ring()
        own.join()
        box.withLock { $0 = nil }
        #expect(other.state.withLock { $0.ends == 1 })
    }

    /// A newer call ends the reads of the present turn, not those of the next.
    @Test func aTurnIsCancelledAlone() throws {
        let turns = StepCancellation()
        let seen = Locked<[Bool]>([])
        let counter = Counter(.never) {
            if seen.withLock({ $0.isEmpty }) { turns.cancel() }
            let isCancelled = Cancellation.isCurrentCancelled
            seen.withLock { $0.append(isCancelled) }
        }
        counter.state.withLock { $0.asked = 1 }
        let thread = StepWorkerThread(turns: turns)
        thread.give(counter)
        thread.ring()
        thread.join()
        #expect(seen.withLock { $0 } == [true, false])
    }
}

extension StepOutcome {
    fileprivate var endsThread: Bool { if case .whenRung = self { true } else { false } }
}
