import ScrubSourcesLogic
import ScrubFileIO
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// Several processes that open one address through one cache; here each is a cache object of its own with a reader of
/// its own.
@Suite("Openings of one address at the same moment") struct SharedOpeningTests {
    private let folder: TemporaryFolder
    private let content = FakeContent(count: 3_000_000)

    init() throws { folder = try TemporaryFolder() }

    private let warnings = Locked<[String]>([])

    /// Returns a cache that waits for the others' transactions however slow this machine's disk is now, and reports why
    /// it keeps nothing.
    private func cache() throws -> MediaCache {
        var surroundings = MediaCache.Surroundings()
        surroundings.busyTimeout = 3600
        return try MediaCache(
            path: folder.path, limits: MediaCacheLimits(freeSpaceFloor: 0), surroundings: surroundings
        ) { [warnings] warning in warnings.withLock { $0.append("\(warning)") } }
    }

    /// Each byte is fetched once, the beginning too, which is asked for before the size is known.
    @Test func eachByteIsFetchedOnce() throws {
        let content = content
        let fixture = try RemoteFixture(content)
        let wrong = Locked<[String]>([])
        // However slow this machine's disk is now.
        var opening = RemoteOpening()
        opening.patience = .seconds(3600)
        let threads = try (0..<8).map { [opening] _ in
            let cache = try cache()
            return try DedicatedThread {
                do {
                    let file = try RemoteFile(
                        fixture.url, options: fixture.options, cache: cache, client: fixture.client, seed: 1,
                        opening: opening)
                    let end = Int64(content.bytes.count)
                    for range in [0..<65536, end - 700_000..<end, 1_000_000..<1_200_000] {
                        file.prefetch([range])
                        let bytes = try file.read(at: range.lowerBound, count: range.count)
                        if bytes != Array(content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]) {
                            wrong.withLock { $0.append("wrong bytes at \(range)") }
                        }
                    }
                    file.close()
                    cache.flush()
                } catch {
                    wrong.withLock { $0.append("\(error)") }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == [])
        #expect(warnings.withLock { $0 } == [])
        let asked = fixture.client.asked.compactMap(\.range)
        let distinct = ByteRanges(asked).byteCount
        #expect(asked.filter { $0.lowerBound == 0 }.count == 1)
        #expect(asked.reduce(0) { $0 + Int64($1.count) } == distinct)
    }

    /// A process that gives up, or dies, leaves the question to the next one.
    @Test func aWaitingProcessTakesOver() throws {
        let fixture = try RemoteFixture(content)
        let (one, other) = (try cache(), try cache())
        let key = MediumKey(url: fixture.url.key, credentials: ["user:secret"])
        var opening: MediaCache.Opening? = one.beginOpening(key)
        guard case .mine? = opening else {
            Issue.record("nobody else had it")
            return
        }
        let opened = BoundedQueue<Int64>(capacity: 1)
        var patient = RemoteOpening()
        patient.patience = .seconds(3600)
        let thread = try DedicatedThread { [patient] in
            let file = try? RemoteFile(
                fixture.url, options: fixture.options, cache: other, client: fixture.client, seed: 1, opening: patient)
            opened.offer(file?.byteCount ?? -1)
        }
        #expect(fixture.client.asked.isEmpty)
        opening = nil
        #expect(opened.pop() == 3_000_000)
        thread.join()
        #expect(fixture.client.asked.count == 1)
        _ = opening
    }
}

@Suite("A server without ranges and a slow disk") struct SlowDiskTests {
    /// The body does not come a second time: what has left the memory and is not in the catalogue yet is waited for.
    ///
    /// A read that waits keeps its first byte in memory, as the one of a slow opening does.
    @Test(arguments: [false, true]) func bytesOnTheirWayToTheCatalogueAreNotLost(aReadWaits: Bool) throws {
        let folder = try TemporaryFolder()
        var content = FakeContent(count: 12_000_000)
        content.answersRanges = false
        var fixture = try RemoteFixture { [content] in content.answer($0) }
        fixture.options.memoryByteLimit = 4 << 20
        let isFast = TimedBell(false)
        defer { isFast.ring { $0 = true } }
        var surroundings = MediaCache.Surroundings()
        surroundings.files = ModelFiles(ModelDisk(), mayFinish: isFast)
        let cache = try MediaCache(
            path: folder.path, limits: MediaCacheLimits(freeSpaceFloor: 0), surroundings: surroundings)
        let core = RemoteCore(
            RemoteCore.Surroundings(
                url: fixture.url, options: fixture.options, cache: cache, client: fixture.client, now: { 0 }),
            seed: 1)
        defer { core.close() }
        let reader = aReadWaits ? core.bell.ring { $0.board.beginRead(0..<1) } : nil
        try core.open()
        // The opening is over; nothing is read before the whole body is there.
        let places = Array(stride(from: 0, to: Int64(content.bytes.count), by: 16384))
        let (held, inMemory) = core.bell.wait { state -> TimedBell<RemoteState>.Wake<([Int64], Int)> in
            let isOver =
                state.board.isHeld(Int64(content.bytes.count - 1)) && state.answers.isEmpty
                && state.unwritten.isEmpty && state.surplusBlocks.isEmpty
            guard isOver else { return .sleep(1_000_000) }
            return .done((places.filter { state.board.isHeld($0) }, places.count { state.store.held.contains($0) }))
        }
        #expect(held == places)
        #expect(inMemory <= (4 << 20) / 16384)
        if let reader { core.bell.ring { $0.board.endRead(reader) } }
        isFast.ring { $0 = true }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while bytes.count < content.bytes.count {
            let place = Int64(bytes.count)
            let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe core.read(at: place, into: $0) }
            bytes += buffer.prefix(count)
        }
        #expect(bytes == content.bytes)
        #expect(fixture.client.asked.count == 1)
    }

    /// A read that the processor comes back to late finds its first bytes.
    @Test func memoryKeepsTheBlocksThatReadsWaitFor() throws {
        let errors = RemoteErrors(url: try RemoteURL("http://host/film.mp4"))
        var state = RemoteState(
            errors: errors, memoryByteLimit: 4 * Int(BlockStore.blockSize), board: FetchScheduler(),
            known: KnownContent(total: nil, validator: .none), random: SplitRandom(state: 1))
        let bytes = [UInt8](repeating: 1, count: 6 * Int(BlockStore.blockSize))
        unsafe bytes.withUnsafeBytes { unsafe state.store.insert($0, at: 0) }
        #expect(state.surplusBlocks == [0, 1, 2])
        let reader = state.board.beginRead(20_000..<90_000)
        state.unwritten[0] = ByteRanges(0..<1)
        #expect(state.surplusBlocks == [2, 3, 4])
        state.board.endRead(reader)
        #expect(state.surplusBlocks == [1, 2, 3])
    }
}
