import ScrubBitstream
@testable import ScrubDecoding
@testable import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct ReferenceClosureTests {
    /// A random question: a table, the beginning of decoding and the targets.
    private struct Question {
        var stream: RandomTable
        var restart: Int
        var targets: [Int]
        /// The units between.
        var (start, end): (Int, Int)

        init(_ kind: RandomTable.Kind, _ random: inout SplitMix) {
            let count = Int.random(in: 1...60, using: &random)
            stream = RandomTable(kind, packetCount: count, &random)
            let first = stream.table.firstPicture
            // Mostly the stretch's own restart; from a later one references may reach back too far.
            let skipped = kind != .ordered && random.isOne(in: 4) ? Int.random(in: 0..<count, using: &random) : 0
            let restart = first + skipped
            self.restart = restart
            targets = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Int.random(in: restart..<first + count, using: &random)
            }
            start = stream.table.units(of: restart).lowerBound
            end = stream.table.units(of: targets.max() ?? restart).upperBound
        }

        var feeds: [Feed]? { ReferenceClosure.feeds(for: targets, from: restart, in: stream.table) }

        /// The units that some packets feed.
        func units(_ feeds: [Feed]) -> Set<Int> {
            var fed = Set<Int>()
            for feed in feeds {
                for (bit, unit) in stream.table.units(of: feed.picture).enumerated()
                where feed.units >> UInt64(bit) & 1 == 1 { fed.insert(unit) }
            }
            return fed
        }
    }

    /// The restart, the targets, everything reachable from them, everything sticky, all references where nothing finer
    /// is known: this, and nothing else.
    @Test(arguments: [RandomTable.Kind.coarse, .packed, .mixed], 0..<300)
    func exactlyWhatIsNeededIsFed(_ kind: RandomTable.Kind, _ seed: Int) {
        var random = SplitMix(UInt64(seed))
        let question = Question(kind, &random)
        let seeds = question.stream.seeds(question.targets, from: question.restart)
        let expected = question.stream.needs(of: seeds, from: question.start, through: question.end)
        let feeds = question.feeds
        #expect(feeds.map { question.units($0) } == expected)
        guard let feeds else { return }
        #expect(zip(feeds, feeds.dropFirst()).allSatisfy { $0.picture < $1.picture })
        #expect(feeds.first?.picture == question.restart && feeds.last?.picture == question.targets.max())
        #expect(feeds.reduce(0) { $0 + $1.unitCount } == expected?.count)
    }

    /// The generator makes cases that the tests are about: not all is needed, something is cut, some restarts are too
    /// late.
    @Test func theQuestionsAreHardEnough() {
        var (partial, cut, impossible) = (0, 0, 0)
        for kind in RandomTable.Kind.allCases {
            for seed in 0..<300 {
                var random = SplitMix(UInt64(seed))
                let question = Question(kind, &random)
                guard let feeds = question.feeds else {
                    impossible += 1
                    continue
                }
                if question.units(feeds).count < question.end - question.start { partial += 1 }
                if feeds.contains(where: { !$0.omitted.isEmpty }) { cut += 1 }
            }
        }
        #expect(partial > 300 && cut > 100 && impossible > 20, "\(partial) \(cut) \(impossible)")
    }

    /// The bytes that are cut out of a packet are those of the units that are not needed, no more and no less.
    @Test(arguments: [RandomTable.Kind.packed, .mixed], 0..<300)
    func omittedBytesAreTheUnneededUnits(_ kind: RandomTable.Kind, _ seed: Int) {
        var random = SplitMix(UInt64(seed) &+ 1000)
        let question = Question(kind, &random)
        for feed in question.feeds ?? [] {
            let units = question.stream.table.units(of: feed.picture)
            let unneeded = units.enumerated().filter { feed.units >> UInt64($0.offset) & 1 == 0 }.map(\.element)
            #expect(feed.omitted == unneeded.map { question.stream.units[$0].bytes })
            #expect(feed.unitCount == units.count - unneeded.count && feed.unitCount > 0)
            #expect((feed.units == .max) == unneeded.isEmpty)
        }
    }

    /// A decoder that sees only the fed packets derives the order counts that one derives that sees everything.
    @Test(arguments: 0..<600) func orderCountsComeOutRight(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed) &+ 2000)
        let question = Question(.ordered, &random)
        let feeds = try #require(question.feeds)
        let fed = question.units(feeds)
        var previous: Int?
        for unit in fed.sorted() {
            let coded = question.stream.units[unit]
            let order = try #require(coded.orderCount)
            let derived = ReferenceClosureTests.orderCount(of: order, bits: coded.orderBits, after: previous)
            #expect(derived == order, "unit \(unit)")
            if coded.isOrderAnchor { previous = derived }
        }
        // Packets beyond the targets' needs are anchors and their needs.
        let seeds = question.stream.seeds(question.targets, from: question.restart)
        let needed = try #require(question.stream.needs(of: seeds, from: question.start, through: question.end))
        #expect(needed.isSubset(of: fed))
        let anchors = fed.filter { question.stream.units[$0].isOrderAnchor }
        let whole = question.stream.needs(of: needed.union(anchors), from: question.start, through: question.end)
        #expect(fed == whole)
    }

    /// Without the anchors that are added for it, some decoder would be wrong: the test above tests something.
    @Test func anchorsAreNeeded() throws {
        var added = 0
        for seed in 0..<600 {
            var random = SplitMix(UInt64(seed) &+ 2000)
            let question = Question(.ordered, &random)
            let seeds = question.stream.seeds(question.targets, from: question.restart)
            let needed = question.stream.needs(of: seeds, from: question.start, through: question.end)
            if question.feeds.map({ question.units($0) }) != needed { added += 1 }
        }
        #expect(added > 50)
    }

    /// PicOrderCntVal of a picture of which the low bits are coded (ITU-T H.265 8.3.1).
    private static func orderCount(of order: Int, bits: Int, after previous: Int?) -> Int {
        let limit = 1 << bits
        let low = order & (limit - 1)
        guard let previous else { return low }
        let previousLow = previous & (limit - 1)
        let previousHigh = previous - previousLow
        if low < previousLow, previousLow - low >= limit / 2 { return previousHigh + limit + low }
        if low > previousLow, low - previousLow > limit / 2 { return previousHigh - limit + low }
        return previousHigh + low
    }

    @Test func aTargetBeforeTheRestartHasNoFeeds() {
        var random = SplitMix(1)
        let stream = RandomTable(.coarse, packetCount: 8, &random)
        let first = stream.table.firstPicture
        #expect(ReferenceClosure.feeds(for: [first + 2], from: first + 3, in: stream.table) == nil)
        #expect(ReferenceClosure.feeds(for: [], from: first, in: stream.table) == nil)
    }
}
