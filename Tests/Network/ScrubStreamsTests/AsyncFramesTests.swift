import Foundation
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubStreams
import ScrubTestSupport
import Testing

/// The asynchronous calls of a presentation: they have a reader's frames, and each one ends with its own task.
struct AsyncFramesTests {
    static let fmp4 = ["-hls_segment_type", "fmp4"]

    /// A frame, with its picture's hash.
    private struct Facts: Equatable {
        let times: [Rational]
        let numbers: [Int?]
        let segments: [Int64]
        let verdict: Verdict
        let hash: String?

        init(_ frame: HLSVideo.Frame) throws {
            times = [frame.time, frame.duration, frame.requestedTime, frame.containerTime]
            numbers = [frame.number, frame.frameCount]
            segments = [frame.segment] + frame.fetched.segments
            verdict = frame.verdict
            hash = try frame.picture?.md5()
        }
    }

    /// A reader's answers, one after the other, and the duration.
    private func answers(
        _ path: String, _ positions: [FramePosition]
    ) throws -> (facts: [Facts], duration: Rational) {
        var reader = HLSVideo.Reader(try HLSVideo(path: path))
        var facts: [Facts] = []
        for position in positions { facts.append(try Facts(reader.frame(at: position))) }
        return (facts, try reader.duration())
    }

    @Test(arguments: [[], fmp4])
    func framesAreTheReaders(_ options: [String]) async throws {
        let set = try StreamSet(options)
        let positions: [FramePosition] = [
            .seconds(7.1), .seconds(0.5), .fraction(Rational(1, 3)), .frame(200), .seconds(7.1), .frame(-10), .last,
            .first,
        ]
        let expected = try answers(set.path, positions)
        let video = try await HLSVideo.open(path: set.path)
        #expect(video.knownFrameCount == nil)
        for (position, facts) in zip(positions, expected.facts) {
            let frame = try await video.frame(at: position)
            #expect(try Facts(frame) == facts, "\(position)")
        }
        #expect(try await video.duration() == expected.duration)
        #expect(try await video.frame(at: .frame(set.hashes.count - 1)).frameCount == set.hashes.count)
        #expect(video.knownFrameCount == set.hashes.count)
    }

    /// The container's time is the one that other programs read in the segment.
    @Test func containerTimes() async throws {
        let set = try StreamSet(["-output_ts_offset", "1000"])
        let video = try await HLSVideo.open(path: set.path)
        let first = try await video.frame(at: .first)
        let later = try await video.frame(at: .seconds(7.1))
        #expect(first.containerTime >= Rational(1000))
        #expect(later.containerTime - first.containerTime == later.time)
    }

    @Test func positionsOutside() async throws {
        let set = try StreamSet([])
        let video = try await HLSVideo.open(path: set.path)
        let outside: [(FramePosition, Int)] = [
            (.seconds(100), set.hashes.count - 1), (.seconds(-1), 0), (.fraction(Rational(3, 2)), set.hashes.count - 1),
        ]
        for (position, number) in outside {
            let error = await #expect(throws: ScrubError.self) { try await video.frame(at: position) }
            #expect(error?.code == .usage, "\(position)")
            let nearest = try await video.frame(nearest: position)
            let hash = try nearest.picture?.md5()
            #expect(nearest.isClamped && hash == set.hashes[number], "\(position)")
        }
        let inside = try await video.frame(nearest: .seconds(7.1))
        #expect(!inside.isClamped && inside.time == Rational(177, 25))
        // A number names no nearest frame.
        await #expect(throws: ScrubError.self) { try await video.frame(nearest: .frame(set.hashes.count)) }
    }

    @Test func images() async throws {
        let set = try StreamSet([])
        let video = try await HLSVideo.open(path: set.path)
        let options = FramePicture.Options(size: .maximum(width: 96, height: 96))
        let image = try await video.image(at: .seconds(7.1), options: options)
        #expect(image.pixels.width == 96 && image.pixels.height == 54 && image.pixels.layout == .rgba8)
        #expect(image.time == Rational(177, 25) && image.verdict == .exact)
        let same = try await video.frame(at: .seconds(7.1)).picture?.pixels(options: options)
        #expect(image.pixels.bytes == same?.bytes)
        await #expect(throws: ScrubError.self) { try await video.image(at: .seconds(100)) }
    }

    @Test func severalCallersGetTheirOwnFrames() async throws {
        let set = try StreamSet([])
        let video = try await HLSVideo.open(path: set.path)
        async let first = video.frame(at: .seconds(7.1))
        async let second = video.frame(at: .seconds(1))
        let (one, two) = try await (first, second)
        #expect(try one.picture?.md5() == set.hashes[177])
        #expect(try two.picture?.md5() == set.hashes[25])
        try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for number in stride(from: set.hashes.count - 1, to: 0, by: -50) {
                group.addTask {
                    let frame = try await video.frame(at: .frame(number))
                    return (number, try frame.picture?.md5())
                }
            }
            for try await (number, hash) in group { #expect(hash == set.hashes[number], "\(number)") }
        }
    }

    // MARK: Cancelled calls

    /// A set on a server.
    enum Kind: CaseIterable {
        case transportStream, fragments, ranges, encrypted

        func make() throws -> StreamSet {
            switch self {
            case .transportStream: return try StreamSet([])
            case .fragments: return try StreamSet(AsyncFramesTests.fmp4)
            case .ranges: return try StreamSet(["-hls_flags", "single_file"])
            case .encrypted:
                let set = try EncryptedSetTests.set(vector: "00000000000000000000000000000007")
                try EncryptedSetTests.edit(set) { $0.replacing(/URI="[^"]*film.key"/, with: "URI=\"film.key\"") }
                return set
            }
        }

        /// The resource with the frame at 7.1 s.
        var name: String {
            switch self {
            case .transportStream, .encrypted: "index3.ts"
            case .fragments: "index3.m4s"
            case .ranges: "index.ts"
            }
        }
    }

    /// Time-outs of an hour.
    static var patient: NetworkOptions {
        var network = NetworkOptions()
        (network.answerTimeout, network.stallTimeout, network.readTimeout) = (
            .seconds(3600), .seconds(3600), .seconds(3600)
        )
        return network
    }

    /// A call ends with its task while its read hangs, and so does one that waits behind it. Nothing of it stays: later
    /// calls have the film's frames, with their numbers.
    @Test(
        .timeLimit(.minutes(20)), arguments: Kind.allCases, [FaultAnswer.Place.beforeHead, .inHead(20), .inBody(0)])
    func stalledReadsEndWithTheirTask(_ kind: Kind, _ place: FaultAnswer.Place) async throws {
        let set = try kind.make()
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        let video = try NetworkSetTests.open(server.url("index.m3u8"), AsyncFramesTests.patient)
        let gate = StallGate()
        defer { gate.release() }
        server.fail(kind.name, .stall(place, gate))
        let task = Task { try await video.frame(at: .seconds(7.1)) }
        await gate.arrival()
        let waiting = Task { try await video.frame(at: .seconds(1)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        server.heal(kind.name)
        gate.release()
        let frame = try await video.frame(at: .seconds(7.1))
        #expect(try frame.picture?.md5() == set.hashes[177])
        #expect(frame.time == Rational(177, 25) && frame.verdict == .exact)
        for number in [200, 10, set.hashes.count - 1] {
            let numbered = try await video.frame(at: .frame(number))
            let hash = try numbered.picture?.md5()
            #expect(numbered.number == number && hash == set.hashes[number], "\(number)")
        }
        #expect(video.knownFrameCount == set.hashes.count)
        #expect(try await video.asset().frames.count == set.hashes.count)
    }

    /// An opening of all segments that is cancelled leaves the presentation usable.
    @Test(.timeLimit(.minutes(20)), arguments: [FaultAnswer.Place.beforeHead, .inBody(0)])
    func aCancelledAssetLeavesTheFrames(_ place: FaultAnswer.Place) async throws {
        let set = try StreamSet([])
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        let video = try NetworkSetTests.open(server.url("index.m3u8"), AsyncFramesTests.patient)
        let gate = StallGate()
        defer { gate.release() }
        server.fail("index3.ts", .stall(place, gate))
        let task = Task { try await video.asset() }
        await gate.arrival()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        server.heal("index3.ts")
        gate.release()
        #expect(try await video.frame(at: .seconds(7.1)).picture?.md5() == set.hashes[177])
        #expect(try await video.asset().frames.count == set.hashes.count)
    }

    /// A playlist that grows, and one of whose reads hangs.
    @Test(.timeLimit(.minutes(20)))
    func playlistsAreReadAgain() async throws {
        let set = try StreamSet([])
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        let lines = try set.folder.text("index.m3u8").split(separator: "\n").map(String.init)
        // Without its end and the last segment's two lines.
        server.serve(Array((lines.dropLast(3).joined(separator: "\n") + "\n").utf8), as: "index.m3u8")
        let video = try NetworkSetTests.open(server.url("index.m3u8"), AsyncFramesTests.patient)
        let count = video.segmentCount
        #expect(!video.isComplete)
        #expect(try await video.reload() == 0)
        let gate = StallGate()
        defer { gate.release() }
        server.fail("index.m3u8", .stall(.inBody(0), gate))
        let task = Task { try await video.reload() }
        await gate.arrival()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        server.heal("index.m3u8")
        gate.release()
        server.serve(Array((lines.joined(separator: "\n") + "\n").utf8), as: "index.m3u8")
        #expect(try await video.reload() == 1)
        #expect(video.segmentCount == count + 1 && video.isComplete)
        #expect(try await video.frame(at: .last).picture?.md5() == set.hashes.last)
        #expect(try await video.reload() == 0)
    }
}
