import ScrubFileIO
import ScrubIndex
import ScrubTestSupport
import Testing

private let none = CodedPictures.noTime

@Suite struct TimelineTests {
    @Test(arguments: 0..<10)
    func goodTimesStayAsTheyAre(seed: Int) {
        var random = SplitMix(UInt64(seed))
        let times = (0..<200).map { _ in max(.min + 1, random.ofAnySize()) }.sorted()
        #expect(Timeline.repaired(times, step: 40, splice: 1000) == nil)
        #expect(Timeline.repaired([], step: 40, splice: 1000) == nil)
        #expect(Timeline.repaired([7, 7, 7], step: 40, splice: 1000) == nil)
    }

    @Test(
        arguments: [
            // Missing ones follow their predecessor, or go before their successor.
            ([0, none, 80], [0, 40, 80]), ([none, none, 80], [0, 40, 80]), ([none], [0]), ([none, none], [0, 40]),
            ([100, none, none], [100, 140, 180]), ([none, 0], [-40, 0]), ([0, none, 30], [0, 40, 40]),
            // A small step back is held.
            ([0, 40, 30, 80], [0, 40, 40, 80]), ([0, 40, 30, 20, 35, 50], [0, 40, 40, 40, 40, 50]),
            // A large one is a splice: everything after it follows on.
            ([5000, 5040, 0, 40, 80], [5000, 5040, 5080, 5120, 5160]),
            ([5000, 0, 40, none, 120], [5000, 5040, 5080, 5120, 5160]),
            ([1000, 0], [1000, 1040]), ([999, 0], [999, 999]),
            // Two splices.
            ([5000, 0, 40, 9000, 0, 40], [5000, 5040, 5080, 14_040, 14_080, 14_120]),
        ] as [([Int64], [Int64])])
    func repairs(times: [Int64], expected: [Int64]) {
        #expect(Timeline.repaired(times, step: 40, splice: 1000) == expected)
    }

    @Test(arguments: 0..<40)
    func neverRunsBackwardsAndNeverTraps(seed: Int) {
        var random = SplitMix(UInt64(seed))
        for _ in 0..<100 {
            let extremes: [Int64] = [none, .min + 1, .max, 0, -1, 1, .max - 1]
            let times = (0..<20).map { _ in
                Bool.random(using: &random) ? random.ofAnySize() : extremes.randomElement(using: &random) ?? 0
            }
            let step = max(1, random.ofAnySize())
            let splice = max(1, random.ofAnySize())
            guard let result = Timeline.repaired(times, step: step, splice: splice) else {
                #expect(times == times.sorted() && !times.contains(none))
                continue
            }
            #expect(result.count == times.count)
            #expect(result == result.sorted())
            #expect(!result.contains(none))
            #expect(Timeline.commonStep(times, fallback: step) >= 1)
        }
    }

    /// Times that were good before the first bad one are never changed.
    @Test(arguments: 0..<20)
    func timesBeforeTheFaultStay(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let good = (0..<50).map { _ in Int64.random(in: -10_000...10_000, using: &random) }.sorted()
        for bad in [none, good[49] - 1, good[49] - 50_000] {
            let tail = (0..<20).map { _ in Int64.random(in: -90_000...90_000, using: &random) }
            let result = try #require(Timeline.repaired(good + [bad] + tail, step: 40, splice: 1000))
            #expect(Array(result[..<50]) == good)
            #expect(result[50] == (bad == good[49] - 1 ? good[49] : good[49] + 40))
        }
    }

    /// One step before the first time lies below the smallest integer here.
    @Test func aStartAtTheLowestTimeStays() throws {
        let low = Int64.min
        let times = [low + 5, low + 100, low + 90]
        let expected = [low + 5, low + 100, low + 100]
        let result = try #require(Timeline.repaired(times, step: 40, splice: 1000))
        #expect(result == expected)
    }

    /// There may be less room below the first known time than the missing ones would take.
    @Test func missingTimesAtTheStartShareTheLowestRoom() {
        let low = Int64.min
        let times = [none, none, none, low + 50, low + 100]
        let expected = [low + 1, low + 41, low + 50, low + 50, low + 100]
        #expect(Timeline.repaired(times, step: 40, splice: 1000) == expected)
        #expect(Timeline.repaired([none, none, 0], step: .max, splice: 1000) == [low + 1, 0, 0])
    }

    @Test(
        arguments: [
            ([0, 40, 80, 120], 40), ([0, 40, 81, 121, 161], 40), ([], 7), ([5], 7), ([5, 5, 5], 7), ([80, 40, 0], 7),
            // Ties go to the smaller distance.
            ([0, 40, 90], 40), ([0, 50, 90], 40), ([none, 0, none, 40, none], 7), ([0, none, 40, 50], 10),
            ([.min + 1, .max], .max),
        ] as [([Int64], Int64)])
    func theCommonStep(times: [Int64], expected: Int64) {
        #expect(Timeline.commonStep(times, fallback: 7) == expected)
    }

    @Test func theCommonStepIsAtLeastOne() {
        #expect(Timeline.commonStep([], fallback: 0) == 1)
        #expect(Timeline.commonStep([3, 3], fallback: -5) == 1)
    }
}
