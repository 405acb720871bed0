import Testing

@testable import ScrubMedia

/// What a finger gets that stays where it is and is not lifted.
struct ScrubStillnessTests {
    /// A finger that stays on a previewed frame gets its exact picture without being lifted, also when it asks for the
    /// same frame again and again. One that goes on is not waited for.
    @Test func aStillFingerGetsItsExactPicture() {
        let session = FakeSession(groupLength: 10, cost: 1_000_000)
        for frame in 0..<20 { session.pictures.keepPreview(frame) }
        session.board.ask(4, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.loop.restLimit == ScrubSchedule.stillness && session.loop.source.total == 0)
        session.clock.advance(by: ScrubSchedule.stillness / 2)
        session.board.ask(4, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.loop.restLimit == ScrubSchedule.stillness / 2 && session.loop.source.total == 0)
        session.clock.advance(by: ScrubSchedule.stillness / 2)
        session.run()
        #expect(session.showings.last?.stage == .exact && session.showings.last?.frame == 4)
        #expect(session.loop.restLimit == nil)

        // It begins once more, and the finger goes on while the frame is decoded: it is left.
        session.board.ask(15, isMoving: true, now: session.clock.now)
        session.run()
        session.clock.advance(by: ScrubSchedule.stillness)
        session.run(until: session.clock.now + 2_000_000)
        session.board.ask(16, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.cancelled == [15] && session.showings.last?.stage == .preview)
    }

    /// A still finger whose frame finds no memory, or no decoder, is not asked about again before something changes.
    @Test func aStillFingerDoesNotSpin() {
        let session = FakeSession(groupLength: 10, cost: 1_000_000)
        session.pictures.keepPreview(4)
        session.memory.withLock { $0 = 0 }
        session.board.ask(4, isMoving: true, now: session.clock.now)
        session.clock.advance(by: ScrubSchedule.stillness)
        session.run()
        #expect(session.loop.restLimit == nil && session.loop.source.total == 1)
        session.hasDecoder.withLock { $0 = false }
        session.memoryNews.withLock { $0 = true }
        session.run()
        #expect(session.loop.restLimit == nil)
    }

    /// A finger that stays on its frame waits for a pass over the group for a moment only: alone its frame may come
    /// sooner.
    @Test func aStillFingerDoesNotWaitForAPass() {
        let session = FakeSession(groupLength: 100, cost: 10_000_000, passing: Array(10...50))
        session.board.ask(50, isMoving: true, now: session.clock.now)
        session.run(until: session.clock.now + ScrubSchedule.passPatience - 10_000_000)
        #expect(session.loop.source.passing.first == 19 && session.showings.last?.frame == 18)
        session.run()
        #expect(session.showings.last?.frame == 50 && session.showings.last?.stage == .exact)
        #expect(session.loop.source.passing.first == 20)
    }
}
