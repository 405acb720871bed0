internal import ArgumentParser
internal import Scrub

/// `scrub seek`: the exact frames at positions.
struct SeekCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Find the exact frame at each position, and write it as a picture.",
        discussion: """
            A range POSITION..POSITION is every frame from the one on screen at the first position to the one on screen at the \
            second, both included. Answers come in the order asked, those of a range as they are made.

            --output PATH: the format is that of the suffix: .png, .jpg, .webp, .avif; .rgb and .rgba, 8 bits a channel in \
            rows without padding; .raw, the stream's own picture, planes in order, of which --hash is the MD5. A place for the \
            frame's number in the name, %d or %05d, makes a sequence (%% is a percent sign); without one, of several pictures \
            the number is put before the suffix. A path that ends with '/' is a folder: frame-000042.png. Folders are made if need be. '-' is standard \
            output, as --format says; there raw, rgb and rgba also take several pictures, which follow each other.
            """)

    @OptionGroup var input: FileArguments
    @OptionGroup var following: FollowArguments

    @Argument(
        help:
            "Positions: 0.42, 42%, 12.5s, 1:02.5, 2m, 1h2m3.5s, timecode 01:00:03:12, f1234, first, last; ranges: f100..f200, 10s..12s."
    )
    var positions: [String]

    @OptionGroup var range: ClampArgument

    @Option(name: [.short, .long], help: "Write the pictures here: a file, a pattern, a folder/, or '-'; see above.")
    var output: String?

    @Option(
        help: "The format where the path says none, a folder or '-'. Default png."
    )
    var format: OutputFormat?

    @Option(help: "The pictures' width in pixels, also above their own; the height follows.")
    var width: Int?

    @Option(
        help: "The pictures' height in pixels; with --width they fit into both, and are not made larger.")
    var height: Int?

    @Option(help: "The quality of JPEG, WebP and AVIF, 1 to 100.")
    var quality = 90

    @Flag(
        help:
            "Leave high dynamic range as it is, in PNG, AVIF, rgb and rgba; otherwise it is tone-mapped to what every screen shows."
    )
    var keepHDR = false

    @Flag(help: "Print the MD5 of the picture in the stream's own pixel format, as ffmpeg -f framemd5 does.")
    var hash = false

    @Flag(help: "One JSON object per frame.")
    var json = false

    @Flag(help: "Leave out the stream's rotation and sample aspect ratio.")
    var rawGeometry = false

    @OptionGroup var network: NetworkArguments

    @Option(
        help: ArgumentHelp(
            "With --follow: how long to wait for positions that are not there yet. Default: until the recording ends.",
            valueName: "seconds"))
    var within: Double?

    func validate() throws {
        try OptionRange.check("--within", seconds: within, 0...1_000_000_000)
        if within != nil, !following.follow {
            throw ValidationError("--within goes with --follow: add --follow, or leave it out")
        }
        try OptionRange.check("--width", width, 1...OptionRange.side.upperBound)
        try OptionRange.check("--height", height, 1...OptionRange.side.upperBound)
        try OptionRange.check("--quality", quality, 1...100)
    }

    func run() throws {
        var (targets, output): ([SeekTarget], OutputPath?) = ([], nil)
        try reportingErrors(nil) { () throws(ScrubError) in
            targets = try TypedPosition.reading(after: input.medium) { () throws(ScrubError) in
                try positions.map { (text) throws(ScrubError) in try SeekTarget(text) }
            }
            let isShared = targets.count > 1 || targets.contains(where: \.isRange)
            output = try self.output.map { (path) throws(ScrubError) in
                try OutputPath(path, isShared: isShared, style: style, limits: network.mediaLimits)
            }
            try OwnInput.check(self.output, against: [input.medium])
        }
        try reportingErrors(input.said) { () throws(ScrubError) in try seek(targets, output) }
    }

    private var style: OutputStyle {
        let size: ImageSize =
            switch (width, height) {
            case (let width?, let height?): .maximum(width: width, height: height)
            case (let width?, nil): .width(width)
            case (nil, let height?): .height(height)
            case (nil, nil): .natural
            }
        let options = PictureOptions(
            rawGeometry: rawGeometry, size: size, dynamicRange: keepHDR ? .matchSource : .forceSDR)
        return OutputStyle(format: format, options: options, quality: quality)
    }

    /// The recording once all positions are certain in it.
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
                where try recording.certainFrame(at: position, clampsFractions: range.clamp) == nil { isThere = false }
                if isThere { found = recording.asset }
            }
            if found != nil || recording.isFinished { return false }
            if let within, start.duration(to: clock.now) >= .seconds(within) {
                throw ScrubError(
                    .unavailable, "no such position after \(within) seconds", file: input.said,
                    advice: "the recording has \(recording.asset?.frames.count ?? 0) frames so far")
            }
            return true
        }
        guard let asset = found ?? recording.asset else {
            throw ScrubError(
                .badData, "has no picture that can be decoded", file: input.said,
                advice: "it may have hardly begun: follow it again later")
        }
        return asset
    }

    /// The video; `nil` for a presentation of segments, which has answered itself: of those only a few are fetched.
    private func opened(_ targets: [SeekTarget], _ output: OutputPath?) throws(ScrubError) -> VideoAsset? {
        let access = input.access(network)
        let bar = ProgressBar("indexing")
        var options = OpenOptions(stream: input.stream, cache: access.cache, progress: { bar.show($0) })
        options.limits = access.limits
        switch try access.medium(input.medium, options) {
        case .video(let source):
            return try VideoAsset(source, options: options, savesBeside: true)
        case .playlist(let playlist):
            var run = PlaylistSeek(playlist, self, output: output)
            try run.answer(targets)
            return nil
        }
    }

    private func seek(_ targets: [SeekTarget], _ output: OutputPath?) throws(ScrubError) {
        guard let asset = try following.follow ? awaited(targets) : opened(targets, output) else { return }
        // A new index is saved while the frames are made; whether it could be is said once that is known.
        defer { if !following.follow { sayWarnings(of: asset, saysMissing: false) } }
        if !following.follow, let missing = asset.missing { Terminal.say("\(asset.path): warning: \(missing)") }
        if output != nil, let lost = asset.lostAlpha { Terminal.say("\(asset.path): warning: \(lost)") }
        let places = try targets.map { (target) throws(ScrubError) in
            try SeekPlace(target, in: asset, clamps: range.clamp)
        }
        let report = SeekReport(asset, file: input.said, isJSON: json, hasRoom: output?.isStandardOutput != true)
        var run = SeekRun(asset, hash: hash, output: output, report: report)
        for place in places { try run.add(place) }
        try run.finish()
    }
}
