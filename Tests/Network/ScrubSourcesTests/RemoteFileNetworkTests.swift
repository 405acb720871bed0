import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// Real requests to a server on this machine, and a real cache.
@Suite("Files on the network, over sockets")
struct RemoteFileNetworkTests {
    private let server: FaultServer
    private let folder: TemporaryFolder
    private let client: HTTPClient
    private let total: Int64 = 6_000_000
    private let content: FaultContent

    init() throws {
        server = try FaultServer()
        folder = try TemporaryFolder()
        client = try HTTPClient(options: NetworkOptions().clientOptions(environment: [:]))
        content = FaultContent(FakeContent.bytes(count: Int(total), salt: 5))
        server.serve(content, as: "film.mp4")
    }

    /// A cache as another process would open it, which leaves the disk its usual room.
    private func cache(timeToLive: Int64 = 600) throws -> MediaCache {
        var surroundings = MediaCache.Surroundings()
        // However busy this machine's disk is.
        surroundings.busyTimeout = 3600
        return try MediaCache(
            path: folder.path, limits: MediaCacheLimits(timeToLive: timeToLive, freeSpaceFloor: 0),
            surroundings: surroundings)
    }

    private func open(_ cache: MediaCache?, memory: Int = 64 << 20) throws -> RemoteFile {
        var options = NetworkOptions()
        // A machine that is busy, or a sanitizer, is not a fault.
        options.readTimeout = .seconds(120)
        options.memoryByteLimit = memory
        return try RemoteFile.open(server.url("film.mp4"), options: options, cache: cache, client: client)
    }

    private func expectRight(_ file: RemoteFile, _ range: Range<Int64>, _ comment: Comment? = nil) throws {
        let bytes = try file.read(at: range.lowerBound, count: range.count)
        #expect(bytes == content.read(range), comment)
    }

    @Test func aSecondOpeningWithEverythingInTheCacheAsksNothing() throws {
        let ranges: [Range<Int64>] = [0..<12_000, 1_000_000..<1_300_000, 5_900_000..<6_000_000]
        let first = try cache()
        let file = try open(first)
        file.prefetch(ranges)
        for range in ranges { try expectRight(file, range) }
        #expect(server.log.count == 3)
        #expect(file.cost == NetworkCost(requestCount: 3, fetchedByteCount: 12288 + 400_000))
        file.close()
        first.flush()
        server.clearLog()

        // The same cache, and another process's.
        for cache in [first, try cache()] {
            let again = try open(cache)
            again.prefetch(ranges)
            for range in ranges { try expectRight(again, range) }
            #expect(server.log.isEmpty)
            #expect(again.cost == NetworkCost(cachedByteCount: 412_000))
            #expect(again.contentIdentifier == file.contentIdentifier)
        }
        // A byte that is missing costs what is missing only.
        let more = try open(first)
        try expectRight(more, 1_200_000..<1_400_000)
        #expect(server.log.count == 1)
        #expect(server.log.first?.contentRanges.first?.lowerBound == 1_300_000)
    }

    @Test func anEntryPastItsTimeToLiveIsConfirmedByOneRequest() throws {
        let cache = try cache(timeToLive: 0)
        let file = try open(cache)
        try expectRight(file, 2_000_000..<2_050_000)
        file.close()
        cache.flush()
        server.clearLog()
        let again = try open(cache)
        try expectRight(again, 2_000_000..<2_050_000)
        #expect(server.log.count == 1)
    }

    @Test func changedContentIsSeenAndTheNextOpeningReadsTheNewOne() throws {
        let cache = try cache()
        let file = try open(cache)
        try expectRight(file, 2_000_000..<2_050_000)
        let new = FaultContent(FakeContent.bytes(count: Int(total), salt: 9))
        server.serve(new, as: "film.mp4")
        #expect(throws: ScrubError.self) { try expectRight(file, 3_000_000..<3_000_100) }
        // Records of the old one stay the old one's.
        try expectRight(file, 2_000_000..<2_050_000)
        file.close()
        let again = try open(cache)
        #expect(try again.read(at: 3_000_000, count: 100) == new.read(3_000_000..<3_000_100))
        #expect(try again.read(at: 2_000_000, count: 100) == new.read(2_000_000..<2_000_100))
        #expect(again.contentIdentifier != file.contentIdentifier)
    }

    @Test func anEntryThatWasNotConfirmedIsCheckedAtTheFirstMissingByte() throws {
        let cache = try cache()
        let file = try open(cache)
        try expectRight(file, 0..<100)
        file.close()
        cache.flush()
        let new = FaultContent(FakeContent.bytes(count: Int(total), salt: 9))
        server.serve(new, as: "film.mp4")
        let old = try open(cache)
        try expectRight(old, 0..<100)
        #expect(throws: ScrubError.self) { try expectRight(old, 3_000_000..<3_000_100) }
        old.close()
        #expect(try open(cache).read(at: 0, count: 100) == new.read(0..<100))
    }

    @Test func withoutRangesTheWholeGoesToTheCache() throws {
        server.fail("film.mp4", .ignoredRange)
        let cache = try cache()
        let file = try open(cache, memory: 4 << 20)
        try expectRight(file, 5_900_000..<6_000_000)
        #expect(server.log.count == 1)
        #expect(!file.answersRanges)
        file.close()
        cache.flush()
        server.clearLog()
        let again = try open(cache, memory: 4 << 20)
        try expectRight(again, 0..<6_000_000)
        #expect(server.log.isEmpty)
    }

    @Test func aServerThatIgnoresRangesForOnceIsAskedAgain() throws {
        server.fail("film.mp4", .ignoredRange, on: .only(1))
        let file = try open(nil)
        try expectRight(file, 3_000_000..<3_100_000)
        #expect(file.answersRanges)
        #expect(file.cost.fetchedByteCount < 1_000_000)
    }

    @Test func manyReadersShareOneCache() throws {
        let ranges = (0..<60 as Range<Int64>).map { number -> Range<Int64> in
            number * 100_000..<number * 100_000 + 100_000
        }
        let threads = try (0..<8).map { index in
            // Each with the state of a process of its own.
            let cache = try cache()
            let client = try HTTPClient(options: NetworkOptions().clientOptions(environment: [:]))
            return try DedicatedThread { [self] in
                do {
                    let file = try RemoteFile.open(
                        server.url("film.mp4"), options: NetworkOptions(), cache: cache, client: client)
                    var random = SplitMix(UInt64(index))
                    for range in ranges.shuffled(using: &random).prefix(30) {
                        file.prefetch([range])
                        try expectRight(file, range)
                    }
                    file.close()
                    cache.flush()
                } catch {
                    Issue.record(error)
                }
            }
        }
        for thread in threads { thread.join() }
        server.waitUntilIdle()
        let log = server.log
        // Eight openings fetch the same first 64 KiB at the same time.
        #expect(log.contentBytes - 7 * 65536 <= log.distinctContentBytes * 110 / 100)
    }

    @Test func bytesFromBeforeACancelAreKept() throws {
        let cache = try cache()
        let file = try open(cache)
        file.prefetch([1_000_000..<5_000_000])
        try expectRight(file, 1_000_000..<1_500_000)
        file.close()
        cache.flush()
        server.waitUntilIdle()
        server.clearLog()
        let again = try open(cache)
        try expectRight(again, 1_000_000..<1_500_000)
        #expect(server.log.isEmpty)
    }

    @Test func aLostConnectionGoesOnWhereItBroke() throws {
        server.fail("film.mp4", .reset(.inBody(300_000)), on: .only(1))
        let file = try open(nil)
        file.prefetch([1_000_000..<3_000_000])
        try expectRight(file, 1_000_000..<3_000_000)
        #expect(file.cost.retryCount == 1)
        #expect(file.cost.fetchedByteCount < 2_300_000)
    }
}
