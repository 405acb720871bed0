#if CommandLine
internal import ArgumentParser
internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// `scrub batch plan`: estimates the time that a library will take.
struct BatchPlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Predict the time and cost of processing a library on a number of machines.",
        discussion: """
            Opens every film that has to be processed, and creates or reads its index. No film is decoded. Each film's \
            cost is predicted from films that this machine has processed or, if there are none, from measurements \
            on another machine. Eight of ten earlier predictions were within the range that is printed.
            """)

    @Argument(
        help: ArgumentHelp("Folders, films, or lists of films.", valueName: "root|manifest"), completion: .file())
    var sources: [String]

    @OptionGroup var place: BatchFolderArguments
    @OptionGroup var what: BatchWorkArguments
    @OptionGroup var servers: BatchServerArguments
    @OptionGroup var store: BatchStoreArguments

    @Option(help: "The number of machines that share the work.")
    var machines = 1

    @Option(help: "The number of processors in each machine. Default: the number in this machine.")
    var cores: Int?

    @Option(
        help:
            "The total rate, in MB per second, at which all machines together can read from the storage. Default: no limit."
    )
    var readRate: Double?

    @Option(
        help:
            "Write a list of the films and their costs to this file. scrub batch accepts the list, and can divide it into shards of about equal cost."
    )
    var manifest: String?

    @Flag(help: "Include films that are already done.")
    var all = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var cache: CacheArguments
    @OptionGroup var limits: LimitArguments

    func validate() throws {
        try what.check(cache)
        try OptionRange.check("--machines", machines, 1...1_000_000)
        try OptionRange.check("--cores", cores, 1...65_536)
        try OptionRange.check("--read-rate", seconds: readRate, 0.001...1e9)
    }

    func run() throws {
        try limits.begin()
        try reportingErrors(nil) { () throws(ScrubError) in
            let list = try manifest.map { (path) throws(ScrubError) in
                try OutputFile(path, .filmList, replacesFiles: servers.replace)
            }
            var options = BatchOptions(folder: try servers.folder(place.to, sources, what), memory: BatchMachine.memory)
            options.servers = try servers.places(what)
            options.objects = try store.store(place.to, servers, what)
            if let objects = options.objects { options.folder = objects.folder }
            options.statePath = place.state
            options.coreCount = BatchMachine.coreCount
            options.costs = MachineCosts.standardPath.map { MachineCosts(path: $0) }
            (options.opening.cache, options.opening.limits) = (cache.choice, limits.choice)
            let bar = WorkBar("planning")
            // A list that includes finished films is the same on every machine, whatever its state.
            let report = try BatchPlanner(options, try servers.work(what)).plan(
                try BatchSources(sources).found, onlyMissing: !all && manifest == nil
            ) { bar.show($0, of: $1) }
            bar.end()
            if let list { try write(report, list) }
            tell(report)
        }
    }

    private static func word(_ bound: Forecast.Bound) -> String {
        switch bound {
        case .processors: "processors"
        case .longestFile: "the longest film"
        case .reading: "reading"
        case .waiting: "waiting for storage"
        }
    }

    private func write(_ report: BatchPlanner.Report, _ list: OutputFile) throws(ScrubError) {
        var lines = report.films.map { film in
            BatchManifest.Entry(
                file: Folder.absolute(film.file.path), key: film.key, cost: film.cost,
                byteCount: film.file.facts.byteCount, place: film.file.place
            ).text
        }
        // Failed files also belong to a shard: the reason is in its records.
        lines += report.failures.map { failure in
            BatchManifest.Entry(
                file: Folder.absolute(failure.file.path), cost: 0.01, byteCount: failure.file.facts.byteCount,
                place: failure.file.place
            ).text
        }
        try list.makeFolders()
        try AtomicFile.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: list)
    }

    private func tell(_ report: BatchPlanner.Report) {
        var machine = Forecast.Machines(count: machines, cores: cores ?? BatchMachine.coreCount)
        machine.readRate = readRate.map { $0 * 1e6 }
        let forecast = Forecast(
            report.films.map { film in
                Forecast.File(
                    key: film.file.place, cost: film.cost, readBytes: film.features.fedBytes + film.features.indexBytes,
                    writtenBytes: film.byteCount)
            }, on: machine, error: report.error)
        if json {
            var line = JSONText()
            line.add("files", forecast.files)
            line.add("kept", report.count(.kept))
            line.add("failures", report.failures.count)
            line.add("skipped", report.count(.skipped))
            line.add("passedOver", report.passedOver)
            line.add("machines", machines)
            line.add("cores", machine.cores)
            line.add("seconds", forecast.seconds)
            line.add("leastSeconds", forecast.range.lowerBound)
            line.add("mostSeconds", forecast.range.upperBound)
            line.add("bound", forecast.bound.rawValue)
            line.add("cpuSeconds", forecast.processorSeconds)
            line.add("bytesRead", forecast.readBytes)
            line.add("bytesWritten", forecast.writtenBytes)
            if let error = report.error {
                var object = JSONText()
                object.add("films", error.count)
                object.add("median", error.median)
                object.add("tenth", error.tenth)
                object.add("ninetieth", error.ninetieth)
                object.add("total", error.total)
                line.add("earlierPredictions", .object(object))
            }
            return Terminal.print(line.text)
        }
        Terminal.print(
            "\(Amount.of(forecast.files, "film"))\(all || manifest != nil ? " in total, including finished ones" : " to be done"); \(Amount.of(machines, "machine")) with \(Amount.of(machine.cores, "processor")) each: \(Clock.left(forecast.seconds)) (\(Clock.left(forecast.range.lowerBound)) to \(Clock.left(forecast.range.upperBound))), limited by \(BatchPlanCommand.word(forecast.bound))"
        )
        Terminal.print(
            "processor time \(Clock.rounded(forecast.processorSeconds / 3600, 3)) hours, \(Amount.size(Int64(forecast.readBytes))) read, about \(Amount.size(Int64(forecast.writtenBytes))) written"
        )
        if let error = report.error {
            Terminal.print(
                "\(Amount.of(error.count, "film")) with earlier predictions took \(Clock.rounded(error.total, 2)) times the predicted total; eight of ten films took \(Clock.rounded(error.tenth, 2)) to \(Clock.rounded(error.ninetieth, 2)) times their predicted time"
            )
        } else {
            Terminal.print(
                "this machine has no earlier predictions, so these figures are based on measurements on another machine"
            )
        }
        for failure in report.failures { Terminal.complain("\(failure.file.path): \(failure.reason ?? "")") }
        if !report.failures.isEmpty {
            Terminal.print("\(Amount.of(report.failures.count, "film")) cannot be processed: see the errors above")
        }
    }
}
#endif
