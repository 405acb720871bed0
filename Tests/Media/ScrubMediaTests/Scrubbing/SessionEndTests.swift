import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// What ends a session's streams, and what does not.
@Suite struct SessionEndTests {
    private func session() throws -> ScrubSession {
        try ScrubSession(
            try KnownClip("h264-bf3.mp4").asset, options: .init(), budget: ScrubBudget(byteLimit: 64 << 20))
    }

    /// A loop over updates or events ends with `cancel()`, whether it was there before or comes after.
    @Test func cancelEndsTheStreams() async throws {
        let session = try session()
        let (updates, events) = (session.updates, session.events)
        session.scrub(to: 40, isMoving: false)
        session.cancel()
        for await update in updates { #expect(update.requestedFrame == 40) }
        for await _ in events {}
        session.scrub(to: 50)
        for await update in session.updates { #expect(update.requestedFrame == 40) }
        for await _ in session.events {}
        session.cancel()
        #expect(session.counters.requests == 1)
    }

    /// A request that is given up ends nothing: the next one is answered on the same stream.
    @Test func aRequestThatIsGivenUpEndsNothing() async throws {
        let session = try session()
        let updates = session.updates
        session.scrub(to: 40)
        session.cancelPendingRequest()
        session.scrub(to: 60, isMoving: false)
        for await update in updates where update.requestedFrame == 60 && update.stage == .exact {
            #expect(update.frame.number == 60)
            break
        }
    }
}
