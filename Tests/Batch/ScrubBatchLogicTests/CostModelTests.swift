import ScrubBatchLogic
import ScrubTestSupport
import Testing

struct CostModelTests {
    private static let truth = CostModel(
        decoding: [
            "h264": .init(pixel: 5e-9, byte: 2e-8), "hevc": .init(pixel: 9e-9, byte: 1e-7),
            "other": .init(pixel: 6e-9, byte: 5e-8),
        ], shownPixel: 3e-9, file: 0.03, outputPixel: 1e-7, indexByte: 2e-9)

    private static func features(_ random: inout SplitMix, codecs: [String] = ["h264", "hevc"]) -> CostFeatures {
        func size(_ least: Double, _ octaves: Int) -> Double {
            least * Double(1 << Int.random(in: 0...octaves, using: &random)) * Double.random(in: 1...2, using: &random)
        }
        let codec = codecs[Int.random(in: codecs.indices, using: &random)]
        let bytes = size(10_000, 12)
        return CostFeatures(
            codec: codec, fedPixels: size(1e6, 12), fedBytes: bytes, shownPixels: size(1e6, 8),
            indexBytes: random.isOne(in: 3) ? 0 : size(1000, 10), outputPixels: size(1e5, 8))
    }

    /// A factor that is 1 in the middle and as often above as below.
    private static func spread(_ width: Double, _ random: inout SplitMix) -> Double {
        let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        return CostModelTests.power(1 + width, sum)
    }

    /// base^exponent without a C library.
    private static func power(_ base: Double, _ exponent: Double) -> Double {
        var (result, factor, rest) = (1.0, base, exponent.magnitude)
        for _ in 0..<60 {
            while rest >= 1 { (result, rest) = (result * factor, rest - 1) }
            (factor, rest) = (factor.squareRoot(), rest * 2)
        }
        return exponent < 0 ? 1 / result : result
    }

    @Test func withoutSamplesItIsThePrior() {
        #expect(CostModel(fitting: []) == .measured)
        var random = SplitMix(1)
        let bad = [0, -1, .nan, .infinity].map { CostSample(CostModelTests.features(&random), seconds: $0) }
        #expect(CostModel(fitting: bad) == .measured)
    }

    /// Samples without noise: their values are found.
    @Test func exactSamples() {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        let samples = (0..<400).map { _ in
            let features = CostModelTests.features(&random)
            return CostSample(features, seconds: CostModelTests.truth.predict(features))
        }
        let model = CostModel(fitting: samples, priorWeight: 1e-4)
        for sample in samples {
            #expect(abs(model.predict(sample.features) / sample.seconds - 1) < 0.01, "seed \(seed)")
        }
        #expect(abs((model.decoding["hevc"]?.pixel ?? 0) / 9e-9 - 1) < 0.05, "seed \(seed): \(model)")
    }

    /// Times that spread by a third, with a few that are far off: totals are right, and so are most files.
    @Test(arguments: 1...8) func noisySamples(number: UInt64) throws {
        var random = SplitMix(number)
        func sample() -> CostSample {
            let features = CostModelTests.features(&random)
            var seconds = CostModelTests.truth.predict(features) * CostModelTests.spread(0.3, &random)
            if random.isOne(in: 100) { seconds *= 50 }
            return CostSample(features, seconds: seconds)
        }
        let model = CostModel(fitting: (0..<600).map { _ in sample() })
        let news = (0..<600).map { _ in CostModelTests.features(&random) }
        let error = try #require(
            PredictionError(news.map { (predicted: model.predict($0), actual: CostModelTests.truth.predict($0)) }),
            "seed \(number)")
        #expect((0.8...1.1).contains(error.total) && (0.8...1.1).contains(error.median), "seed \(number): \(error)")
        #expect(error.tenth > 0.7 && error.ninetieth < 1.3, "seed \(number): \(error)")
    }

    /// One file shows the speed of the machine; values that it does not tell apart stay as they were believed.
    @Test(arguments: [0.1, 1, 7]) func oneSample(factor: Double) {
        var random = SplitMix(3)
        let features = CostModelTests.features(&random, codecs: ["h264"])
        let model = CostModel(fitting: [CostSample(features, seconds: CostModel.measured.predict(features) * factor)])
        for codec in ["h264", "av1", "unheard"] {
            var other = CostModelTests.features(&random)
            other.codec = codec
            #expect(abs(model.predict(other) / (CostModel.measured.predict(other) * factor) - 1) < 1e-6)
        }
    }

    /// An unknown codec gets its own cost.
    @Test func newCodec() {
        var random = SplitMix(4)
        let samples = (0..<100).map { _ in
            let features = CostModelTests.features(&random, codecs: ["cinepak"])
            return CostSample(features, seconds: CostModel.measured.predict(features) + 1e-8 * features.fedPixels)
        }
        let model = CostModel(fitting: samples)
        #expect((model.decoding["cinepak"]?.pixel ?? 0) > 3 * (CostModel.measured.decoding["other"]?.pixel ?? 0))
    }

    @Test func nothingIsNegative() {
        for seed: UInt64 in 0..<30 {
            var random = SplitMix(seed)
            let samples = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                CostSample(CostModelTests.features(&random), seconds: Double.random(in: 1e-6...100, using: &random))
            }
            let model = CostModel(fitting: samples)
            let numbers =
                model.decoding.values.flatMap { [$0.pixel, $0.byte] }
                + [model.shownPixel, model.file, model.outputPixel, model.indexByte]
            #expect(numbers.allSatisfy { $0 >= 0 && $0.isFinite }, "seed \(seed): \(model)")
        }
    }

    @Test func oddFeatures() {
        let odd = CostFeatures(
            codec: "", fedPixels: .nan, fedBytes: -1, shownPixels: .infinity, indexBytes: .infinity, outputPixels: -.nan
        )
        #expect(CostModel.measured.predict(odd) == CostModel.measured.file)
        #expect(CostModel.measured.overheadShare(odd) == 1)
        #expect(CostModel(decoding: [:], shownPixel: 0, file: 0, outputPixel: 0, indexByte: 0).overheadShare(odd) == 0)
    }
}

struct PredictionErrorTests {
    @Test func quantiles() throws {
        let pairs = (0...10).map { (predicted: 2.0, actual: Double($0)) }
        let error = try #require(PredictionError(pairs))
        #expect(error.count == 11 && error.tenth == 0.5 && error.median == 2.5 && error.ninetieth == 4.5)
        #expect(error.total == 2.5)
    }

    @Test func nothingToCompare() {
        let none: [(predicted: Double, actual: Double)] = []
        let useless: [(predicted: Double, actual: Double)] = [(0, 1), (-1, 1), (.nan, 1), (1, .infinity), (1, -1)]
        let one: [(predicted: Double, actual: Double)] = [(2, 3)]
        #expect(PredictionError(none) == nil && PredictionError(useless) == nil)
        #expect(PredictionError(one)?.ninetieth == 1.5)
    }
}
