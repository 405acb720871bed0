#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubReports
internal import ScrubFileIO

extension FrameMapFormat: ExpressibleByArgument {}

/// `scrub frames`: every presented frame, for people and programs.
struct FramesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "List the presented frames in display order.",
        discussion: """
            With --as, the list is in another program's format, and does not contain the column 'needs', which is \
            slow to compute. For torchcodec and cvat, only frames from which the other program decodes every frame \
            correctly are listed as key frames. Films that it would decode incorrectly in any case are rejected.
            """)

    @OptionGroup var input: FileArguments
    @OptionGroup var following: FollowArguments

    @Flag(help: "Print one JSON object for each frame.")
    var json = false

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Write the list for another program: torchcodec (custom_frame_mappings), cvat (manifest.jsonl), csv, json or timecodes.",
            valueName: "format"))
    var format: FrameMapFormat?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("With --as, the file to write the list to. Default: standard output.", valueName: "path"),
        completion: .file())
    var output: String?

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        if output != nil, format == nil {
            throw ValidationError("--output needs --as: add --as csv or another format, or omit --output")
        }
        if format != nil, json || following.follow {
            throw ValidationError("--as cannot be combined with --json or --follow: omit one of them")
        }
    }

    func run() throws {
        try forEachFile([input.medium], json: json) { (_) throws(ScrubError) in
            if following.follow {
                try follow()
                return nil
            }
            let file = try output.flatMap { (path) throws(ScrubError) in
                try path == "-" ? nil : OutputFile(path, .frameList, replacesFiles: others.replace)
            }
            let asset = try input.open(network)
            if let format {
                if let file {
                    try format.write(asset, to: file)
                } else {
                    try format.pieces(of: asset) { (piece) throws(ScrubError) in
                        try Terminal.write(Array(piece.utf8))
                    }
                }
                return nil
            }
            var reader = FrameReader(asset)
            if !json { Terminal.print("frame\tpts\tseconds\tduration\tkeyframe\tneeds") }
            for frame in asset.frames {
                let needs = reader.decodeCost(ofFrame: frame.number)
                Terminal.print(json ? jsonText(frame, needs) : text(frame, needs))
            }
            try asset.checkReads()
            return nil
        }
    }

    /// Lists frames as they arrive. Each is held back until the next one determines its duration.
    private func follow() throws(ScrubError) {
        let recording = try following.open(
            input.medium, stream: input.stream, cache: input.cache, limits: network.mediaLimits)
        if !json { Terminal.print("frame\tpts\tseconds\tduration\tkeyframe\tneeds") }
        var next = 0
        try following.follow(recording) { (step) throws(ScrubError) in
            guard let step, let asset = step.asset else { return true }
            if step.isRevised { next = 0 }
            var reader = FrameReader(asset)
            let end = asset.frames.count - (step.isFinished ? 0 : 1)
            while next < end {
                let needs = reader.decodeCost(ofFrame: next)
                Terminal.print(json ? jsonText(asset.frames[next], needs) : text(asset.frames[next], needs))
                next += 1
            }
            try Terminal.flush()
            return true
        }
        if let asset = recording.asset { sayWarnings(of: asset) }
    }

    private func jsonText(_ frame: PresentedFrame, _ needs: Int) -> String {
        var line = JSONText()
        line.add("frame", frame.number)
        line.add("pts", frame.presentationTime)
        line.add("seconds", decimal: frame.secondsText)
        line.add("duration", frame.durationSeconds)
        line.add("keyframe", frame.isKeyframe)
        line.add("needs", needs)
        return line.text
    }

    private func text(_ frame: PresentedFrame, _ needs: Int) -> String {
        let key = frame.isKeyframe ? "key" : "-"
        return
            "\(frame.number)\t\(frame.presentationTime)\t\(frame.secondsText)\t\(frame.durationSeconds)\t\(key)\t\(needs)"
    }
}
#endif
