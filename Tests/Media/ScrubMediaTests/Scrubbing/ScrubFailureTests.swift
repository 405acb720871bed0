@testable import ScrubMedia
import Testing

/// Requests whose frame cannot be read.
@Suite struct ScrubFailureTests {
    private static let millisecond: Int64 = 1_000_000

    /// A file that cannot be read costs its request and no other.
    @Test func afterAFailureTheNextRequestIsAnswered() {
        let session = FakeSession(groupLength: 10, cost: 1, failing: [25])
        session.drag([(0, 27)])
        #expect(session.errors.count == 1 && session.showings.allSatisfy { $0.stage != .exact })
        // The request is told why, with the frame that stays on screen.
        let failed = session.showings.filter { $0.stage == .failed }
        let before = session.showings.last { $0.stage != .failed }?.frame ?? 27
        #expect(failed.map(\.request.frame) == [27] && failed.map(\.frame) == [before])
        #expect(failed.allSatisfy { $0.image == nil && $0.error?.cause == session.errors.first?.cause })
        session.board.ask(38, isMoving: false, now: session.clock.now)
        session.run()
        #expect(session.showings.last?.frame == 38 && session.showings.last?.stage == .exact)
    }

    /// A finger that goes on while a frame on its way fails is answered for the frame where it is.
    @Test func aFailureOfAnOlderFrameIsNotTheNewestRequests() {
        let session = FakeSession(groupLength: 10, cost: ScrubFailureTests.millisecond, failing: [25], jitters: true)
        session.board.ask(25, isMoving: true, now: 0)
        session.run(until: 2 * ScrubFailureTests.millisecond)
        // Near enough that the work for 25 goes on.
        session.board.ask(27, isMoving: true, now: session.clock.now)
        session.run()
        #expect(session.errors.count == 1 && session.givenUp.isEmpty)
        #expect(session.showings.allSatisfy { $0.stage != .failed })
        #expect(session.showings.last?.frame == 27 && session.showings.last?.stage == .exact)
        // The frame itself fails for its request, and is not tried again.
        session.board.ask(25, as: 9, isMoving: false, now: session.clock.now)
        session.run()
        #expect(session.errors.count == 2 && session.givenUp == [9])
        session.run()
        #expect(session.errors.count == 2)
    }
}
