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
        try OptionRange.check("--requests", requests, 1...100_000)
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--decoders", decoders, 1...1000)
        try OptionRange.check("--cache", cache, 0...OptionRange.mebibytes.upperBound)
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
            try AtomicFile.write(Array(BenchPlot(measurements: all).html.utf8), to: plot, makesFolders: true)
        }
    }
}
