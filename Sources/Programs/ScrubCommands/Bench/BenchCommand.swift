#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub

/// `scrub bench`: measures the time that frames take on this machine.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure how long opening, seeking, gestures and single steps take.",
        discussion: """
            Drags are played in real time, with 60 moves per second, over at most 120 frames around the middle of the \
            film: forward, backward, and back and forth. Each drag starts without previews. For local files, it is \
            played again after the previews of its frames have been made. The report counts the moves whose frame was \
            on screen within 16.7 ms. Previews on disk are neither read nor written.
            """)

    @Argument(
        help: ArgumentHelp("Videos: files, or http:// and https:// addresses.", valueName: "file"), completion: .file())
    var files: [MediaName]

    @Option(parsing: .unconditional, help: "The stream's index in each file, as in ffmpeg's -map 0:N.")
    var stream: Int?

    @Option(help: "The number of requests of each kind to measure.")
    var requests = 60

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    @Option(help: "The maximum memory for decoded pictures, in MiB. Default: the library's limit.")
    var cache: Int?

    @Option(help: "The maximum number of decoders that stay open. Default: the library's limit.")
    var decoders: Int?

    @Option(help: "Write a plot of every request to this file; its name must end with .html, .svg or .png.")
    var plot: String?

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try FileArguments.check(stream: stream)
        try OptionRange.check("--requests", requests, 1...100_000)
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--decoders", decoders, 1...1000)
        try OptionRange.check("--cache", cache, 0...OptionRange.mebibytes.upperBound)
    }

    func run() throws {
        var drawing: PlotFile?
        try reportingErrors(nil) { () throws(ScrubError) in
            drawing = try plot.map { (path) throws(ScrubError) in try PlotFile(path, others) }
        }
        var options = FrameReader.Options()
        options.threadCount = threads
        if let cache { options.cacheByteLimit = cache << 20 }
        if let decoders { options.decoderLimit = decoders }
        var all: [BenchMeasurement] = []
        let measured = Result {
            try forEachFile(files, json: json) { (file) throws(ScrubError) in
                let bar = ProgressBar("measuring")
                let found = try BenchMeasurement(
                    file: file, stream: stream, network: network, requests: requests, options: options,
                    progress: { bar.show($0) })
                Terminal.print(json ? found.json : found.table)
                all.append(found)
                return nil
            }
        }
        if let drawing, !all.isEmpty {
            try reportingErrors(drawing.path) { () throws(ScrubError) in
                let plot = BenchPlot(measurements: all)
                try drawing.write(svg: plot.svg, html: plot.html, title: "scrub bench")
            }
        }
        try measured.get()
    }
}
#endif
