#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub

/// `scrub gesture`: plays a finger's movement in real time and reports how the pictures followed.
struct GestureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gesture",
        abstract: "Play a drag in real time, and report how well the pictures kept up with it.",
        discussion: """
            A script is JSON: {"width": 1000, "begin": "0.40", "playing": true, "events": [{"ms": 0, "phase": \
            "began"}, {"ms": 16, "phase": "changed", "dx": 3, "dy": 0}, {"ms": 900, "phase": "ended"}]}; dx and dy \
            are measured from the point where the gesture began. --made plays a synthetic gesture instead.
            """)

    @OptionGroup var input: FileArguments

    @Option(help: "The file that contains a recorded gesture; '-' is standard input.")
    var script: String?

    @Option(help: "Play a synthetic gesture: drag, back, turning, flick, jitter, jump or rest.")
    var made: MadeGesture?

    @Option(help: "Where a synthetic gesture begins, as a fraction of the film from 0 to 1.")
    var begin = "0.4"

    @Option(help: "How far a synthetic gesture moves, in points; the whole film is 1000 points.")
    var distance = 60

    @Option(help: "The duration of a synthetic gesture in seconds, at 60 moves per second.")
    var seconds = 2.0

    @Option(help: "The maximum memory for pictures, in MiB.")
    var budget = 256

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    @Option(help: "The number of small key pictures from the whole film to keep for jumps; 0 means none.")
    var keyPictures = ScrubSession.Options().keyPictureCount

    @Option(
        help: """
            The longer side of the previews that are made before the drag reaches their frames, in pixels; 0 means \
            none. Default: 640, or 480 for long films.
            """)
    var previewSide: Int?

    @Flag(help: "Keep the previews on disk for later runs.")
    var previews = false

    @Flag(help: "Before the gesture starts, wait until the previews around the first frame have been made.")
    var warm = false

    @Flag(help: "Slow down as the gesture moves above or below the point where it began, as on phones.")
    var fine = false

    @Flag(help: "Print one JSON object for each picture before the summary.")
    var events = false

    @Option(name: [.short, .long], help: "Write the displayed pictures to this folder as PNG files.")
    var output: String?

    @Option(
        help:
            "Write a plot of the requested and displayed frames over time to this file; its name must end with .svg, .html or .png."
    )
    var plot: String?

    @Flag(help: "Print the summary as one JSON object.")
    var json = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        if (script == nil) == (made == nil) {
            throw ValidationError("specify exactly one gesture: use either --script or --made")
        }
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--key-pictures", keyPictures, 0...10_000)
        if previewSide != 0 { try OptionRange.check("--preview-side", previewSide, OptionRange.side) }
        if warm || previews, previewSide == 0 {
            let name = warm ? "--warm" : "--previews"
            throw ValidationError("\(name) needs previews, which --preview-side 0 disables: omit one of them")
        }
        try OptionRange.check("--budget", budget, OptionRange.mebibytes)
        // The range of generated gestures.
        try OptionRange.check("--distance", distance, -1_000_000...1_000_000)
        try OptionRange.check("--seconds", seconds: seconds, 0.02...600)
        try OptionRange.checkFolder(output)
    }

    func run() throws {
        try reportingErrors(input.said) { () throws(ScrubError) in
            let script = try gesture()
            let drawing = try plot.map { (path) throws(ScrubError) in try PlotFile(path, others) }
            let folder = try output.map { (path) throws(ScrubError) in
                try OutputPath(
                    path.hasSuffix("/") ? path : path + "/", isShared: true, limits: network.mediaLimits,
                    replacesFiles: others.replace)
            }
            var access = input.access(network)
            access.keepsPreviews = previews
            let asset = try openVideo(input.medium, stream: input.stream, access)
            let budget = ScrubBudget(byteLimit: budget << 20)
            var options = ScrubSession.Options()
            (options.threadCount, options.keyPictureCount) = (threads, keyPictures)
            options.makesPreviews = previewSide != 0
            if previewSide != 0 { options.previewSide = previewSide }
            options = try fitting(options, asset, budget)
            let recording = try play(script, asset, options, budget)
            try report(recording, asset, budget, threads: options.threadCount)
            try drawing?.write(
                svg: GesturePlot(recording: recording, frameCount: asset.frames.count).svg, title: "scrub gesture")
            if let folder { try write(recording, asset, to: folder) }
        }
    }

    /// Returns the options that fit the budget: fewer threads, then only reduced pictures.
    ///
    /// - Throws: `unavailable` with the required budget, if that does not fit either.
    private func fitting(
        _ options: ScrubSession.Options, _ asset: VideoAsset, _ budget: ScrubBudget
    ) throws(ScrubError) -> ScrubSession.Options {
        guard options.minimumByteCount(for: asset) > budget.byteLimit else { return options }
        var fewer = options
        fewer.threadCount = 1
        let least = fewer.minimumByteCount(for: asset)
        guard least > budget.byteLimit else {
            Terminal.say("decoding on one thread: the budget of \(self.budget) MiB is too small for more")
            return fewer
        }
        var reduced = fewer
        reduced.showsOnlyReducedPictures = true
        let mebibytes = { (bytes: Int) in bytes >> 20 + (bytes & 0xF_FFFF == 0 ? 0 : 1) }
        let leastReduced = reduced.minimumByteCount(for: asset)
        guard leastReduced > budget.byteLimit || leastReduced >= least else {
            Terminal.say(
                "showing reduced pictures, decoded on one thread: exact ones need --budget \(mebibytes(least))")
            return reduced
        }
        throw ScrubError(
            .unavailable,
            "its decoder and two of its pictures may need \(mebibytes(least)) MiB\(leastReduced < least ? ", or \(mebibytes(leastReduced)) MiB with reduced pictures" : ""), but the budget is \(self.budget) MiB",
            file: input.said, advice: "use --budget \(mebibytes(least))")
    }

    private func play(
        _ script: ScrubGesture.Script, _ asset: VideoAsset, _ options: ScrubSession.Options, _ budget: ScrubBudget
    ) throws(ScrubError) -> GesturePlayer.Recording {
        let session = try ScrubSession(asset, options: options, budget: budget)
        let fineSpeeds = fine ? ScrubGesture.FineSpeed.phone : []
        return try GesturePlayer(
            asset: asset, session: session, script: script, options: .init(fineSpeeds: fineSpeeds),
            showsOnlyReducedPictures: options.showsOnlyReducedPictures, isWarm: warm
        ).play()
    }

    private func gesture() throws(ScrubError) -> ScrubGesture.Script {
        if let script { return try ScriptFile.read(script) }
        guard let made, case .fraction(let fraction) = try FramePosition(begin).kind, fraction >= .zero,
            fraction <= .one
        else {
            throw ScrubError.wrongRequest(
                "--begin '\(begin)' is not a fraction", advice: "use a fraction from 0 to 1, such as 0.4, 40% or 2/5")
        }
        let ticks = max(1, Int((seconds * 60).rounded()))
        return made.script(distance: distance, ticks: ticks, from: .init(startFraction: fraction))
    }

    private func report(
        _ recording: GesturePlayer.Recording, _ asset: VideoAsset, _ budget: ScrubBudget, threads: Int?
    ) throws(ScrubError) {
        let minimum = try recording.last.map { (last) throws(ScrubError) in
            try self.minimum(last.shown, asset, threads: threads)
        }
        let report = GestureReport(
            recording: recording, minimum: minimum ?? (0, 0), budget: budget, network: asset.networkCost)
        if events { for line in report.events { Terminal.print(line) } }
        Terminal.print(json ? report.json : report.text)
        if let last = recording.last?.shown, let reason = last.verdict.wording {
            Terminal.say("\(input.said): frame \(last.frame.number) is \(last.verdict.name): \(reason)")
        }
    }

    /// Returns the cost of the last frame alone: pictures, and the time of a reader that has decoded nothing yet.
    private func minimum(
        _ last: GesturePlayer.Shown, _ asset: VideoAsset, threads: Int?
    ) throws(ScrubError) -> (decoded: Int, nanoseconds: Int64) {
        var options = FrameReader.Options()
        // With one picture, no others are kept: they would take time, and memory that --budget does not include.
        (options.threadCount, options.cacheByteLimit, options.decoderLimit) = (threads, 0, 1)
        var reader = FrameReader(asset, options: options)
        let decoded = reader.decodeCost(ofFrame: last.frame.number)
        let clock = ContinuousClock()
        let start = clock.now
        _ = try reader.frame(numbered: last.frame.number)
        return (decoded, (clock.now - start).wholeNanoseconds)
    }

    /// Writes the pictures in the order in which they were shown. They are decoded again, so that encoding does not
    /// disturb the gesture.
    private func write(
        _ recording: GesturePlayer.Recording, _ asset: VideoAsset, to folder: OutputPath
    ) throws(ScrubError) {
        folder.tellWhatIsLeft()
        let numbers = Set(recording.shown.map(\.frame.number))
        var reader = FrameReader(asset)
        let bar = ProgressBar("writing")
        var done = 0
        try reader.eachFrame(numbered: numbers) { (answer) throws(ScrubError) in
            guard let picture = answer.picture else { return }
            _ = try folder.write(picture, answer.frame.number)
            done += 1
            bar.show(Double(done) / Double(numbers.count))
        }
    }
}

/// The gestures that can be generated.
enum MadeGesture: String, ExpressibleByArgument, CaseIterable {
    case drag, back, turning, flick, jitter, jump, rest

    func script(distance: Int, ticks: Int, from start: ScrubGesture.Script.Start) -> ScrubGesture.Script {
        switch self {
        case .drag: .drag(by: distance, ticks: ticks, from: start)
        case .back: .drag(by: -distance, ticks: ticks, from: start)
        case .turning: turning(distance: distance, ticks: ticks, from: start)
        case .flick: .flick(by: distance, ticks: ticks, from: start)
        case .jitter: .jitter(reach: distance, ticks: ticks, from: start)
        case .jump:
            .jump(to: [Rational(1, 10), Rational(9, 10), Rational(1, 2)], ticks: max(1, ticks / 3), from: start)
        case .rest: .rest(after: distance, ticks: ticks, restTicks: 30, from: start)
        }
    }

    /// Returns a gesture that goes forward, back and forward again, with equal legs.
    private func turning(distance: Int, ticks: Int, from start: ScrubGesture.Script.Start) -> ScrubGesture.Script {
        var script = ScrubGesture.Script.drag(by: distance, ticks: max(1, ticks / 4), from: start)
        let leg = script.events.filter { $0.phase == .changed }
        guard let end = script.events.last, let length = leg.last?.milliseconds else { return script }
        var events = script.events.dropLast()
        for turn in 1..<4 {
            for (place, event) in leg.enumerated() {
                let source = turn.isMultiple(of: 2) ? event : leg[leg.count - 1 - place]
                events.append(
                    .init(
                        milliseconds: turn * length + event.milliseconds, phase: .changed,
                        translation: source.translation))
            }
        }
        events.append(.init(milliseconds: 3 * length + end.milliseconds, phase: .ended))
        script.events = Array(events)
        return script
    }
}
#endif
