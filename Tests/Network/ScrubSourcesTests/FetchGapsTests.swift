import ScrubSourcesLogic
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// Which requests ask for several ranges, and how they end.
@Suite("Several ranges of a board")
struct FetchGapsTests {
    /// The same of requests of several ranges, of which some are not answered, or not whole: nothing is lost, and no
    /// other is made then.
    @Test(arguments: 0..<400 as Range<UInt64>)
    func severalRangesLoseNothing(seed: UInt64) {
        var world = BoardWorld(seed: seed &* 7 &+ 3, asksForSeveral: true)
        let withFaults = seed % 2 == 0
        world.board.begunCount = 1
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &world.random) {
            case 0:
                if world.random.isOne(in: 2) {
                    let stretches = world.someStretches()
                    world.board.announce(stretches)
                } else {
                    let ranges = world.someRanges()
                    world.board.announce(ranges)
                }
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
        // Released bytes are announced again.
        let last = world.board.announced.map { ReadSpan($0, gaps: world.board.unread.intersection($0).ranges) }
        world.board.announce(last)
        world.settle()
        #expect(world.waiting.isEmpty, "seed \(seed)")
        if !withFaults, world.board.aheadByteCount < world.board.rules.aheadLimit {
            for range in world.board.announcedSet.ranges { #expect(world.board.absent(range).isEmpty, "seed \(seed)") }
        }
    }

    @Test func gapsAreLeftOutWhereTheyCostMuch() {
        // A group of 10 MB in which every second picture of 5 KB is unneeded.
        let group = spaced(120, every: 85_000, of: 80_000)
        for (isAllowed, isFirst) in [(true, false), (false, false), (true, true)] {
            var board = isFirst ? emptyBoard() : begunBoard()
            board.mayAskForSeveral = isAllowed
            board.announce(group)
            let actions = board.schedule(now: 0)
            let parts = actions.compactMap { if case .startSeveral(_, let parts) = $0 { parts } else { nil } }
            #expect(parts.isEmpty == !isAllowed)
            #expect(parts.allSatisfy { $0.ranges.count <= 128 })
            // The first request of all is of one range.
            if isFirst { #expect(actions.first.map { if case .start = $0 { true } else { false } } == true) }
        }
        // A little waste is not a reason.
        var board = begunBoard()
        board.mayAskForSeveral = true
        board.announce(spaced(20, every: 85_000, of: 80_000))
        #expect(starts(board.schedule(now: 0)).count == 2)
    }

    @Test func manySmallRangesAreOneRequest() {
        let heads = spaced(64, every: 290_000, of: 2500)
        for isRead in [false, true] {
            var board = begunBoard()
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

    /// Groups alone, each in its turn: all that is read of them comes, no byte comes twice, and little of the rest.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func gapsOfGroupsStayOut(seed: UInt64) {
        var world = BoardWorld(seed: seed &* 13 &+ 1, asksForSeveral: true)
        world.board.begunCount = Int(seed % 2)
        world.board.hasAnsweredSeveral = seed % 4 < 2
        world.board.planner = RequestPlanner()
        world.isAlone = true
        world.board.rules.requestLimit = FetchScheduler.Rules().requestLimit
        for _ in 0..<6 {
            let stretches = world.someStretches()
            world.board.announce(stretches)
            let before = (sent: world.sentBytes, there: world.board.memory)
            if world.random.isOne(in: 2), let first = stretches.first?.range.prefix(1),
                !world.board.isHeld(first.lowerBound)
            {
                world.waiting[world.board.beginRead(first)] = first
            }
            world.settle()
            let wanted = world.board.announcedSet
            for range in wanted.ranges { #expect(world.board.absent(range).isEmpty, "seed \(seed)") }
            #expect(world.sentBytes == world.board.memory.byteCount, "seed \(seed)")
            let new = wanted.subtracting(before.there)
            let waste = world.sentBytes - before.sent - new.byteCount
            guard seed % 4 == 1 else { continue }
            // Allowed waste: the bytes that plans may read in vain, and requests if little would be saved. Also gaps
            // shorter than a part's own header, and those of more than a request has ranges for.
            let short = stretches.flatMap(\.gaps).filter { $0.count < 1024 }.reduce(0) { $0 + Int64($1.count) }
            let long = stretches.map(\.gaps).filter { $0.count > 100 }.flatMap(\.self)
            let rest = long.reduce(0) { $0 + Int64($1.count) }
            #expect(waste <= new.byteCount / 16 + 2 * (120 << 10) + 4 * (32 << 10) + short + rest, "seed \(seed)")
        }
    }

    /// As for a frame deep inside a large group, with the index known: one of the four first requests is of several
    /// ranges.
    @Test func theFirstAnnouncementIsDividedAroundItsGaps() {
        let place: Int64 = 10_000_000
        let pieces = (0..<125).map { place + $0 * 20_000..<place + $0 * 20_000 + 16_500 }
        let gaps = zip(pieces, pieces.dropFirst()).map { $0.upperBound..<$1.lowerBound }
        let stretch = ReadSpan(place..<(pieces.last?.upperBound ?? place), gaps: gaps)
        for knowsSeveral in [true, false] {
            var (board, random) = (emptyBoard(), SplitMix(1))
            board.mayAskForSeveral = knowsSeveral
            board.announce([stretch])
            let actions = board.schedule(now: 0)
            #expect(actions.count == 4)
            let probes = actions.compactMap {
                if case .startSeveral(let id, let parts) = $0 { (id, parts) } else { nil }
            }
            #expect(probes.count == (knowsSeveral ? 1 : 0))
            let asked = ByteRanges(starts(actions)).union(probes.first?.1 ?? ByteRanges())
            #expect(board.announcedSet.subtracting(asked).isEmpty)
            #expect(asked.byteCount - board.announcedSet.byteCount <= (knowsSeveral ? 64 << 10 : .max))
            guard let probe = probes.first else { continue }
            // Not answered: its bytes come in single ranges, with those between, and nothing else is lost.
            board.ended(probe.0, .complete, now: 0, using: &random)
            #expect(!board.mayAskForSeveral)
            for transfer in board.transfers {
                _ = board.arrived(transfer.id, count: transfer.range.upperBound - transfer.range.lowerBound)
                board.ended(transfer.id, .complete, now: 0, using: &random)
            }
            let next = board.schedule(now: 0)
            #expect(starts(next).count == next.count && (1...3).contains(next.count))
            #expect(board.announcedSet.intersection(probe.1).subtracting(ByteRanges(starts(next))).isEmpty)
        }
    }

    /// One answer shows the abilities of a server; requests that wait for it go on then.
    @Test func theSecondPartOfAnAnswerShowsThatOthersWillCome() {
        let heads = spaced(400, every: 290_000, of: 2500)
        var board = begunBoard()
        board.mayAskForSeveral = true
        board.announce(heads)
        guard case .startSeveral(let id, let parts)? = board.schedule(now: 0).first else {
            Issue.record("no request of several ranges")
            return
        }
        #expect(board.isProbing && board.schedule(now: 0).isEmpty)
        _ = board.arrived(id, in: parts.ranges[0].prefix(100))
        _ = board.arrived(id, in: parts.ranges[0].lowerBound + 100..<parts.ranges[0].upperBound)
        #expect(board.isProbing && board.schedule(now: 0).isEmpty)
        _ = board.arrived(id, in: parts.ranges[1].prefix(1))
        #expect(!board.isProbing && !board.schedule(now: 0).isEmpty)
    }

    /// Bytes that one reader leaves out another one reads.
    @Test func bytesThatAnyReaderNeedsAreNotGaps() {
        var board = begunBoard()
        board.mayAskForSeveral = true
        board.announce([
            ReadSpan(1_000_000..<1_300_000, gaps: [1_010_000..<1_150_000, 1_160_000..<1_290_000]),
            ReadSpan(1_020_000..<1_200_000, gaps: [1_030_000..<1_140_000]),
        ])
        #expect(board.unread == ByteRanges([1_010_000..<1_020_000, 1_030_000..<1_140_000, 1_200_000..<1_290_000]))
        #expect(board.announcedSet.byteCount == 90_000)
    }

    @Test func onlyASecondLostConnectionCountsAsRefusal() {
        let heads = spaced(64, every: 290_000, of: 2500)
        var board = begunBoard()
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

    private func spaced(_ count: Int64, every step: Int64, of size: Int64) -> [Range<Int64>] {
        (0..<count).map { number -> Range<Int64> in
            let place = 1_000_000 + number * step
            return place..<place + size
        }
    }
}
