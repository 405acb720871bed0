import Fetching
import ScrubBase
import TestSupport
import Testing

@testable import ScrubSources

/// A server, memory and readers for one board, all driven by random numbers.
private struct BoardWorld {
    var board = FetchBoard()
    var random: SplitMix
    let total: Int64
    var now: Int64 = 0
    /// What each request was asked for, and how much of it was sent.
    var running: [Int: ByteRanges] = [:]
    var severalCount = 0
    var isCancelled: Set<Int> = []
    var waiting: [Int: Range<Int64>] = [:]
    var startCount = 0
    var sentBytes: Int64 = 0
    let seed: UInt64

    init(seed: UInt64, asksForSeveral: Bool = false) {
        self.seed = seed
        random = SplitMix(seed)
        total = Int64.random(in: 1...20_000_000, using: &random)
        board.rules.requestLimit = 1 << Int64.random(in: 16...23, using: &random)
        board.rules.connections = Int.random(in: 1...6, using: &random)
        board.learned(total: total)
        board.mayAskForSeveral = asksForSeveral
        if asksForSeveral { board.planner.wasteLimit = Int64.random(in: 0...50_000, using: &random) }
    }

    /// Many small ranges, or few gaps in much: what several ranges are asked for in one request of.
    mutating func someRanges() -> [Range<Int64>] {
        var place = Int64.random(in: 0..<total, using: &random)
        let isSmall = random.isOne(in: 2)
        return (0..<Int.random(in: 2...90, using: &random)).compactMap { _ in
            let start = place + Int64.random(in: 1...(isSmall ? 200_000 : 8000), using: &random)
            place = start + Int64.random(in: 1...(isSmall ? 9000 : 60_000), using: &random)
            return place < total ? start..<place : nil
        }
    }

    mutating func someRange(_ longest: Int64) -> Range<Int64> {
        let start = Int64.random(in: 0..<total, using: &random)
        return start..<min(total, start + Int64.random(in: 1...longest, using: &random))
    }

    mutating func schedule() {
        for action in board.schedule(now: now) {
            switch action {
            case .start(let id, let range):
                #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= total, "seed \(seed)")
                #expect(running[id] == nil, "seed \(seed)")
                running[id] = ByteRanges(range)
                startCount += 1
            case .startSeveral(let id, let parts):
                #expect((1...64).contains(parts.ranges.count) && board.begunCount > 1, "seed \(seed)")
                #expect(ByteRanges(0..<total).intersection(parts) == parts && running[id] == nil, "seed \(seed)")
                #expect(board.mayAskForSeveral, "seed \(seed)")
                running[id] = parts
                startCount += 1
                severalCount += 1
            case .cancel(let id): if running[id] != nil { isCancelled.insert(id) }
            }
        }
        let active = board.transfers.filter { $0.phase != .ending }
        #expect(active.count <= board.rules.connections, "seed \(seed)")
        // No byte is asked for twice at a time.
        let all = active.flatMap(\.missing.ranges)
        #expect(ByteRanges(all).byteCount == all.reduce(0) { $0 + Int64($1.count) }, "seed \(seed)")
        #expect(Set(active.filter { $0.phase == .running }.map(\.id)).isSubset(of: running.keys), "seed \(seed)")
    }

    mutating func end(_ id: Int, _ ending: FetchBoard.Ending) {
        running[id] = nil
        isCancelled.remove(id)
        board.ended(id, ending, now: now, using: &random)
    }

    /// One request brings some bytes, or ends, in some way.
    mutating func serve(withFaults: Bool) {
        guard let id = running.keys.sorted().randomElement(using: &random), let parts = running[id] else { return }
        let isSeveral = board.transfers.contains { $0.id == id && $0.parts != nil }
        if isSeveral, !isCancelled.contains(id), random.isOne(in: 6) {
            return board.leave(ByteRanges(parts.ranges.suffix(2)), of: id)
        }
        if isCancelled.contains(id), random.isOne(in: 2) { return end(id, .cancelled) }
        if withFaults, random.isOne(in: 12) {
            let cause: [RetryPolicy.Cause] = [
                .timedOut, .connectionLost(beforeFirstByte: true, isFresh: false), .status(503, retryAfter: nil),
            ]
            return end(
                id, .failed(cause.randomElement(using: &random) ?? .timedOut, ScrubError(.inputOutput, "a fault")))
        }
        if parts.isEmpty || withFaults && random.isOne(in: 20) { return end(id, .complete) }
        // Parts come in any order.
        guard let range = isSeveral ? parts.ranges.randomElement(using: &random) : parts.ranges.first else { return }
        let count = min(Int64(range.count), Int64.random(in: 1...(1 << 20), using: &random))
        sentBytes += count
        let came = range.lowerBound..<range.lowerBound + count
        running[id]?.remove(came)
        guard isSeveral else {
            if !board.arrived(id, count: count) { end(id, .cancelled) }
            return
        }
        var isWanted = board.transfers.first { $0.id == id }.map(board.wantsMore) ?? false
        for part in board.transfers.first(where: { $0.id == id })?.missing.intersection(came).ranges ?? [] {
            isWanted = board.arrived(id, in: part)
        }
        if !isWanted { end(id, .cancelled) }
    }

    /// Readers whose first byte is there, or who failed, go.
    mutating func wake(mayFail: Bool) {
        for (id, range) in waiting {
            let failure = board.readers[id]?.failure
            #expect(mayFail || failure == nil, "seed \(seed)")
            guard failure != nil || board.isHeld(range.lowerBound) else { continue }
            board.endRead(id)
            if failure == nil {
                board.wasRead(range.lowerBound..<min(range.upperBound, range.lowerBound + 4096))
            }
            waiting[id] = nil
        }
    }

    /// Serves without faults until everything rests.
    mutating func settle() {
        for _ in 0..<20_000 {
            wake(mayFail: true)
            schedule()
            if running.isEmpty {
                guard let next = board.nextTime else { return }
                now = max(now, next)
            } else {
                serve(withFaults: false)
            }
        }
        Issue.record("seed \(seed): it never comes to rest")
    }
}

@Suite("Who needs which bytes")
struct FetchBoardTests {
    /// Whatever is announced, read, lost and cancelled: limits hold, and in the end every reader has its byte and everything
    /// that was announced is there.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func everyReaderGetsItsByte(seed: UInt64) {
        var world = BoardWorld(seed: seed &* 31 &+ 5)
        let withFaults = seed % 2 == 0
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &world.random) {
            case 0:
                let count = Int.random(in: 0...30, using: &world.random)
                world.board.announce((0..<count).map { _ in world.someRange(300_000) })
            case 1, 2:
                let range = world.someRange(500_000)
                if !world.board.isHeld(range.lowerBound) { world.waiting[world.board.beginRead(range)] = range }
            case 3:
                // Memory lets something go; what was announced is then fetched when it is read.
                let lost = ByteRanges(world.someRange(100_000)).subtracting(ByteRanges(world.board.announced))
                world.board.leftMemory(withFaults ? ByteRanges(world.someRange(100_000)) : lost)
            case 4: world.now += Int64.random(in: 0...300_000_000, using: &world.random)
            default: world.serve(withFaults: withFaults)
            }
            world.wake(mayFail: withFaults)
            world.schedule()
        }
        world.settle()
        #expect(world.waiting.isEmpty, "seed \(seed)")
        if !withFaults, world.board.aheadByteCount < world.board.rules.aheadLimit {
            for range in world.board.announced {
                #expect(world.board.absent(range).isEmpty, "seed \(seed)")
            }
        }
    }

    /// The same of requests of several ranges, of which some are not answered, or not whole: nothing is lost, and no other is made then.
    @Test(arguments: 0..<400 as Range<UInt64>)
    func severalRangesLoseNothing(seed: UInt64) {
        var world = BoardWorld(seed: seed &* 7 &+ 3, asksForSeveral: true)
        let withFaults = seed % 2 == 0
        world.board.begunCount = 1
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &world.random) {
            case 0:
                let ranges = world.someRanges()
                world.board.announce(ranges)
            case 1:
                let range = world.board.announced.randomElement(using: &world.random) ?? world.someRange(1000)
                if !world.board.isHeld(range.lowerBound) { world.waiting[world.board.beginRead(range)] = range }
            case 2:
                let range = world.someRange(500_000)
                if !world.board.isHeld(range.lowerBound) { world.waiting[world.board.beginRead(range)] = range }
            case 3: world.board.leftMemory(ByteRanges(world.someRange(100_000)))
            case 4: world.now += Int64.random(in: 0...300_000_000, using: &world.random)
            default: world.serve(withFaults: withFaults)
            }
            world.wake(mayFail: withFaults)
            world.schedule()
        }
        // What memory let go of is announced anew.
        let last = world.board.announced
        world.board.announce(last)
        world.settle()
        #expect(world.waiting.isEmpty, "seed \(seed)")
        if !withFaults, world.board.aheadByteCount < world.board.rules.aheadLimit {
            for range in world.board.announced { #expect(world.board.absent(range).isEmpty, "seed \(seed)") }
        }
    }

    @Test func gapsAreLeftOutWhereTheyCostMuch() {
        // A group of 10 MB in which every second picture of 5 KB is for nobody.
        let group = spaced(120, every: 85_000, of: 80_000)
        for (isAllowed, isFirst) in [(true, false), (false, false), (true, true)] {
            var board = isFirst ? board() : begun()
            board.mayAskForSeveral = isAllowed
            board.announce(group)
            let actions = board.schedule(now: 0)
            let parts = actions.compactMap { if case .startSeveral(_, let parts) = $0 { parts } else { nil } }
            #expect(parts.isEmpty == !isAllowed)
            #expect(parts.allSatisfy { $0.ranges.count <= 64 })
            // The first request of all is of one range.
            if isFirst { #expect(actions.first.map { if case .start = $0 { true } else { false } } == true) }
        }
        // Little in vain is no reason.
        var board = begun()
        board.mayAskForSeveral = true
        board.announce(spaced(20, every: 85_000, of: 80_000))
        #expect(starts(board.schedule(now: 0)).count == 2)
    }

    @Test func manySmallRangesAreOneRequest() {
        let heads = spaced(64, every: 290_000, of: 2500)
        for isRead in [false, true] {
            var board = begun()
            var random = SplitMix(1)
            board.mayAskForSeveral = true
            board.announce(heads)
            if isRead { _ = board.beginRead(heads[0].prefix(16)) }
            let actions = board.schedule(now: 0)
            guard actions.count == 1, case .startSeveral(let id, let parts) = actions[0] else {
                Issue.record("\(actions)")
                continue
            }
            #expect(parts == ByteRanges(heads))
            // Not answered as it should be: each for itself, and never again.
            _ = board.arrived(id, in: heads[0])
            board.ended(id, .complete, now: 0, using: &random)
            #expect(!board.mayAskForSeveral)
            let next = starts(board.schedule(now: 0))
            #expect(next == Array(heads[1...].prefix(next.count)) && !next.isEmpty)
        }
    }

    @Test func aLostConnectionIsNoRefusalUntilTheSecond() {
        let heads = spaced(64, every: 290_000, of: 2500)
        var board = begun()
        var random = SplitMix(1)
        board.mayAskForSeveral = true
        board.announce(heads)
        for round in 0..<2 {
            guard case .startSeveral(let id, let parts)? = board.schedule(now: 0).first else {
                Issue.record("round \(round)")
                return
            }
            #expect(parts == ByteRanges(heads[round...]))
            _ = board.arrived(id, in: heads[round])
            board.ended(
                id, .failed(.connectionLost(beforeFirstByte: false, isFresh: true), ScrubError(.inputOutput, "lost")),
                now: 0, using: &random)
        }
        #expect(!board.mayAskForSeveral)
        #expect(starts(board.schedule(now: 0)).first == heads[2])
    }

    /// Without faults, without turns and without forgetting, no byte comes twice.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func noByteComesTwice(seed: UInt64) {
        var world = BoardWorld(seed: seed &+ 1000)
        for _ in 0..<40 {
            if world.random.isOne(in: 3) {
                world.board.announce((0..<8).map { _ in world.someRange(200_000) })
            } else {
                let range = world.someRange(100_000)
                if !world.board.isHeld(range.lowerBound) { world.waiting[world.board.beginRead(range)] = range }
            }
            world.settle()
        }
        #expect(world.sentBytes == world.board.memory.byteCount, "seed \(seed)")
    }

    private func board(total: Int64 = 100_000_000) -> FetchBoard {
        var board = FetchBoard()
        board.learned(total: total)
        return board
    }

    /// One that has made a request before.
    private func begun() -> FetchBoard {
        var board = board()
        board.begunCount = 1
        return board
    }

    private func spaced(_ count: Int64, every step: Int64, of size: Int64) -> [Range<Int64>] {
        (0..<count).map { number -> Range<Int64> in
            let place = 1_000_000 + number * step
            return place..<place + size
        }
    }

    private func starts(_ actions: [FetchBoard.Action]) -> [Range<Int64>] {
        actions.compactMap { if case .start(_, let range) = $0 { range } else { nil } }
    }

    @Test func aReadOfOnePacketFetchesTheWholePlannedRun() {
        var board = board()
        board.announce([5_000_000..<5_020_000, 5_021_000..<5_050_000, 5_050_000..<5_060_000])
        _ = board.beginRead(5_000_000..<5_001_000)
        #expect(starts(board.schedule(now: 0)) == [5_000_000..<5_060_000])
    }

    /// New connections begin slowly, so what is announced first comes over several.
    @Test func theFirstAnnouncementIsDivided() {
        let start: Int64 = 5_000_000
        for (length, parts) in [(1, 1), (131_071, 1), (131_072, 2), (262_143, 3), (425_244, 4), (40_000_003, 2)] {
            for isRead in [false, true] {
                var board = board()
                board.announce([start..<start + Int64(length)])
                if isRead { _ = board.beginRead(start..<start + 1) }
                let first = starts(board.schedule(now: 0)).sorted { $0.lowerBound < $1.lowerBound }
                let places = first.map(\.lowerBound)
                #expect(first.count >= parts && first.first?.lowerBound == start, "\(length)")
                #expect(zip(first, first.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound }, "\(first)")
                #expect(places == places.sorted() && board.transfers.count <= board.rules.connections)
                guard length < 8 << 20 else { continue }
                #expect(first.count == parts && first.last?.upperBound == start + Int64(length), "\(first)")
                let counts = first.map(\.count)
                #expect((counts.max() ?? 0) - (counts.min() ?? 0) < parts, "\(counts)")
            }
        }
    }

    @Test func onlyTheFirstAnnouncementIsDivided() {
        var board = board()
        var random = SplitMix(2)
        board.announce([0..<200_000, 50_000_000..<51_000_000])
        let first = board.schedule(now: 0)
        #expect(
            starts(first) == [
                0..<200_000, 50_000_000..<50_333_333, 50_333_333..<50_666_666, 50_666_666..<51_000_000,
            ])
        for case .start(let id, let range) in first {
            _ = board.arrived(id, count: Int64(range.count))
            board.ended(id, .complete, now: 0, using: &random)
        }
        board.announce([60_000_000..<61_000_000])
        #expect(starts(board.schedule(now: 0)) == [60_000_000..<61_000_000])

        // What was announced anew before anything was asked for counts alone.
        var anew = self.board()
        anew.announce([0..<1_000_000])
        anew.announce([70_000_000..<70_100_000])
        #expect(starts(anew.schedule(now: 0)) == [70_000_000..<70_100_000])
    }

    @Test func aSingleConnectionIsNotDividedFor() {
        var board = board()
        (board.rules.connections, board.planner.connections) = (1, 1)
        board.announce([0..<1_000_000])
        #expect(starts(board.schedule(now: 0)) == [0..<1_000_000])
        var huge = self.board(total: .max)
        huge.announce([0..<Int64.max])
        #expect(starts(huge.schedule(now: 0)).allSatisfy { $0.count <= huge.rules.requestLimit })
    }

    @Test func readsThatFollowOneAnotherAskForMoreAndATurnForLess() {
        var board = board()
        var random = SplitMix(1)
        var sizes: [Int64] = []
        func read(_ place: Int64) {
            guard !board.isHeld(place) else { return board.wasRead(place..<place + 4096) }
            let id = board.beginRead(place..<place + 4096)
            for case .start(let transfer, let range) in board.schedule(now: 0) {
                sizes.append(Int64(range.count))
                _ = board.arrived(transfer, count: Int64(range.count))
                board.ended(transfer, .complete, now: 0, using: &random)
            }
            board.endRead(id)
            board.wasRead(place..<place + 4096)
        }
        for step in 0..<500 { read(Int64(step) * 4096) }
        #expect(sizes.starts(with: [65536, 131_072, 262_144, 524_288]))
        read(50_000_000)
        #expect(sizes.last == 65536)
    }

    @Test func aTurnDropsWhatNobodyNeedsAndKeepsWhatIsCheapToFinish() {
        var board = begun()
        board.announce([0..<4_000_000])
        let first = board.schedule(now: 0)
        #expect(starts(first) == [0..<4_000_000])
        board.announce([50_000_000..<50_100_000])
        let second = board.schedule(now: 0)
        guard case .start(let id, _)? = first.first else {
            Issue.record("nothing began")
            return
        }
        #expect(second.contains(.cancel(id)))
        #expect(starts(second) == [50_000_000..<50_100_000])

        // Fewer bytes are left than come while a connection is made.
        var cheap = begun()
        cheap.announce([0..<4_000_000])
        for case .start(let id, _) in cheap.schedule(now: 0) { _ = cheap.arrived(id, count: 3_950_000) }
        cheap.announce([50_000_000..<50_100_000])
        #expect(!cheap.schedule(now: 0).contains { if case .cancel = $0 { true } else { false } })
    }

    @Test func retriesResumeFromTheFirstMissingByte() {
        var board = board()
        var random = SplitMix(4)
        let reader = board.beginRead(1_000_000..<1_200_000)
        for case .start(let id, let range) in board.schedule(now: 0) {
            #expect(range == 1_000_000..<1_200_000)
            _ = board.arrived(id, count: 70_000)
            board.ended(
                id,
                .failed(.connectionLost(beforeFirstByte: false, isFresh: true), ScrubError(.inputOutput, "lost")),
                now: 0, using: &random)
        }
        let time = board.nextTime ?? -1
        #expect((0...100_000_000).contains(time))
        #expect(starts(board.schedule(now: time)) == [1_070_000..<1_200_000])
        board.endRead(reader)
    }

    @Test func aReaderFarInsideARunningRequestDoesNotWaitForAllBeforeIt() {
        var board = begun()
        board.announce([0..<8_000_000])
        _ = board.schedule(now: 0)
        _ = board.beginRead(6_000_000..<6_001_000)
        #expect(starts(board.schedule(now: 0)) == [6_000_000..<8_000_000])
        #expect(board.transfers.map(\.range) == [0..<6_000_000, 6_000_000..<8_000_000])
    }

    @Test func bytesAtHandGoThroughMemoryAndDisk() {
        var board = board()
        board.isInMemory(100..<200)
        board.isOnDisk([200..<300, 350..<400])
        board.isInMemory(300..<320)
        #expect(board.heldCount(from: 100) == 220)
        #expect(board.heldCount(from: 250) == 70)
        #expect(board.heldCount(from: 320) == 0 && board.heldCount(from: 99) == 0 && board.heldCount(from: -1) == 0)
        #expect(board.heldCount(from: 350) == 50 && board.heldCount(from: .max) == 0)
    }

    @Test func withoutRangesOneRequestBringsEverything() {
        var board = board(total: 1_000_000)
        var random = SplitMix(4)
        _ = board.beginRead(500_000..<500_100)
        for case .start(let id, _) in board.schedule(now: 0) {
            board.becameWhole(id)
            #expect(board.transfers.map(\.range) == [0..<1_000_000])
            _ = board.arrived(id, count: 600_000)
            board.ended(id, .failed(.timedOut, ScrubError(.inputOutput, "late")), now: 0, using: &random)
        }
        #expect(board.isHeld(500_000))
        board.announce([900_000..<950_000])
        #expect(starts(board.schedule(now: .max)) == [0..<1_000_000])
    }
}
