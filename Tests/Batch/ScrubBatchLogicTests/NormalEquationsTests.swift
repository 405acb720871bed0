import ScrubTestSupport
import Testing

@testable import ScrubBatchLogic

struct NormalEquationsTests {
    /// The answer of all: the best of every choice of unknowns that may be above 0, by elimination.
    private static func best(_ matrix: [[Double]], _ right: [Double]) -> Double {
        let count = right.count
        var least = 0.0
        for choice in 0..<(1 << count) {
            let rows = (0..<count).filter { choice >> $0 & 1 == 1 }
            guard let values = solve(rows.map { row in rows.map { matrix[row][$0] } }, rows.map { right[$0] }),
                values.allSatisfy({ $0 >= 0 })
            else { continue }
            var solution = Array(repeating: 0.0, count: count)
            for (row, value) in zip(rows, values) { solution[row] = value }
            least = min(least, cost(matrix, right, solution))
        }
        return least
    }

    private static func cost(_ matrix: [[Double]], _ right: [Double], _ solution: [Double]) -> Double {
        solution.indices.reduce(0) { sum, row in
            let product = solution.indices.reduce(0) { $0 + matrix[row][$1] * solution[$1] }
            return sum + solution[row] * (product - 2 * right[row])
        }
    }

    private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
        var rows = zip(matrix, right).map { $0 + [$1] }
        for place in rows.indices {
            guard let pivot = rows.indices[place...].max(by: { abs(rows[$0][place]) < abs(rows[$1][place]) }),
                abs(rows[pivot][place]) > 1e-300
            else { return nil }
            rows.swapAt(place, pivot)
            for other in rows.indices where other != place {
                let factor = rows[other][place] / rows[place][place]
                for column in place...rows.count { rows[other][column] -= factor * rows[place][column] }
            }
        }
        return rows.indices.map { rows[$0][rows.count] / rows[$0][$0] }
    }

    @Test(arguments: 0..<40) func isTheBestOfAllChoices(seed: UInt64) {
        var random = SplitMix(seed)
        let count = Int.random(in: 1...7, using: &random)
        var system = NormalEquations(count: count, priorWeight: 0.5)
        var matrix = (0..<count).map { row in (0..<count).map { $0 == row ? 0.5 : 0.0 } }
        var right = Array(repeating: 0.5, count: count)
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let factors = (0..<count).map { _ in Double.random(in: 0...2, using: &random) }
            let target = Double.random(in: -4...6, using: &random)
            let weight = Double.random(in: 0...10, using: &random)
            system.add(factors.enumerated().map { ($0, $1) }, target: target, weight: weight)
            for row in 0..<count {
                for column in 0..<count { matrix[row][column] += weight * factors[row] * factors[column] }
                right[row] += weight * factors[row] * target
            }
        }
        let solution = system.nonNegativeSolution()
        #expect(solution.allSatisfy { $0 >= 0 }, "seed \(seed)")
        let (found, best) = (
            NormalEquationsTests.cost(matrix, right, solution), NormalEquationsTests.best(matrix, right)
        )
        #expect(found <= best + 1e-9 * max(1, abs(best)), "seed \(seed): \(found), not \(best)")
    }
}
