import ScrubBase
import Testing

@Suite struct PartitioningTests {
    /// Ascending values, one looked for, and how many are before the first that is not below it, and not above it.
    static let searches: [([Int], Int, Int, Int)] = [
        ([], 3, 0, 0), ([5], 4, 0, 0), ([5], 5, 0, 1), ([5], 6, 1, 1), ([2, 4], 1, 0, 0), ([2, 4], 2, 0, 1),
        ([2, 4], 3, 1, 1), ([2, 4], 4, 1, 2), ([2, 4], 5, 2, 2), ([2, 4, 4, 4, 9], 4, 1, 4), ([7, 7, 7], 7, 0, 3),
        ([7, 7, 7], 6, 0, 0), ([7, 7, 7], 8, 3, 3), ([.min, 0, .max], .max, 2, 3), ([.min, 0, .max], .min, 0, 1),
    ]

    @Test(arguments: searches)
    func findsWhereTheSecondPartBegins(_ values: [Int], _ value: Int, _ notBelow: Int, _ above: Int) {
        #expect(values.partitioningIndex { $0 >= value } == notBelow)
        #expect(values.partitioningIndex { $0 > value } == above)
    }

    @Test(arguments: 0...40) func everySeamOfEveryLengthIsFound(_ count: Int) {
        for seam in 0...count {
            var calls = 0
            let found = (0..<count).partitioningIndex {
                calls += 1
                return $0 >= seam
            }
            #expect(found == seam)
            #expect(calls <= Int.bitWidth - count.leadingZeroBitCount, "\(calls) calls for \(count)")
        }
    }

    /// A slice's places are those of its base.
    @Test func slicesKeepTheirIndices() {
        let values = [9, 1, 3, 5, 7, 0]
        #expect(values[1..<5].partitioningIndex { $0 >= 4 } == 3)
        #expect(values[1..<5].partitioningIndex { $0 >= 8 } == 5)
        #expect(values[1..<5].partitioningIndex { $0 >= 0 } == 1)
    }
}
