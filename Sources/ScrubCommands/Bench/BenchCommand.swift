internal import ArgumentParser
internal import FileIO
internal import Scrub

/// `scrub bench`: how long frames take on this machine.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure how long opening, seeking, gestures and single steps take.")

    @Argument(help: "Video files.", completion: .file())
    var files: [String]

    @Option(help: "Requests of each kind.")
    var requests = 60

    @Option(help: "Decoding threads; without it as many as there are processors.")
    var threads: Int?

    @Option(help: "MiB of decoded pictures that are kept.")
    var cache: Int?

    @Option(help: "Decoders that stay open.")
    var decoders: Int?

    @Option(help: "Write a page with plots here; .html.")
    var plot: String?

    @Flag(help: "One JSON object for each file.")
    var json = false

    func validate() throws {
        for (name, value) in [("--requests", requests), ("--threads", threads ?? 1), ("--decoders", decoders ?? 1)]
        where value < 1 || value > 100_000 { throw ValidationError("\(name) \(value): from 1 to 100000") }
        if let cache, cache < 0 || cache > 1 << 20 { throw ValidationError("--cache \(cache): from 0 to 1048576") }
        if let plot, !plot.lowercased().hasSuffix(".html") {
            throw ValidationError("--plot \(plot): end it with .html")
        }
    }

    func run() throws {
        var options = ReaderOptions()
        options.threadCount = threads
        if let cache { options.cacheByteLimit = cache << 20 }
        if let decoders { options.decoderLimit = decoders }
        var all: [BenchMeasurement] = []
        for file in files {
            try reportingErrors(file) { () throws(ScrubError) in
                let bar = ProgressBar("measuring")
                let found = try BenchMeasurement(
                    file: file, requests: requests, options: options, progress: { bar.show($0) })
                Terminal.print(json ? found.json : found.table)
                all.append(found)
            }
        }
        guard let plot else { return }
        try reportingErrors(plot) { () throws(ScrubError) in
            try AtomicFile.write(Array(BenchPlot(measurements: all).html.utf8), to: plot)
        }
    }
}
