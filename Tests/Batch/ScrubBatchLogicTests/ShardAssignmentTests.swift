import ScrubBatchLogic
import ScrubTestSupport
import Testing

struct ShardAssignmentTests {
    /// Files as libraries have them: a few long ones, many short ones.
    private static func items(_ count: Int, _ random: inout SplitMix) -> [(key: String, cost: Double)] {
        (0..<count).map { number in
            let size = Double(1 << UInt64.random(in: 0...8, using: &random))
            return ("\(random.next())-\(number)", size * Double.random(in: 0.1...1, using: &random))
        }
    }

    @Test(arguments: [1, 3, 16, 1000])
    func everyFileHasOneShard(count: Int) {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        let items = ShardAssignmentTests.items(5000, &random)
        let shards = ShardAssignment.balanced(items, count: count)
        #expect(shards.count == items.count && shards.allSatisfy { (0..<count).contains($0) }, "seed \(seed)")
        let hashed = items.map { ShardAssignment.shard(ofKey: $0.key, count: count) }
        #expect(hashed.allSatisfy { (0..<count).contains($0) }, "seed \(seed)")
    }

    @Test(arguments: [3, 16, 1000])
    func sharesAreAlike(count: Int) {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        var items = ShardAssignmentTests.items(20 * count, &random)
        // No file is larger than the mean of the shards.
        let mean = items.reduce(0) { $0 + $1.cost } / Double(count)
        for place in items.indices { items[place].cost = min(items[place].cost, mean) }
        var loads = Array(repeating: 0.0, count: count)
        for (shard, item) in zip(ShardAssignment.balanced(items, count: count), items) { loads[shard] += item.cost }
        let average = loads.reduce(0, +) / Double(count)
        #expect((loads.max() ?? 0) < 1.1 * average, "seed \(seed)")
        #expect((loads.min() ?? 0) > 0.9 * average, "seed \(seed)")
    }

    @Test(arguments: [3, 16, 1000])
    func orderDoesNotMatter(count: Int) {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        // Equal costs too, which the keys decide.
        let items = ShardAssignmentTests.items(3000, &random).enumerated().map {
            (key: $1.key, cost: $0 % 3 == 0 ? 1 : $1.cost)
        }
        func byKey(_ items: [(key: String, cost: Double)]) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: zip(items.map(\.key), ShardAssignment.balanced(items, count: count)))
        }
        #expect(byKey(items) == byKey(items.shuffled(using: &random)), "seed \(seed)")
        #expect(byKey(items) == byKey(items.reversed()), "seed \(seed)")
    }

    /// Two spellings of a letter are two keys, though Swift holds the texts for equal.
    @Test func keysAreBytes() {
        let items = [(key: "\u{E9}", cost: 1.0), (key: "e\u{301}", cost: 1.0), (key: "z", cost: 1.0)]
        #expect(ShardAssignment.balanced(items, count: 3) == [2, 0, 1])
        #expect(ShardAssignment.balanced(items.reversed(), count: 3) == [1, 0, 2])
    }

    /// Longest first, ties to the lowest number: worked out by hand.
    @Test func longestFirst() {
        let items = [(key: "a", cost: 7.0), ("b", 6), ("c", 5), ("d", 4), ("e", 3), ("f", 3)]
        #expect(ShardAssignment.balanced(items, count: 2) == [0, 1, 1, 0, 0, 1])
        #expect(ShardAssignment.balanced([], count: 3).isEmpty)
    }

    /// Invalid costs: files are divided by number, and nothing traps.
    @Test(arguments: [0, -1, .nan, .infinity, -Double.infinity, .leastNonzeroMagnitude])
    func oddCosts(cost: Double) {
        let items = (0..<160).map { (key: "\($0)", cost: cost) }
        var counts = Array(repeating: 0, count: 16)
        for shard in ShardAssignment.balanced(items, count: 16) { counts[shard] += 1 }
        #expect(counts.allSatisfy { $0 == 10 })
    }

    @Test func hugeCosts() {
        let items = (0..<40).map { (key: "\($0)", cost: Double.greatestFiniteMagnitude) }
        #expect(Set(ShardAssignment.balanced(items, count: 20)).count == 20)
    }

    /// With one shard more, files move to the new one or stay.
    @Test(arguments: [1, 3, 16, 999])
    func oneShardMore(count: Int) {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        var moved = 0
        for _ in 0..<20_000 {
            let key = String(random.next(), radix: 16)
            let (before, after) = (
                ShardAssignment.shard(ofKey: key, count: count), ShardAssignment.shard(ofKey: key, count: count + 1)
            )
            #expect(after == before || after == count, "seed \(seed)")
            if after != before { moved += 1 }
        }
        // A twentieth of them, or whatever the share is, within six standard deviations.
        let share = 20_000 / Double(count + 1)
        #expect(abs(Double(moved) - share) < 6 * share.squareRoot() + 1, "seed \(seed): \(moved), not \(share)")
    }

    /// Keys that differ in one byte only, as numbered files do.
    @Test(arguments: [3, 16, 100])
    func hashesAreEven(count: Int) {
        var counts = Array(repeating: 0, count: count)
        for number in 0..<20_000 { counts[ShardAssignment.shard(ofKey: "films/\(number).mkv", count: count)] += 1 }
        let mean = 20_000 / Double(count)
        #expect(counts.allSatisfy { abs(Double($0) - mean) < 6 * mean.squareRoot() })
    }

    /// Machines of other releases must come to the same: these never change.
    @Test func knownShards() {
        let shards = ["", "a", "films/1.mkv", "ü", String(repeating: "f", count: 32)].map {
            ShardAssignment.shard(ofKey: $0, count: 1000)
        }
        #expect(shards == [978, 572, 831, 952, 206])
    }
}
