import ScrubBatchLogic
import ScrubTestSupport
import Testing

struct ForecastTests {
    private static func files(_ costs: [Double], bytes: Double = 0) -> [Forecast.File] {
        costs.enumerated().map {
            Forecast.File(key: "\($0)", cost: $1, overhead: 0.25, readBytes: bytes, writtenBytes: 10)
        }
    }

    @Test func processors() {
        let forecast = Forecast(ForecastTests.files(Array(repeating: 2, count: 100)), on: .init(count: 5, cores: 4))
        #expect(forecast.processorSeconds == 200 && forecast.seconds == 10 && forecast.bound == .processors)
        #expect(forecast.imbalance == 1 && forecast.overheadShare == 0.125 && forecast.writtenBytes == 1000)
        #expect(forecast.range == 10...10 && forecast.files == 100 && forecast.longestFile == 0.5)
    }

    @Test func theOthers() {
        var machines = Forecast.Machines(count: 10, cores: 4)
        machines.coresOfOneFile = 1
        let long = Forecast(ForecastTests.files([100] + Array(repeating: 1, count: 100)), on: machines)
        #expect(long.bound == .longestFile && long.seconds == 100)
        machines.readRate = 50
        let reading = Forecast(ForecastTests.files(Array(repeating: 1, count: 100), bytes: 1000), on: machines)
        #expect(reading.bound == .reading && reading.seconds == 2000)
        machines.machineReadRate = 1
        let links = Forecast(ForecastTests.files(Array(repeating: 1, count: 100), bytes: 1000), on: machines)
        #expect(links.bound == .reading && links.seconds == 10_000)
        // 10 machines with 2 files each in work: a million seconds of waiting and one of computing for each of 100.
        machines.waitSeconds = 1e6
        machines.filesAtOnce = 2
        let waiting = Forecast(ForecastTests.files(Array(repeating: 1, count: 100), bytes: 1000), on: machines)
        #expect(waiting.bound == .waiting && waiting.seconds == 5_000_005)
    }

    /// More files in work than cores hide their waiting.
    @Test func filesAtOnce() throws {
        let files = ForecastTests.files(Array(repeating: 1, count: 80))
        var machines = Forecast.Machines(count: 1, cores: 4)
        machines.waitSeconds = 1
        #expect(Forecast(files, on: machines).seconds == 40)
        machines.filesAtOnce = 8
        #expect(Forecast(files, on: machines).seconds == 20)
        machines.filesAtOnce = 80
        #expect(Forecast(files, on: machines).bound == .processors)
        machines.filesAtOnce = 4
        let error = try #require(PredictionError((0...10).map { (predicted: 1.0, actual: 0.5 + Double($0) / 10) }))
        #expect(Forecast(files, on: machines, error: error).range == 20 + 20 * error.tenth...20 + 20 * error.ninetieth)
    }

    @Test func range() throws {
        let error = try #require(PredictionError((0...10).map { (predicted: 2.0, actual: 1 + Double($0) / 5) }))
        let forecast = Forecast(ForecastTests.files(Array(repeating: 2, count: 100)), on: .init(), error: error)
        #expect(forecast.range == 200 * error.tenth...200 * error.ninetieth && forecast.seconds == 200)
        var machines = Forecast.Machines()
        machines.readRate = 100
        // Storage is as slow as it is, whatever processors take.
        let slow = Forecast(
            ForecastTests.files(Array(repeating: 2, count: 100), bytes: 1000), on: machines, error: error)
        #expect(slow.range == 1000...1000 && slow.bound == .reading)
        // The prediction is within its own range.
        let late = try #require(PredictionError((1...9).map { (predicted: 1, actual: 1 + Double($0)) }))
        let wide = Forecast(ForecastTests.files(Array(repeating: 2, count: 100)), on: .init(), error: late).range
        #expect(late.tenth > 1 && wide == 200...200 * late.ninetieth)
    }

    /// Cores have nothing to do while the last files end; how many is known from the files alone.
    @Test(
        arguments: [
            ([4, 1, 1], 2, 4.0), ([1, 1, 1], 2, 1.5), ([8], 4, 2), ([0.5, 0.5, 0.5, 0.5, 3], 2, 3.0),
            ([1, 1, 1, 1, 1, 1], 4, 1.5), ([], 3, 0),
        ] as [([Double], Int, Double)])
    func theEndOfARun(_ costs: [Double], _ cores: Int, _ seconds: Double) {
        let forecast = Forecast(ForecastTests.files(costs), on: .init(cores: cores))
        #expect(forecast.seconds == seconds)
        #expect(forecast.processors == costs.reduce(0, +) / Double(cores) && forecast.seconds >= forecast.processors)
    }

    /// Never less than all cores at work, never more than that and the longest file.
    @Test func anyFilesOnAnyCores() {
        var random = SplitMix(20)
        for _ in 0..<300 {
            let cores = Int.random(in: 1...9, using: &random)
            let costs = (0..<Int.random(in: 1...40, using: &random)).map { (_) in
                Double.random(in: 0...3, using: &random)
            }
            let forecast = Forecast(ForecastTests.files(costs), on: .init(cores: cores))
            #expect(forecast.seconds >= forecast.processors * (1 - 1e-9))
            #expect(forecast.seconds <= forecast.processors + (costs.max() ?? 0), "\(costs) on \(cores)")
        }
    }

    /// More shards than machines: each machine that is free takes the next one.
    @Test func shards() {
        var machines = Forecast.Machines(count: 3, cores: 1)
        machines.shards = 12
        let forecast = Forecast(ForecastTests.files(Array(repeating: 1, count: 120)), on: machines)
        #expect(forecast.seconds == 40 && forecast.imbalance == 1)
        machines.shards = 4
        #expect(Forecast(ForecastTests.files(Array(repeating: 1, count: 120)), on: machines).seconds == 60)
        machines.shards = 1
        #expect(Forecast(ForecastTests.files(Array(repeating: 1, count: 120)), on: machines).seconds == 40)
    }

    @Test func anEmptyForecast() {
        let forecast = Forecast([], on: .init(count: 0, cores: -1))
        #expect(
            forecast.seconds == 0 && forecast.imbalance == 1 && forecast.overheadShare == 0 && forecast.range == 0...0)
        let odd = Forecast([Forecast.File(key: "", cost: .nan), Forecast.File(key: "a", cost: -1)], on: .init())
        #expect(odd.seconds == 0 && odd.files == 2)
        var machines = Forecast.Machines()
        machines.readRate = 0
        #expect(Forecast(ForecastTests.files([1], bytes: 1), on: machines).seconds == .infinity)
    }
}
