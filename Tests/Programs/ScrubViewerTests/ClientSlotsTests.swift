#if Viewer
import Scrub
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// Clients that change their film while its session is made or used.
@Suite(.timeLimit(.minutes(20))) struct ClientSeatsTests {
    private let counts = DecodeCounts()
    private let wishes = LatestRequests()
    private let film: ViewedMedium
    private let other: ViewedMedium

    init() throws {
        (film, other) = (try TestViewer.medium("demo.mp4"), try TestViewer.medium("h264-bf3.mp4"))
    }

    private func wish() throws -> RequestToken {
        try #require(wishes.admit(ClientIdentity(client: "a", turn: nil), now: .now))
    }

    private func limits() -> ViewerLimits {
        var limits = ViewerLimits()
        limits.pictureByteLimit = 256 << 20
        return limits
    }

    /// A wish for the film that a client is leaving uses the session that is there while the other film's is made. The
    /// late end of an older wish does not end its work.
    @Test func aLateEndTouchesNoNewerWork() async throws {
        let (begun, gate) = (BoundedAsyncQueue<Void>(capacity: 1), BoundedQueue<Void>(capacity: 1))
        let slow = other
        let seats = ClientSlots(limits(), counts) { (client, medium, budget, counts) in
            if medium === slow {
                begun.push(())
                _ = gate.pop()
            }
            return try ClientSession(client, medium, budget, counts)
        }
        let first = try #require(try await seats.session(wish(), film, canWait: true))
        let away = try wish()
        let making = Task { try await seats.session(away, slow, canWait: true).map(ObjectIdentifier.init) }
        _ = await begun.next()
        let again = try wish()
        let second = try #require(try await seats.session(again, film, canWait: true))
        #expect(second === first)
        gate.push(())
        let made = try #require(try await making.value)
        // Both are known: what they decode is counted, and their memory comes back.
        #expect(await seats.figures.clients == 1)
        let last = film.asset.frames.count - 1
        async let outcome = second.ask(last, again, isMoving: false, hasStandIn: false, patience: .seconds(60))
        while counts.now.begun == 0 { await Task.yield() }
        await seats.giveBack(ObjectIdentifier(first), of: "a")
        guard case .shown(let update) = await outcome else {
            Issue.record("its work was ended")
            return
        }
        #expect(update.frame.number == last && update.stage == .exact)
        let decoded = second.decodedPictureCount
        #expect(await seats.figures.pictures >= decoded && decoded > 0)
        await seats.giveBack(ObjectIdentifier(second), of: "a")
        await seats.giveBack(made, of: "a")
        #expect(await seats.figures.pictures >= decoded)
        await seats.close()
        #expect(await seats.figures.clients == 0)
    }

    /// Where nothing is kept by others, memory that is short is said at once.
    @Test func tooLittleMemoryIsSaid() async throws {
        var limits = limits()
        limits.pictureByteLimit = 1 << 16
        let seats = ClientSlots(limits, counts)
        let error = await #expect(throws: ScrubError.self) {
            _ = try await seats.session(wish(), film, canWait: true)
        }
        #expect(error?.code == .unavailable)
    }
}
#endif
