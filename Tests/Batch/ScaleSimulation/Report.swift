import ScrubBatchLogic
import Foundation

/// The tables of docs/scale.md.
struct Report {
    let count: Int
    let seed: UInt64
    let bytes: Double
    /// Thumbnails from key frames where one is near, indexes made again: the first run over a catalogue.
    let first: CacheDatabase
    let exact: CacheDatabase
    let indexed: CacheDatabase

    init(count: Int, seed: UInt64, bytes: Double) {
        (self.count, self.seed, self.bytes) = (count, seed, bytes)
        first = CacheDatabase(count: count, bytes: bytes, seed: seed)
        exact = CacheDatabase(count: count, bytes: bytes, isExact: true, seed: seed)
        indexed = CacheDatabase(count: count, bytes: bytes, isIndexed: true, seed: seed)
    }

    var sections: [(String, () throws -> Void)] {
        [
            ("catalogue", catalogue), ("machines", machines), ("forecast", forecast), ("shards", shards),
            ("trouble", trouble),
            ("start", start),
            ("state", state), ("arrivals", arrivals),
        ]
    }

    private func row(_ cells: [String]) { print("| " + cells.joined(separator: " | ") + " |") }
    private func head(_ cells: [String]) {
        row(cells)
        row(cells.map { _ in "---" })
    }
    private func number(_ value: Double, _ places: Int = 1) -> String { String(format: "%.\(places)f", value) }
    private func percent(_ value: Double) -> String { number(100 * value, 0) + " %" }
    /// Seconds as people say them.
    private func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: number(seconds, seconds < 10 ? 1 : 0) + " s"
        case ..<7200: number(seconds / 60, 0) + " min"
        case ..<172_800: number(seconds / 3600) + " h"
        default: number(seconds / 86_400) + " days"
        }
    }

    private func catalogue() {
        head([
            "kind", "files", "mean length", "mean size", "read of it", "processor seconds", "round trips",
            "of all bytes read",
        ])
        let whole = first.readBytes
        for kind in Film.Kind.allCases {
            let films = first.films.filter { $0.kind == kind }
            let files = Double(max(1, films.count))
            func mean(_ value: (Film) -> Double) -> Double { films.reduce(0) { $0 + value($1) } / files }
            row([
                kind.rawValue, "\(films.count)", time(mean(\.seconds)), number(mean(\.byteCount) / 1e6, 0) + " MB",
                number(mean(\.readBytes) / 1e6) + " MB", number(mean(\.predicted)), number(mean(\.trips), 0),
                percent(mean(\.readBytes) * files / whole),
            ])
        }
        print("")
        head(["run", "bytes read", "processor hours", "pictures", "results"])
        for (name, run) in [("first", first), ("exact frames", exact), ("indexes saved", indexed)] {
            let pictures = run.films.reduce(0) { $0 + $1.pictures }
            let results = pictures * Costs.resultBytes.picture + Double(count) * Costs.resultBytes.film
            row([
                name, number(run.readBytes / 1e12) + " TB", number(run.predicted / 3600, 0),
                number(pictures / 1e6, 0) + " million",
                number(results / 1e12, 2) + " TB",
            ])
        }
    }

    private func machines() {
        head([
            "run", "machines", "storage", "answer", "time", "busiest", "cores", "storage", "links",
            "half of the machines idle after",
        ])
        for (name, catalogue) in [("first", first), ("exact frames", exact), ("indexes saved", indexed)] {
            for storage in [1e9, 1e10, 1e11] {
                for machines in [1, 10, 100, 1000] {
                    for latency in [0.001, 0.005] where latency == 0.001 || (storage == 1e10 && name == "first") {
                        var cluster = Cluster(machines: machines)
                        (cluster.storage, cluster.latency, cluster.shards) = (storage, latency, 4 * machines)
                        let outcome = cluster.run(catalogue.films)
                        row([
                            name, "\(machines)", number(storage / 1e9, 0) + " GB/s", number(latency * 1000, 0) + " ms",
                            time(outcome.seconds), outcome.bound, percent(outcome.coreUse), percent(outcome.storageUse),
                            percent(outcome.linkUse), percent(outcome.halfIdle / outcome.seconds),
                        ])
                    }
                }
            }
        }
    }

    /// Prints the forecast of `scrub batch plan`, beside the simulation's result.
    private func forecast() {
        head(["run", "machines", "storage", "forecast", "of", "simulated", "simulated / forecast"])
        for (name, catalogue) in [("first", first), ("exact frames", exact), ("indexes saved", indexed)] {
            let trips = catalogue.films.reduce(0) { $0 + $1.trips } / Double(max(1, count))
            let files = catalogue.films.enumerated().map {
                Forecast.File(key: "\($0).mkv", cost: $1.predicted, readBytes: $1.readBytes)
            }
            for (count, storage) in [(1, 1e9), (10, 1e9), (10, 1e10), (100, 1e10), (100, 1e11)] {
                var machines = Forecast.Machines(count: count, cores: 16)
                (machines.shards, machines.readRate, machines.machineReadRate) = (4 * count, storage, 1.25e9)
                machines.waitSeconds = trips * 0.001
                let said = Forecast(files, on: machines)
                var cluster = Cluster(machines: count)
                (cluster.storage, cluster.shards) = (storage, 4 * count)
                let outcome = cluster.run(catalogue.films)
                row([
                    name, "\(count)", number(storage / 1e9, 0) + " GB/s", time(said.seconds), said.bound.rawValue,
                    time(outcome.seconds), number(outcome.seconds / said.seconds, 2),
                ])
            }
        }
    }

    private func shards() {
        head(["files", "machines", "shards", "divided by", "order in a shard", "time", "of all cores", "of the best"])
        for (films, machines) in [(indexed.films, 16), (indexed.films, 100), (Array(indexed.films.prefix(10_000)), 16)]
        {
            var rows: [(cells: [String], outcome: Cluster.Outcome)] = []
            for (factor, isBalanced, longestFirst) in [
                (1, true, true), (1, true, false), (1, false, true), (1, false, false), (4, true, true),
                (4, false, true),
                (10, true, true), (10, false, true),
            ] {
                var cluster = Cluster(machines: machines)
                (cluster.storage, cluster.shards) = (1e11, factor * machines)
                (cluster.isBalanced, cluster.longestFirst) = (isBalanced, longestFirst)
                rows.append(
                    (
                        [
                            "\(films.count)", "\(machines)", "\(cluster.shards)", isBalanced ? "cost" : "hash",
                            longestFirst ? "longest first" : "as listed",
                        ], cluster.run(films)
                    ))
            }
            let best = rows.map(\.outcome.seconds).min() ?? 1
            for (cells, outcome) in rows {
                row(cells + [time(outcome.seconds), percent(outcome.coreUse), number(outcome.seconds / best, 2)])
            }
        }
    }

    private func trouble() {
        head(["100 machines", "shards", "time", "more than without", "processor seconds lost"])
        for factor in [1, 4, 10] {
            var cluster = Cluster(machines: 100)
            (cluster.storage, cluster.shards) = (1e11, 100 * factor)
            let calm = cluster.run(indexed.films)
            row(["no trouble", "\(cluster.shards)", time(calm.seconds), "", ""])
            for part in [0.5, 0.95] {
                cluster.death = part * calm.seconds
                let outcome = cluster.run(indexed.films)
                row([
                    "one dies after \(percent(part))", "\(cluster.shards)", time(outcome.seconds),
                    percent(outcome.seconds / calm.seconds - 1), number(outcome.wasted, 0),
                ])
            }
            cluster.death = nil
            cluster.speedOfFirst = 1.0 / 3
            let slow = cluster.run(indexed.films)
            row([
                "one has a third of the speed", "\(cluster.shards)", time(slow.seconds),
                percent(slow.seconds / calm.seconds - 1), "",
            ])
        }
    }

    private func start() throws {
        let clock = ContinuousClock()
        let lines = first.films.enumerated().map { number, film in
            BatchManifest.Entry(
                file: "films/\(number % 997)/A film of \(1920 + number % 100)/A film of that year, part \(number).mkv",
                key: "00112233445566778899aabbccddeeff", cost: film.predicted, byteCount: Int64(film.byteCount)
            ).text + "\n"
        }
        let bytes = Array(lines.joined().utf8)
        let plain = Array(
            first.films.indices.map { "films/\($0 % 997)/A film of that year, part \($0).mkv\n" }.joined().utf8)
        head(["what", "time"])
        var start = clock.now
        let manifest = try BatchManifest(bytes)
        row([
            "reading a list of \(count) objects (\(number(Double(bytes.count) / 1e6, 0)) MB)",
            time(seconds(clock.now - start)),
        ])
        start = clock.now
        _ = try BatchManifest(plain)
        row([
            "reading a list of \(count) paths (\(number(Double(plain.count) / 1e6, 0)) MB)",
            time(seconds(clock.now - start)),
        ])
        for shards in [16, 1000, 10_000] {
            start = clock.now
            _ = manifest.shards(count: shards)
            row(["dividing them into \(shards) shards by cost", time(seconds(clock.now - start))])
        }
        start = clock.now
        let sum = manifest.entries.reduce(0) { $0 + ShardAssignment.shard(ofKey: $1.place, count: 1000) }
        row(["dividing them into 1000 shards by hash (mean \(sum / max(1, count)))", time(seconds(clock.now - start))])
        start = clock.now
        let samples = first.films.prefix(100_000).map { film in
            CostSample(
                CostFeatures(
                    codec: film.codec, fedPixels: film.pictures * 2e6, fedBytes: film.readBytes,
                    shownPixels: film.pictures * 1e6,
                    indexBytes: film.byteCount / 100,
                    outputPixels: film.pictures * 57_600), seconds: film.actual)
        }
        _ = CostModel(fitting: samples)
        row(["fitting the model to \(samples.count) files", time(seconds(clock.now - start))])
        start = clock.now
        let files = first.films.enumerated().map {
            Forecast.File(key: "\($0)", cost: $1.predicted, readBytes: $1.readBytes)
        }
        var machines = Forecast.Machines(count: 100, cores: 16)
        machines.readRate = 1e10
        let forecast = Forecast(files, on: machines)
        row([
            "a forecast for 100 machines (\(time(forecast.seconds)), \(forecast.bound.rawValue))",
            time(seconds(clock.now - start)),
        ])
        for machines in [1, 16, 100, 1000] {
            // Each walks alone: a question for each folder and each file. The storage gives 200,000 answers a second to
            // all.
            let questions = Double(count) * 1.05
            let walk = max(questions * 0.001 / 16, questions * Double(machines) / 200_000)
            row(["walking \(count) files on each of \(machines) machines, 1 ms an answer, 16 at once", time(walk)])
            // To divide by keys of contents, each reads all of them: opening, three reads and more, 192 KiB.
            let bytes = Costs.keyBytes * Double(count) * Double(machines)
            let key = max(8 * questions * 0.001 / 16, 8 * questions * Double(machines) / 200_000, bytes / 1e10)
            row(["the same and each file's key of contents, 10 GB/s", time(key)])
        }
    }

    private func state() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "scale-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try StateTable(path: folder.appendingPathComponent("state.sqlite").path).run(files: count)
        head(["a state of \(count) files", ""])
        row(["size", number(Double(outcome.byteCount) / 1e6, 0) + " MB"])
        row(["filling it, 100 files in a transaction", time(outcome.filling)])
        row(["reading all of it and comparing", time(outcome.reading)])
        row(["looking up one file", number(outcome.looking * 1e6, 0) + " µs"])
    }

    private func arrivals() {
        head(["machines (16 cores)", "files a day", "cores used", "median wait", "99 %", "longest"])
        for (machines, files) in [(1, 10_000), (1, 100_000), (2, 100_000), (4, 100_000), (8, 100_000), (16, 1_000_000)]
        {
            let outcome = Arrivals(filesOfDay: files, machines: machines).run(first.films, seed: seed)
            row([
                "\(machines)", "\(files)", percent(outcome.use), time(outcome.median), time(outcome.ninetyNinth),
                time(outcome.worst),
            ])
        }
    }
}
