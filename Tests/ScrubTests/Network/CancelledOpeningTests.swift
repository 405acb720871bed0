import Foundation
import Scrub
import TestSupport
import Testing

/// Openings of addresses that nobody waits for any more.
@Suite struct CancelledOpeningTests {
    /// Servers that never answer, or stop on the way: the opening ends with its task, and not with its time-out, which is an hour here.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: [FaultAnswer.Place.beforeHead, .inHead(20), .beforeBody, .inBody(100)])
    func endWithTheirTask(_ place: FaultAnswer.Place) async throws {
        let server = try FaultServer()
        try server.serve(file: RemoteCommandTests.clips + "h264-bf3.mp4", as: "film.mp4")
        let gate = StallGate()
        defer { gate.release() }
        server.fail("film.mp4", .stall(place, gate))
        var network = NetworkOptions()
        (network.answerTimeout, network.stallTimeout, network.readTimeout) = (
            .seconds(3600), .seconds(3600), .seconds(3600)
        )
        network.usesCache = false
        network.proxy = .none
        let options = network
        let url = try #require(URL(string: server.url("film.mp4")))
        let task = Task { try await VideoAsset.open(url: url, options: OpenOptions(cache: .none), network: options) }
        // On a thread of its own: the test's may be the one that the opening needs.
        let hasArrived = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: gate.waitForArrivals()) }
        }
        #expect(hasArrived)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        // The connection is let go of too.
        #expect(server.waitUntilIdle())
    }
}
