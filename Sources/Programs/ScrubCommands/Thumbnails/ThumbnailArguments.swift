#if CommandLine
internal import ScrubReports
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubThumbnails

/// Which thumbnails to make, for all commands.
struct ThumbnailArguments: ParsableArguments {
    @Option(help: "Make this many thumbnails, spread evenly over the film; with --scenes, at most this many.")
    var count: Int?

    @Option(help: "Make one thumbnail per interval of this length, such as 10 (seconds) or 500ms.")
    var every: String?

    @Flag(help: "Make one thumbnail for each scene.")
    var scenes = false

    @Option(
        parsing: .unconditional,
        help: "Make thumbnails at exactly these positions, separated by commas, such as 10%,1:02.5,f-1.")
    var at: String?

    @OptionGroup var range: ClampArgument

    @Option(help: "The minimum duration of a scene in seconds; shorter scenes are merged with their neighbors.")
    var minScene = "1"

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    func validate() throws {
        if [count != nil || scenes, every != nil, at != nil].count(where: { $0 }) > 1 {
            throw ValidationError(
                "use only one of --count, --every, --at and --scenes (only --scenes can be combined with --count)"
            )
        }
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--count", count, 1...100_000)
    }

    /// Returns the typed choice, before any file is opened.
    ///
    /// - Parameters:
    ///   - standard: the choice if no option is given.
    ///   - tolerance: the option of that name, whose default depends on the verb.
    func choice(standard: ThumbnailPlan.Request, tolerance: String?) throws(ScrubError) -> ThumbnailChoice {
        var request = try ThumbnailArguments.request(
            every: every, count: scenes ? nil : count, tolerance: tolerance, standard: standard)
        if let at { request.positions = .at(try positions(at)) }
        var choice = ThumbnailChoice(request: request)
        choice.positionTexts = at.map(ThumbnailArguments.parts) ?? []
        choice.clamps = range.clamp
        if scenes {
            choice.scenes = VideoScene.Options(
                maximumSceneCount: count, minimumDuration: try ThumbnailArguments.seconds(minScene, "--min-scene"),
                threadCount: threads, tolerance: request.tolerance)
        }
        return choice
    }

    /// Returns the request from three of the options.
    static func request(
        every: String?, count: Int?, tolerance: String?, standard: ThumbnailPlan.Request
    ) throws(ScrubError) -> ThumbnailPlan.Request {
        var request = standard
        if let count { request.positions = .count(count) }
        if let every { request.positions = .every(try seconds(every, "--every")) }
        switch tolerance {
        case nil: break
        case "auto": request.tolerance = .automatic
        case "exact": request.tolerance = .exact
        case "keyframe": request.tolerance = .keyframe
        case .some(let text): request.tolerance = .within(try seconds(text, "--tolerance"))
        }
        return request
    }

    /// Returns the sizes from `--width` and `--height`; `nil` if both are missing.
    static func sizes(width: String?, height: Int?) throws(ScrubError) -> [ThumbnailPlan.Size]? {
        guard let width else { return height.map { [.height($0)] } }
        if let sizes = ThumbnailPlan.Size.list(width, height: height) { return sizes }
        guard ThumbnailPlan.Size.list(width) == nil else {
            throw ScrubError.wrongRequest(
                "--width '\(width)' already contains a height, but --height is also specified", advice: "omit --height")
        }
        throw ScrubError.wrongRequest(
            "--width '\(width)' is not a list of sizes", advice: "use 160, 160x90, or 160,320,640")
    }

    private func positions(_ text: String) throws(ScrubError) -> [FramePosition] {
        try ThumbnailArguments.parts(text).map { (part) throws(ScrubError) in try FramePosition(part) }
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " }.description }
    }

    static func seconds(_ text: String, _ option: String) throws(ScrubError) -> Rational {
        guard let time = TypedSeconds.read(text), time >= .zero else {
            let names = option == "--tolerance" ? "exact, keyframe, auto, or a time" : "a time"
            throw ScrubError.wrongRequest(
                "\(option) '\(text)' is not a time", advice: "use \(names) such as 10, 0.5, 500ms or 2m")
        }
        return time
    }
}

/// `--tolerance` for verbs whose pictures are exactly at their times.
struct ExactByDefault: ParsableArguments {
    @Option(
        help:
            "How far a picture may be from its time: exact, keyframe (the nearest one), a number of seconds, or auto (the cheapest picture in its interval). Default: exact."
    )
    var tolerance: String?
}

/// `--tolerance` for verbs whose pictures are the cheapest near their times.
struct NearByDefault: ParsableArguments {
    @Option(
        help:
            "How far a picture may be from its time: exact, keyframe (the nearest one), a number of seconds, or auto (the cheapest picture in its interval; exact for --scenes and --at). Default: auto."
    )
    var tolerance: String?
}

/// Requested thumbnails, whose positions may have to be found in the film.
struct ThumbnailChoice {
    var request: ThumbnailPlan.Request
    /// The options for finding scenes; `nil` if the positions are known.
    var scenes: VideoScene.Options?
    /// Positions as typed.
    var positionTexts: [String] = []
    /// Whether a position outside the video names the nearest end.
    var clamps = false

    /// Whether thumbnails are not evenly spaced by one interval.
    var isUneven: Bool {
        switch request.positions {
        case .count, .every: scenes != nil
        case .at, .scenes: true
        }
    }

    /// Finds scenes if they were requested, and reports which positions are outside the video.
    ///
    /// - Returns: the request, and the result of the scene search.
    func request(for asset: VideoAsset) throws(ScrubError) -> (
        request: ThumbnailPlan.Request, scenes: VideoScene.Report?
    ) {
        var request = request
        if case .at(let positions) = request.positions {
            request.positions = .at(
                try zip(positionTexts, positions).map { (text, position) throws(ScrubError) in
                    .frame(try TypedPosition.frame(text, position, in: asset, clamps: clamps).frame.number)
                })
        }
        guard let scenes else { return (request, nil) }
        let bar = WorkBar("scenes")
        let report = try asset.sceneReport(options: scenes) { bar.show($0) }
        bar.end()
        return (ThumbnailPlan.Request(.scenes(report.scenes), tolerance: request.tolerance), report)
    }
}
#endif
