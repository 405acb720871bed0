#if Viewer
import Scrub
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// What is counted as under way for a client is under way: strips wait for it, and requests of others get near
/// pictures.
@Suite(.timeLimit(.minutes(20))) struct ClientSessionTests {
    private let counts = DecodeCounts()
    private let wishes = LatestRequests()
    private let medium: ViewedMedium

    init() throws {
        medium = try TestViewer.medium("demo.mp4")
    }

    private func session() throws -> ClientSession {
        try ClientSession("a", medium, ScrubBudget(byteLimit: 256 << 20), counts)
    }

    private func ask(_ session: ClientSession, _ frame: Int, isMoving: Bool = false) async throws
        -> ClientSession.Outcome
    {
        let wish = try #require(wishes.admit(ClientIdentity(client: "a", turn: nil), now: .now))
        return await session.ask(frame, wish, isMoving: isMoving, hasStandIn: false, patience: .seconds(60))
    }

    private func stage(_ outcome: ClientSession.Outcome) -> ScrubSession.Update.Stage? {
        if case .shown(let update) = outcome { update.stage } else { nil }
    }

    /// A page that is closed in a drag: its last request is cancelled before the session has it, and the session has
    /// something near at once.
    @Test func aRequestThatWasCancelledBeforeItWasPutLeavesNothingUnderWay() async throws {
        var wasNear = false
        // Its preview may be there, which ends the request as a picture of its own does.
        for _ in 0..<20 where !wasNear {
            let session = try session()
            #expect(stage(try await ask(session, 0)) == .exact && counts.now.underWay.isEmpty)
            session.leave()
            // Farther away than what is shown: that is worth giving.
            session.gave(medium.asset.frames.count * 2)
            let last = medium.asset.frames.count - 1
            let outcome = try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await ask(session, last, isMoving: true)
            }.value
            if stage(outcome) == .approximate { wasNear = true }
            #expect(counts.now.underWay.isEmpty)
            #expect(counts.now.begun == counts.now.finished + counts.now.cancelled)
        }
        #expect(wasNear)
    }

    /// Without something near it is gone.
    @Test func aRequestAtRestThatWasCancelledBeforeItWasPutIsGone() async throws {
        let session = try session()
        let outcome = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ask(session, 100)
        }.value
        if case .gone = outcome {} else { Issue.record("\(outcome)") }
        #expect(counts.now.underWay.isEmpty && counts.now.begun == counts.now.cancelled)
    }
}
#endif
