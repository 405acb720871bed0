import Foundation
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubStreams
import ScrubTestSupport
import Testing

/// A presentation as one video: every frame is the film's, with the number that a reader of segments finds.
struct WholePresentationTests {
    static let fmp4 = ["-hls_segment_type", "fmp4"]

    private func check(
        _ video: VideoAsset, _ set: StreamSet, seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(video.frames.count == set.hashes.count, sourceLocation: sourceLocation)
        var reader = FrameReader(video)
        var random = SplitMix(seed)
        for _ in 0..<40 {
            let frame = Int.random(in: set.hashes.indices, using: &random)
            let answer = try reader.frame(at: .frame(frame))
            let place = "seed \(seed), frame \(frame)"
            #expect(answer.verdict == .exact, "\(place)", sourceLocation: sourceLocation)
            #expect(try answer.picture?.md5() == set.hashes[frame], "\(place)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [[], fmp4, ["-hls_flags", "single_file"], fmp4 + ["-hls_flags", "single_file"]], [false, true])
    func everyFrameIsTheFilms(_ options: [String], _ isOpen: Bool) throws {
        let set = try StreamSet(codec: StreamSet.x264(open: isOpen), options)
        try check(try HLSVideo(path: set.path).asset(), set, seed: 51)
    }

    @Test(arguments: ["95440.0", "95436.3"])
    func timestampsThatBeginAgain(_ offset: String) throws {
        let set = try StreamSet(["-output_ts_offset", offset])
        try check(try HLSVideo(path: set.path).asset(), set, seed: 52)
    }

    /// More segments than a process may have files open at a time by default, beside all others.
    @Test func manySegments() throws {
        let set = try StreamSet(
            codec: StreamSet.x264(group: 1, frames: 0), seconds: 20,
            WholePresentationTests.fmp4 + ["-hls_time", "0.04"])
        let video = try HLSVideo(path: set.path)
        #expect(video.segmentCount > 450)
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let asset = try video.asset()
        let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        // Other tests run at the same time.
        #expect(after - before < 250)
        try check(asset, set, seed: 53)
    }

    @Test func encrypted() throws {
        let set = try EncryptedSetTests.set(vector: nil)
        try check(try HLSVideo(path: set.path).asset(), set, seed: 54)
    }

    @Test func severalVideosAreRefusedAsOne() throws {
        let set = try StreamSet([])
        try EncryptedSetTests.edit(set) {
            $0.replacing("#EXTINF:2.000000,\nindex3", with: "#EXT-X-DISCONTINUITY\n#EXTINF:2.000000,\nindex3")
        }
        let error = #expect(throws: ScrubError.self) { try HLSVideo(path: set.path).asset() }
        #expect(error?.code == .unavailable && "\(error as Any)".contains("HLSVideo.frame(at:)"))
        try EncryptedSetTests.edit(set) { $0.replacing("#EXT-X-DISCONTINUITY", with: "#EXT-X-GAP") }
        #expect(throws: ScrubError.self) { try HLSVideo(path: set.path).asset() }
    }

    @Test(arguments: [[], fmp4])
    func overTheNetwork(_ options: [String]) throws {
        let set = try StreamSet(options)
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        let video = try NetworkSetTests.open(server.url("index.m3u8"))
        let asset = try video.asset()
        try check(asset, set, seed: 55)
        let cost = try #require(video.networkCost)
        print("whole presentation over the network:", options, cost)
        // One request for the playlist, the header and each segment, and no byte twice; every segment here is shorter
        // than an opening's first request.
        #expect(server.log.allSatisfy { $0.status == 206 || $0.status == 200 })
        #expect(cost.requestCount <= video.segmentCount + 2)
        server.stop()
        #expect(throws: ScrubError.self) { try NetworkSetTests.open(server.url("index.m3u8")) }
    }

    @Test func aSegmentThatIsMissingIsAnError() throws {
        let set = try StreamSet([])
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        server.remove("index4.ts")
        let video = try NetworkSetTests.open(server.url("index.m3u8"))
        let error = #expect(throws: ScrubError.self) { try video.asset() }
        #expect("\(error as Any)".contains("index4.ts") || "\(error as Any)".contains("404"))
    }
}
