extension CostModel {
    /// Creates the model that explains the costs of files.
    ///
    /// Errors are relative to a file's own cost. A thousand small files therefore weigh as much as a thousand large
    /// ones, and sums are right. The solution is the quasi-likelihood for a spread proportional to the mean, by
    /// repeated non-negative least squares with weights of 1 / predicted². (Weights of 1 / actual² would predict too
    /// little: a file that took less time than others of its kind would count more.) A file that took more than four
    /// times its prediction counts less, the more it took.
    ///
    /// Costs that the samples do not distinguish are taken from `prior`. It is first scaled to this machine by the
    /// median of actual divided by predicted, and counts as much as `priorWeight` samples for each coefficient. Without
    /// samples, the prior is the answer.
    ///
    /// - Parameters:
    ///   - samples: files that were completely processed; files whose time is not positive and finite are omitted.
    /// - Complexity: about 5 µs and memory for six numbers for each sample.
    package init(
        fitting samples: [CostSample], prior: CostModel = .measured, priorWeight: Double = 2
    ) {
        let samples = samples.filter { $0.seconds > 0 && $0.seconds.isFinite && prior.predict($0.features) > 0 }
        let ratios = samples.map { $0.seconds / prior.predict($0.features) }
        guard let middle = Quantile.of(ratios, 0.5) else {
            self = prior
            return
        }
        var start = prior.scaled(by: middle)
        // A codec that the prior does not have begins as one of the others.
        for codec in Set(samples.map(\.features.codec)) where start.decoding[codec] == nil {
            start.decoding[codec] = start.decoding[CostModel.otherCodec]
        }
        let codecs = start.decoding.keys.sorted()
        let column = Dictionary(uniqueKeysWithValues: codecs.enumerated().map { ($1, 2 * $0) })
        // Unknowns are relative to their initial values: all about 1, whatever their units.
        let rows = samples.map { sample in
            let terms = zip(CostModel.amounts(sample.features), start.coefficients(for: sample.features.codec))
            let own = column[sample.features.codec] ?? 0
            return terms.enumerated().map {
                (place: $0 < 2 ? own + $0 : 2 * codecs.count + $0 - 2, factor: $1.0 * $1.1)
            }
        }
        var factors = Array(repeating: 1.0, count: 2 * codecs.count + 4)
        for _ in 0..<12 {
            var system = NormalEquations(count: factors.count, priorWeight: max(priorWeight, 1e-6))
            for (row, sample) in zip(rows, samples) {
                let predicted = max(row.reduce(0) { $0 + factors[$1.place] * $1.factor }, 1e-9)
                let excess = sample.seconds / predicted
                let weight = (excess > 4 ? 4 / excess : 1) / (predicted * predicted)
                system.add(row, target: sample.seconds, weight: weight)
            }
            factors = system.nonNegativeSolution()
        }
        for codec in codecs {
            let (place, own) = (column[codec] ?? 0, start.decoding[codec] ?? Decoding(pixel: 0, byte: 0))
            start.decoding[codec] = Decoding(pixel: own.pixel * factors[place], byte: own.byte * factors[place + 1])
        }
        let common = Array(factors[(2 * codecs.count)...])
        self.init(
            decoding: start.decoding, shownPixel: start.shownPixel * common[0], file: start.file * common[1],
            outputPixel: start.outputPixel * common[2], indexByte: start.indexByte * common[3])
    }
}
