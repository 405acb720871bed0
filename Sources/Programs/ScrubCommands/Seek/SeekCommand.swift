#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import ArgumentParser
internal import Scrub

/// `scrub seek`: the exact frames at positions.
struct SeekCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Find the exact frame at each position and write it as a picture.",
        discussion: """
            A range A..B is every frame from position A to position B, both included. Results are printed in the order \
            requested, and those of a range are printed as they become available. With --json, a position that has no \
            frame also gets an object, with "error" and "hint", and the other positions are still answered. Without \
            --json, such a position ends the command with an error.

            The suffix of the output name determines the format: .png, .jpg, .webp or .avif; .rgb or .rgba, with 8 \
            bits per channel; or .raw, the picture in the stream's own pixel format, whose MD5 --hash prints. If the \
            picture size changes within the stream, .raw uses the size of the first picture.

            In a name, %d or %05d stands for the frame number, and %% for a percent sign. If several pictures are \
            written to a name without a placeholder, their numbers are inserted before the suffix. In a folder/, \
            pictures have names such as frame-000042.png. On standard output, raw, rgb and rgba pictures are written \
            one after another.
            """)

    @OptionGroup var input: FileArguments
    @OptionGroup var following: FollowArguments

    @Argument(
        help:
            "Positions such as 42%, 12.5s, 1:02.5, f1234, first or last, and ranges such as 10s..12s: see 'scrub help positions'."
    )
    var positions: [String]

    @OptionGroup var range: ClampArgument

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Where the pictures go: a file such as a.png, a pattern such as out/%05d.png, a folder/, or '-' for standard output.",
            valueName: "path"))
    var output: String?

    @Option(
        help: "The format of the pictures if the output name does not specify one. Default: png."
    )
    var format: OutputFormat?

    @Option(
        help:
            "The width of the pictures in pixels. Without --height, the aspect ratio is kept. Default: the video's width."
    )
    var width: Int?

    @Option(
        help:
            "The height of the pictures in pixels. With --width, pictures are scaled to fit into a box of this size. Default: the video's height."
    )
    var height: Int?

    @Option(help: "The quality of JPEG, WebP and AVIF, from 1 to 100.")
    var quality = 90

    @Flag(
        help:
            "Keep high dynamic range (in PNG, AVIF, rgb and rgba) instead of converting it to standard dynamic range."
    )
    var keepHDR = false

    @Flag(help: "Print the MD5 of each picture in the stream's own pixel format, like ffmpeg -f framemd5.")
    var hash = false

    @Flag(help: "Print one JSON object for each frame.")
    var json = false

    @Flag(
        name: .customLong("count"),
        help:
            "Count the frames of a film on the network, so that every frame has its number. This may require reading the whole film."
    )
    var counts = false

    @Flag(help: "Ignore the stream's rotation and pixel aspect ratio.")
    var rawGeometry = false

    @OptionGroup var fields: DeinterlaceArgument

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    @Option(
        help: ArgumentHelp(
            "With --follow, how many seconds to wait for positions that do not exist yet. Default: until the recording ends.",
            valueName: "seconds"))
    var within: Double?

    func validate() throws {
        try OptionRange.check("--within", seconds: within, 0...1_000_000_000)
        if within != nil, !following.follow {
            throw ValidationError("--within needs --follow: add --follow, or omit --within")
        }
        try OptionRange.check("--width", width, 1...OptionRange.side.upperBound)
        try OptionRange.check("--height", height, 1...OptionRange.side.upperBound)
        try OptionRange.check("--quality", quality, 1...100)
    }

    func run() throws {
        var (items, output): ([SeekItem], OutputPath?) = ([], nil)
        try reportingErrors(nil) { () throws(ScrubError) in
            items = try positions.map { (text) throws(ScrubError) in
                try SeekItem(text, after: input.medium, keepsFaults: hasObjects)
            }
            let isShared = items.count > 1 || items.contains(where: \.isRange)
            output = try self.output.map { (path) throws(ScrubError) in
                try OutputPath(
                    path, isShared: isShared, style: style, limits: network.mediaLimits, replacesFiles: others.replace)
            }
        }
        output?.tellWhatIsLeft()
        var outcome = SeekFailures()
        try forEachFile([input.medium], json: hasObjects) { (_) throws(ScrubError) in
            try seek(items, output, &outcome)
            return outcome.told
        }
        if outcome.refused > 0 { throw ExitCode(outcome.refused) }
    }

    /// Whether each position gets an object, even without a frame. False if pictures go to standard output.
    private var hasObjects: Bool { json && output != "-" }

    private var style: OutputStyle {
        let size: FramePicture.Size =
            switch (width, height) {
            case (let width?, let height?): .maximum(width: width, height: height)
            case (let width?, nil): .width(width)
            case (nil, let height?): .height(height)
            case (nil, nil): .natural
            }
        var options = FramePicture.Options(
            appliesGeometry: !rawGeometry, size: size, dynamicRange: keepHDR ? .matchSource : .forceSDR)
        options.deinterlaces = fields.deinterlace
        return OutputStyle(format: format, options: options, quality: quality)
    }

    /// Returns the recording once all positions in it are certain.
    private func awaited(_ targets: [SeekTarget]) throws(ScrubError) -> VideoAsset {
        let recording = try following.open(
            input.medium, stream: input.stream, cache: input.cache, limits: network.mediaLimits)
        let positions = targets.flatMap(\.positions)
        let (clock, start) = (ContinuousClock(), ContinuousClock().now)
        var found: VideoAsset?
        try following.follow(recording) { (step) throws(ScrubError) in
            if step != nil {
                var isThere = true
                for position in positions
                where try recording.certainFrame(at: position, clamps: range.clamp) == nil { isThere = false }
                if isThere { found = recording.asset }
            }
            if found != nil || recording.isFinished { return false }
            if let within, start.duration(to: clock.now) >= .seconds(within) {
                throw ScrubError(
                    .unavailable, "a position still does not exist after \(within) seconds", file: input.said,
                    advice: "the recording has \(recording.asset?.frames.count ?? 0) frames so far")
            }
            return true
        }
        guard let asset = found ?? recording.asset else {
            throw ScrubError(
                .badData, "has no picture that can be decoded", file: input.said,
                advice: "the recording may have only just begun: try again later")
        }
        return asset
    }

    /// Returns the video; `nil` for a presentation of segments, which was already answered here by fetching only a few
    /// segments.
    private func opened(
        _ items: [SeekItem], _ output: OutputPath?, _ outcome: inout SeekFailures
    ) throws(ScrubError) -> VideoAsset? {
        let access = input.access(network)
        let bar = ProgressBar("indexing")
        var options = VideoAsset.OpenOptions(stream: input.stream, cache: access.cache, progress: { bar.show($0) })
        options.limits = access.limits
        switch try access.medium(input.medium, options) {
        case .video(let source):
            guard let positions = positionsByTime(items, output) else {
                return try VideoAsset(source, options: options, savesBeside: true)
            }
            return try VideoAsset.covering(positions, of: source, options: options, savesBeside: true) { why in
                Terminal.say("\(input.said): the whole film is read (\(Amount.size(source.byteCount))): \(why)")
            }
        case .playlist(let playlist):
            var run = PlaylistSeek(playlist, self, output: output)
            outcome = try run.answer(items, keepsFaults: hasObjects)
            return nil
        }
    }

    /// Returns the positions, if no number of a frame is needed for them and their pictures; otherwise, `nil`.
    private func positionsByTime(_ items: [SeekItem], _ output: OutputPath?) -> [FramePosition]? {
        guard !counts, output?.namesContainNumbers != true, !items.contains(where: \.isRange) else { return nil }
        return items.compactMap { try? $0.target.get() }.flatMap(\.positions)
    }

    private func seek(
        _ items: [SeekItem], _ output: OutputPath?, _ outcome: inout SeekFailures
    ) throws(ScrubError) {
        let targets = items.compactMap { try? $0.target.get() }
        guard !targets.isEmpty else {
            // Nothing is opened unless a position is valid.
            for item in items {
                if case .failure(let error) = item.target { outcome.refuse(item.text, error, in: input.medium) }
            }
            return
        }
        guard let asset = try following.follow ? awaited(targets) : opened(items, output, &outcome) else { return }
        // A new index is saved while the frames are made; a failure is reported once it is known.
        defer { if !following.follow { sayWarnings(of: asset, saysMissing: false) } }
        if !following.follow, let missing = asset.missingMedia { Terminal.say("\(asset.path): warning: \(missing)") }
        if output != nil, let lost = asset.lostAlpha { Terminal.say("\(asset.path): warning: \(lost)") }
        let places = try items.map { (item) throws(ScrubError) in
            try item.place(in: asset, clamps: range.clamp, keepsFaults: hasObjects)
        }
        // No picture is decoded if its file may not be written.
        for case .success(let place) in places {
            for number in place.frames { try output?.check(number) }
        }
        let report = SeekReport(asset, file: input.said, isJSON: json, hasRoom: output?.isStandardOutput != true)
        var run = SeekRun(asset, hash: hash, output: output, report: report)
        for (item, place) in zip(items, places) {
            switch place {
            case .success(let place): try run.add(place)
            case .failure(let error):
                try run.flush()
                outcome.refuse(item.text, error, in: input.medium)
            }
        }
        outcome.told = try run.finish()
    }
}
#endif
