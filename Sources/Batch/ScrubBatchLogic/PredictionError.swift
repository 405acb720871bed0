/// The errors of predictions: actual divided by predicted, so that 1 is right and 2 is twice as long.
package struct PredictionError: Hashable, Sendable {
    /// The number of files that were predicted and processed.
    package let count: Int
    /// Nine of ten files took more than this fraction of their prediction.
    package let tenth: Double
    /// Half of the files took more than this fraction.
    package let median: Double
    /// Nine of ten files took at most this fraction.
    package let ninetieth: Double
    /// The total cost of all files, divided by the total prediction.
    package let total: Double

    /// Compares predictions with the actual costs; `nil` if there are none above 0.
    package init?(_ pairs: some Sequence<(predicted: Double, actual: Double)>) {
        let pairs = pairs.filter {
            $0.predicted > 0 && $0.predicted.isFinite && $0.actual >= 0 && $0.actual.isFinite
        }
        let ratios = pairs.map { $0.actual / $0.predicted }.sorted()
        guard let tenth = Quantile.ofSorted(ratios, 0.1), let median = Quantile.ofSorted(ratios, 0.5),
            let ninetieth = Quantile.ofSorted(ratios, 0.9)
        else { return nil }
        (count, self.tenth, self.median, self.ninetieth) = (ratios.count, tenth, median, ninetieth)
        total = pairs.reduce(0) { $0 + $1.actual } / pairs.reduce(0) { $0 + $1.predicted }
    }
}

/// Quantiles: values below which a given fraction of all values is.
enum Quantile {
    /// - Parameter part: from 0 to 1. Between two values, the result is interpolated linearly.
    static func of(_ values: [Double], _ part: Double) -> Double? { ofSorted(values.sorted(), part) }

    static func ofSorted(_ values: [Double], _ part: Double) -> Double? {
        guard let last = values.last else { return nil }
        let place = part * Double(values.count - 1)
        let index = Int(place)
        guard index + 1 < values.count else { return last }
        return values[index] + (place - Double(index)) * (values[index + 1] - values[index])
    }
}
