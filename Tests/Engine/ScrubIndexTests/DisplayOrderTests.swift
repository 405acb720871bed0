import ScrubFileIO
import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct DisplayOrderTests {
    /// The definition: every section by key, equal keys by decode order.
    private func plainSort(_ keys: [Int64], _ starts: [Int], _ isShown: (Int) -> Bool) -> [UInt32] {
        var result: [UInt32] = []
        for (begin, end) in zip([0] + starts, starts + [keys.count]) {
            let shown = (begin..<end).filter(isShown)
            result += shown.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { UInt32($0) }
        }
        return result
    }

    private func sections(_ count: Int, _ random: inout SplitMix) -> [Int] {
        guard count > 1 else { return [] }
        return Set((0..<Int.random(in: 0...4, using: &random)).map { _ in Int.random(in: 1..<count, using: &random) })
            .sorted()
    }

    @Test(arguments: [0, 1, 4, 16, 100, 10_000], 0..<10)
    func isAStableSortOfEachSection(displacement: Int, seed: Int) {
        var random = SplitMix(UInt64(seed * 31 + displacement))
        for count in [0, 1, 2, 3, 10, 100, 800] {
            let keys = (0..<count).map { Int64($0 + Int.random(in: 0...displacement, using: &random)) / 2 }
            let starts = sections(count, &random)
            let hidden = Set((0..<count).filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
            let isShown = { (picture: Int) in !hidden.contains(picture) }
            let found = DisplayOrder.sort(keys: keys, sectionStarts: starts, isShown: isShown)
            #expect(found == plainSort(keys, starts, isShown))
        }
    }

    /// Far too many moves for insertion: the budget runs out and a real sort takes over, once per section.
    @Test(arguments: [[], [1], [1500], [1, 1500, 2999]])
    func backwardsAndShuffledKeysSortToo(starts: [Int]) {
        var random = SplitMix(5)
        let backwards = (0..<3000).map { Int64(3000 - $0) / 3 }
        let shuffled = backwards.shuffled(using: &random)
        for keys in [backwards, shuffled, shuffled.map { $0 % 2 == 0 ? .min : .max }] {
            let found = DisplayOrder.sort(keys: keys, sectionStarts: starts, isShown: { $0 % 7 != 3 })
            #expect(found == plainSort(keys, starts) { $0 % 7 != 3 })
        }
    }

    @Test func aTailAfterTheBudgetRanOutIsSorted() {
        // Backwards until the budget is gone, then in order and below everything before.
        let keys = (0..<2000).map { Int64(-$0) } + (0..<50).map { Int64($0) - 100_000 }
        #expect(
            DisplayOrder.sort(keys: keys, sectionStarts: [], isShown: { _ in true })
                == plainSort(keys, []) { _ in true })
    }

    @Test func withoutShownPicturesTheOrderIsEmpty() {
        #expect(DisplayOrder.sort(keys: [], sectionStarts: [], isShown: { _ in true }) == [])
        #expect(DisplayOrder.sort(keys: [3, 2, 1], sectionStarts: [1], isShown: { _ in false }) == [])
    }

    @Test func sectionsNeverMix() {
        let order = DisplayOrder.sort(keys: [9, 8, 0, 1, -5], sectionStarts: [2, 4], isShown: { _ in true })
        #expect(order == [1, 0, 2, 3, 4])
    }
}
