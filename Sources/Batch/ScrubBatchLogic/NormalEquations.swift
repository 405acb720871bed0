/// Least squares over many samples for a few unknowns that cannot be negative and are about 1 unless the samples show
/// otherwise.
///
/// Memory: the square of the number of unknowns, however many samples there are.
struct NormalEquations {
    private let count: Int
    private var matrix: [[Double]]
    private var right: [Double]

    /// - Parameter priorWeight: how many samples of weight 1 the assumption counts for that an unknown is 1. It is
    ///   above 0, so that there is always a unique answer.
    init(count: Int, priorWeight: Double) {
        self.count = count
        matrix = (0..<count).map { row in (0..<count).map { $0 == row ? priorWeight : 0 } }
        right = Array(repeating: priorWeight, count: count)
    }

    /// Adds a sample: the sum of `terms` (each an unknown's number and its factor) should be `target`.
    mutating func add(_ terms: [(place: Int, factor: Double)], target: Double, weight: Double) {
        for (row, left) in terms where left != 0 {
            for (place, factor) in terms { matrix[row][place] += weight * left * factor }
            right[row] += weight * left * target
        }
    }

    /// Returns the non-negative unknowns with the least weighted squared error (Lawson and Hanson,
    /// "Solving Least Squares Problems", 1974, algorithm NNLS).
    func nonNegativeSolution() -> [Double] {
        var solution = Array(repeating: 0.0, count: count)
        var isFree = Array(repeating: false, count: count)
        // Each round frees the unknown that gains most. In exact arithmetic, none is freed twice; rounding must not
        // make the loop endless.
        for _ in 0..<(10 * count) {
            let gains = (0..<count).map { row in
                right[row] - (0..<count).reduce(0) { $0 + matrix[row][$1] * solution[$1] }
            }
            let bound = (0..<count).filter { !isFree[$0] && gains[$0] > 1e-12 * abs(right[$0]) }
            guard let best = bound.max(by: { gains[$0] < gains[$1] }) else { break }
            isFree[best] = true
            while true {
                let free = (0..<count).filter { isFree[$0] }
                guard !free.isEmpty else { break }
                let candidate = solve(free)
                // As far towards the candidate as possible without any value becoming negative.
                var step = 1.0
                for (place, row) in free.enumerated() where candidate[place] <= 0 {
                    step = min(step, solution[row] / max(solution[row] - candidate[place], .leastNormalMagnitude))
                }
                for (place, row) in free.enumerated() { solution[row] += step * (candidate[place] - solution[row]) }
                if step >= 1 { break }
                for (place, row) in free.enumerated() where candidate[place] <= 0 && solution[row] <= 1e-14 {
                    solution[row] = 0
                    isFree[row] = false
                }
            }
        }
        return solution
    }

    /// Returns the solution for some unknowns while all others are 0, by Cholesky's decomposition: the prior makes it
    /// positive definite.
    private func solve(_ rows: [Int]) -> [Double] {
        var lower = rows.map { row in rows.map { matrix[row][$0] } }
        var values = rows.map { right[$0] }
        for row in rows.indices {
            for column in 0...row {
                let sum = (0..<column).reduce(lower[row][column]) { $0 - lower[row][$1] * lower[column][$1] }
                lower[row][column] =
                    row == column ? max(sum, .leastNormalMagnitude).squareRoot() : sum / lower[column][column]
            }
            values[row] = (0..<row).reduce(values[row]) { $0 - lower[row][$1] * values[$1] } / lower[row][row]
        }
        for row in rows.indices.reversed() {
            let sum = (row + 1..<rows.count).reduce(values[row]) { $0 - lower[$1][row] * values[$1] }
            values[row] = sum / lower[row][row]
        }
        return values
    }
}
