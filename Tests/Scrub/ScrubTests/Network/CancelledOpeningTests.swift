import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Openings of addresses that are no longer waited for.
@Suite struct CancelledOpeningTests {
    /// Servers that never answer, or stop on the way: the opening ends with its task, and not with its time-out, which
    /// is an hour here.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [FaultAnswer.Place.beforeHead, .inHead(20), .beforeBody, .inBody(100)])
    func endWithTheirTask(_ place: FaultAnswer.Place) async throws {
        let server = try FaultServer()
        try server.serve(file: RemoteCommandTests.clips + "h264-bf3.mp4", as: "film.mp4")
        let gate = StallGate()
        defer { gate.release() }
        server.fail("film.mp4", .stall(place, gate))
        let options = CancelledOpeningTests.patient
        let url = try #require(URL(string: server.url("film.mp4")))
        let task = Task {
            try await VideoAsset.open(url: url, options: VideoAsset.OpenOptions(cache: .none), network: options)
        }
        await gate.arrival()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        // The connection is released too.
        #expect(server.waitUntilIdle())
    }

    /// Playlists, and their segments.
    @Test(.timeLimit(.minutes(20)), arguments: ["film.m3u8", "a.ts", "b.ts"])
    func ofPresentations(_ stalled: String) async throws {
        let server = try FaultServer()
        let clip = RemoteCommandTests.clips + "mpeg2-open.ts"
        server.serve(
            Array("#EXTM3U\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n#EXT-X-ENDLIST\n".utf8), as: "film.m3u8")
        for name in ["a.ts", "b.ts"] { try server.serve(file: clip, as: name) }
        let gate = StallGate()
        defer { gate.release() }
        server.fail(stalled, .stall(.inBody(0), gate))
        let options = CancelledOpeningTests.patient
        let url = try #require(URL(string: server.url("film.m3u8")))
        let task = Task {
            try await VideoAsset.open(url: url, options: VideoAsset.OpenOptions(cache: .none), network: options)
        }
        await gate.arrival()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(server.waitUntilIdle())
    }

    /// Playlists alone, of which no segment is asked for.
    @Test(.timeLimit(.minutes(20)), arguments: [FaultAnswer.Place.beforeHead, .inBody(0)])
    func ofPlaylists(_ place: FaultAnswer.Place) async throws {
        let server = try FaultServer()
        server.serve(Array("#EXTM3U\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n".utf8), as: "film.m3u8")
        let gate = StallGate()
        defer { gate.release() }
        server.fail("film.m3u8", .stall(place, gate))
        let options = CancelledOpeningTests.patient
        let url = try #require(URL(string: server.url("film.m3u8")))
        let task = Task { try await HLSVideo.open(url: url, network: options) }
        await gate.arrival()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(server.waitUntilIdle())
    }

    /// Time-outs of an hour, and no cache.
    private static var patient: NetworkOptions {
        var network = NetworkOptions()
        (network.answerTimeout, network.stallTimeout, network.readTimeout) = (
            .seconds(3600), .seconds(3600), .seconds(3600)
        )
        (network.usesCache, network.proxy) = (false, .none)
        return network
    }
}
