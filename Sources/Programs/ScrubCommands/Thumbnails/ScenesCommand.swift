#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubThumbnails
internal import ScrubReports
internal import ScrubBase

/// `scrub scenes`: lists where scenes begin and end, for people and programs.
struct ScenesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenes", abstract: "List the scenes of a film.",
        discussion: """
            A scene begins at a cut, or in the middle of a dissolve. Unlike with --scenes of other commands, a cut to \
            black, to white, to one color or to noise also begins a scene. Times and frames are counted from 0; a \
            scene ends where the next one begins.
            """)

    /// The formats of the list.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case csv, json
    }

    @OptionGroup var input: FileArguments

    @Option(
        help:
            "How much of the picture changes at a cut, from 0.01 to 1. Lower values find more cuts, also in motion. 0.06 is 15 of 255 on average."
    )
    var threshold = VideoScene.Options().threshold

    @Option(help: "The shortest scene in seconds; shorter ones are joined to their neighbors.")
    var minScene = "1"

    @Option(help: "List at most this many scenes: the shortest are joined to their neighbors.")
    var count: Int?

    @Option(
        help: "Find the exact frame (exact), or the next key picture (keyframe), which decodes only key pictures.")
    var tolerance = Tolerance.exact

    /// How precisely scene starts are found.
    enum Tolerance: String, ExpressibleByArgument, CaseIterable {
        case exact, keyframe
    }

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Print the list as csv, or as json (one array).", valueName: "format"))
    var form: Form?

    @Flag(help: "Print one JSON object for each scene.")
    var json = false

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        if form != nil, json { throw ValidationError("--as and --json are two output formats: omit one of them") }
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--count", count, 1...100_000)
        guard (0.01...1).contains(threshold) else {
            throw ValidationError("--threshold \(threshold) is out of range: use 0.01 to 1")
        }
    }

    func run() throws {
        try reportingErrors(input.said) { () throws(ScrubError) in
            var options = VideoScene.Options()
            (options.threshold, options.includesBlank, options.limit) = (threshold, true, count)
            options.minimumLength = try ThumbnailArguments.seconds(minScene, "--min-scene")
            (options.isExact, options.threadCount) = (tolerance == .exact, threads)
            let asset = try input.open(network)
            let bar = WorkBar("scenes")
            let report = try asset.sceneReport(options: options) { bar.show($0) }
            bar.end()
            let rows = SceneRow.rows(report.scenes, of: asset)
            switch form {
            case .csv:
                Terminal.print(SceneRow.csvHead)
                for row in rows { Terminal.print(row.csv) }
            case .json:
                Terminal.print("[\n" + rows.map(\.json.text).joined(separator: ",\n") + "\n]")
            case nil where json:
                for row in rows { Terminal.print(row.json.text) }
            case nil:
                Terminal.print("scene\tstart\tend\tframes\tstrength")
                for row in rows { Terminal.print(row.text) }
                Terminal.say(
                    "\(Amount.of(rows.count, "scene")), \(Amount.of(report.decodedPictureCount, "picture")) decoded")
            }
        }
    }
}
#endif
