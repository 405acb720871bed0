import ScrubSourcesLogic
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

@Suite("Who needs which bytes")
struct FetchBoardTests {
    /// Whatever is announced, read, lost and cancelled: limits hold, and in the end every reader has its byte and
    /// everything that was announced is there.
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
                // Memory releases something; announced bytes are then fetched when they are read.
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

    @Test func aReadOfOnePacketFetchesTheWholePlannedRun() {
        var board = emptyBoard()
        board.announce([5_000_000..<5_020_000, 5_021_000..<5_050_000, 5_050_000..<5_060_000])
        _ = board.beginRead(5_000_000..<5_001_000)
        #expect(starts(board.schedule(now: 0)) == [5_000_000..<5_060_000])
    }

    /// New connections begin slowly, so the first announcement comes over several.
    @Test func theFirstAnnouncementIsDivided() {
        let start: Int64 = 5_000_000
        for (length, parts) in [(1, 1), (131_071, 1), (131_072, 2), (262_143, 3), (425_244, 4), (40_000_003, 2)] {
            for isRead in [false, true] {
                var board = emptyBoard()
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
        var board = emptyBoard()
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

        // Ranges that were announced again before anything was asked for count alone.
        var anew = emptyBoard()
        anew.announce([0..<1_000_000])
        anew.announce([70_000_000..<70_100_000])
        #expect(starts(anew.schedule(now: 0)) == [70_000_000..<70_100_000])
    }

    @Test func aSingleConnectionIsNotDividedFor() {
        var board = emptyBoard()
        (board.rules.connections, board.planner.connections) = (1, 1)
        board.announce([0..<1_000_000])
        #expect(starts(board.schedule(now: 0)) == [0..<1_000_000])
        var huge = emptyBoard(total: .max)
        huge.announce([0..<Int64.max])
        #expect(starts(huge.schedule(now: 0)).allSatisfy { $0.count <= huge.rules.requestLimit })
    }

    @Test func readsThatFollowOneAnotherAskForMoreAndATurnForLess() {
        var board = emptyBoard()
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

    @Test func aTurnDropsUnneededRequestsAndKeepsCheapOnes() {
        var board = begunBoard()
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
        var cheap = begunBoard()
        cheap.announce([0..<4_000_000])
        for case .start(let id, _) in cheap.schedule(now: 0) { _ = cheap.arrived(id, count: 3_950_000) }
        cheap.announce([50_000_000..<50_100_000])
        #expect(!cheap.schedule(now: 0).contains { if case .cancel = $0 { true } else { false } })
    }

    @Test func retriesResumeFromTheFirstMissingByte() {
        var board = emptyBoard()
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
        var board = begunBoard()
        board.announce([0..<8_000_000])
        _ = board.schedule(now: 0)
        _ = board.beginRead(6_000_000..<6_001_000)
        #expect(starts(board.schedule(now: 0)) == [6_000_000..<8_000_000])
        #expect(board.transfers.map(\.range) == [0..<6_000_000, 6_000_000..<8_000_000])
    }

    @Test func bytesAtHandGoThroughMemoryAndDisk() {
        var board = emptyBoard()
        board.isInMemory(100..<200)
        board.isOnDisk([200..<300, 350..<400])
        board.isInMemory(300..<320)
        #expect(board.heldCount(from: 100) == 220)
        #expect(board.heldCount(from: 250) == 70)
        #expect(board.heldCount(from: 320) == 0 && board.heldCount(from: 99) == 0 && board.heldCount(from: -1) == 0)
        #expect(board.heldCount(from: 350) == 50 && board.heldCount(from: .max) == 0)
    }

    @Test func withoutRangesOneRequestBringsEverything() {
        var board = emptyBoard(total: 1_000_000)
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
