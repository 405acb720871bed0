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
            A scene begins at a cut or in the middle of a dissolve. A cut to black, white, a single color or noise \
            also begins a scene, unlike with the --scenes option of other commands. Times and frame numbers start at \
            0. A scene ends where the next one begins.
            """)

    /// The formats of the list.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case csv, json
    }

    @OptionGroup var input: FileArguments

    @Option(
        help:
            "The minimum change between two pictures that counts as a cut, from 0.01 to 1. 0.06 is an average difference of 15 out of 255. Lower values find more cuts, but mistake some motion for cuts."
    )
    var threshold = VideoScene.Options().threshold

    @Option(help: "The minimum duration of a scene in seconds; shorter scenes are merged with their neighbors.")
    var minScene = "1"

    @Option(help: "List at most this many scenes; the shortest ones are merged with their neighbors.")
    var count: Int?

    @Option(
        help:
            "Where scenes begin: at the exact frame (exact), or at a key picture (keyframe; only key pictures are decoded)."
    )
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
        if form != nil, json { throw ValidationError("--as and --json each select an output format: omit one of them") }
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--count", count, 1...100_000)
        guard (0.01...1).contains(threshold) else {
            throw ValidationError("--threshold \(threshold) is out of range: use 0.01 to 1")
        }
    }

    func run() throws {
        try reportingErrors(input.said) { () throws(ScrubError) in
            var options = VideoScene.Options()
            (options.threshold, options.includesBlank, options.maximumSceneCount) = (threshold, true, count)
            options.minimumDuration = try ThumbnailArguments.seconds(minScene, "--min-scene")
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
