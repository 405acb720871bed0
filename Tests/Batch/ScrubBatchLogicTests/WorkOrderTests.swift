import ScrubTestSupport
import Testing

@testable import ScrubBatchLogic

@Suite struct WorkOrderTests {
    @Test(
        arguments: [
            // Large is more than an eighth of all on two cores; a quarter of all may come last.
            ([1, 9, 1, 1], 2, [1], [], [0, 2, 3]),
            ([], 4, [], [], []),
            ([5], 4, [0], [], []),
            // 20 of the rest's 2 on one core: two of the smallest keep it busy for 4.
            (Array(repeating: 2, count: 20), 1, [], Array(0..<18), [18, 19]),
            ([2, 1, 2, 3, 2, 3, 1, 2, 2, 3], 1, [], [0, 2, 3, 4, 5, 9], [7, 8, 1, 6]),
        ] as [([Double], Int, [Int], [Int], [Int])])
    func cases(_ weights: [Double], _ cores: Int, _ first: [Int], _ middle: [Int], _ last: [Int]) {
        let order = WorkOrder(weights, cores: cores)
        #expect(order.first == first && order.middle == middle && order.last == last, "\(order)")
    }

    /// Each file once, the first and the last from long to short, the last none longer than any other, and no more than
    /// a quarter and one.
    @Test func anyFiles() {
        var random = SplitMix(21)
        for _ in 0..<300 {
            let weights = (0..<Int.random(in: 0...60, using: &random)).map { (_) in
                Double(Int.random(in: 0...20, using: &random))
            }
            let order = WorkOrder(weights, cores: Int.random(in: 1...9, using: &random))
            #expect((order.first + order.middle + order.last).sorted() == Array(weights.indices))
            for part in [order.first, order.last] {
                #expect(part.map { weights[$0] } == part.map { weights[$0] }.sorted(by: >))
            }
            #expect(order.middle == order.middle.sorted())
            let longest = order.last.map { weights[$0] }.max() ?? 0
            #expect((order.first + order.middle).allSatisfy { weights[$0] >= longest })
            #expect(order.last.dropFirst().reduce(0) { $0 + weights[$1] } <= weights.reduce(0, +) / 4)
        }
    }
}
