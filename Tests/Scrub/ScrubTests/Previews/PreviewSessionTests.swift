import Scrub
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// Previews of sessions: what they hold, and that nothing of a session stays when it goes.
@Suite struct PreviewSessionTests {
    /// A session that made previews and was moved over leaves neither its track nor its bytes behind.
    @Test func aReleasedSessionLeavesNothing() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let budget = ScrubBudget()
        weak var track: PreviewTrack?
        weak var released: ScrubSession?
        do {
            let session = try ScrubSession(clip.asset, budget: budget)
            session.observe { _ in }
            session.waitForPreviews(around: 30)
            for frame in 30..<60 { session.scrub(to: frame) }
            session.rest()
            session.waitUntilIdle()
            (track, released) = (session.previews, session)
            #expect(track?.frameCount == clip.hashes.count && budget.usedByteCount > 0)
        }
        #expect(released == nil && track == nil)
        #expect(budget.usedByteCount == 0)
    }
}
