#if CommandLine
internal import ArgumentParser
internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// `scrub batch`: the run itself.
struct BatchRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Make the missing results (the word 'run' is optional).")

    @Argument(
        help: ArgumentHelp("Folders, films, or lists of films.", valueName: "root|manifest"), completion: .file())
    var sources: [String]

    @OptionGroup var place: BatchFolderArguments
    @OptionGroup var what: BatchWorkArguments
    @OptionGroup var servers: BatchServerArguments
    @OptionGroup var store: BatchStoreArguments

    @Option(
        help:
            "Process only shard I of N (a part of the films), such as 1/4. If only N is given, the scheduler (Slurm, Kubernetes, AWS Batch or Cloud Run) provides I. Default: the scheduler's shard, or all films if there is no scheduler."
    )
    var shard: String?

    @Option(help: "The number of processors to use. Default: all processors that are available to the process.")
    var jobs: Int?

    @Option(
        help:
            "The maximum memory for decoding all films, in MiB. Default: half of the machine's or container's memory."
    )
    var memory: Int?

    @Flag(help: "Read existing results and regenerate those whose bytes have changed.")
    var check = false

    @Flag(
        help:
            "Open the films and report which ones would be processed and which ones cannot be, without making any results."
    )
    var dryRun = false

    @Flag(help: "Exit with code 65 if any film failed. Default: exit with an error only if the run could not continue.")
    var strict = false

    @Option(help: "Append one line of JSON per film to this file.")
    var log: String?

    @Option(help: "Write the run's progress to this file every few seconds, in Prometheus text format.")
    var metrics: String?

    @Flag(help: "Print one JSON object for each film, and a final summary.")
    var json = false

    @OptionGroup var watching: BatchWatchArguments
    @OptionGroup var cache: CacheArguments
    @OptionGroup var limits: LimitArguments

    func validate() throws {
        try what.check(cache)
        try OptionRange.check("--jobs", jobs, OptionRange.threads)
        try OptionRange.check("--memory", memory, OptionRange.mebibytes)
        if watching.deleteGone, servers.areUsed || place.to.map(ObjectStoreOptions.isName) == true {
            throw ValidationError(
                "--delete-gone works only on results in a folder (--to DIR): remove results next to films, in Plex or in an object store yourself"
            )
        }
        if servers.replace, !servers.areUsed {
            throw ValidationError(
                "--replace applies only to other programs' pictures: use it with --beside or --plex-media")
        }
        if watching.watch, dryRun {
            throw ValidationError("--dry-run and --watch cannot be combined: omit one of them")
        }
    }

    func run() throws {
        try limits.begin()
        var failed = 0
        var signal: Int32 = 0
        try reportingErrors(nil) { () throws(ScrubError) in
            let summary = try batch(&signal)
            failed = (summary.counts[.failed] ?? 0) + summary.problems.count
        }
        // A scheduler that took the machine away will provide one later: EX_TEMPFAIL of sysexits.h.
        if signal != 0 { throw ExitCode(75) }
        if strict, failed > 0 { throw ExitCode(65) }
    }

    private func batch(_ signal: inout Int32) throws(ScrubError) -> BatchSummary {
        var options = BatchOptions(
            folder: try servers.folder(place.to, sources, what), memory: memory.map { $0 << 20 } ?? BatchMachine.memory)
        options.servers = try servers.places(what)
        options.objects = try store.store(place.to, servers, what)
        if let objects = options.objects { options.folder = objects.folder }
        options.statePath = place.state
        options.coreCount = jobs ?? BatchMachine.coreCount
        options.costs = MachineCosts.standardPath.map { MachineCosts(path: $0) }
        (options.opening.cache, options.opening.limits) = (cache.choice, limits.choice)
        options.checksResults = check
        let part = try BatchSources.shard(shard)
        let found = try BatchSources(try watching.names(sources), part).found
        try BatchSources.check(found, apartFrom: options.folder)
        if let part { options.isOwn = { ShardAssignment.shard(ofKey: $0, count: part.count) == part.index } }
        let work = try servers.work(what)
        if dryRun { return try tellPlan(options, work, found) }
        let words = "--to \(place.to ?? options.folder)" + (place.state.map { " --state \($0)" } ?? "")
        let teller = try BatchReporter(json: json, log: log, metrics: metrics, place: words)
        let port = try watching.metricsPort.map { (port) throws(ScrubError) in
            try MetricsPort(host: watching.metricsHost ?? "127.0.0.1", port: port) { teller.metricsText }
        }
        defer { port?.end() }
        if let port { Terminal.say("serving metrics at \(port.url)") }
        let ending = BatchEnding(inHand: { [inHand = options.inHand] in inHand.withLock { $0 } })
        let summary: BatchSummary
        do throws(ScrubError) {
            if watching.watch {
                summary = try follow(options, work, found, teller, ending)
            } else {
                let run = try BatchRun(options, work)
                summary = try run.run(
                    found, stopsAdmitting: { ending.isRequested }, cancellation: ending.cancellation,
                    report: { teller.tell($0) }, progress: { teller.progress($0) })
                try removeGone(run, found, teller, ending)
            }
        } catch {
            teller.fail()
            throw error
        }
        teller.end(summary)
        servers.say(summary.counts[.done] ?? 0)
        if ending.isRequested, watching.watch || Interrupt.signal == SIGTERM {
            // The end of a watch is not a failure, unless work remains.
            if !watching.watch || summary.left > 0 { signal = SIGTERM }
            Interrupt.forget()
        }
        return summary
    }
}
#endif
