#if CommandLine
internal import ScrubBase
public import ArgumentParser
internal import Scrub
internal import ScrubThumbnails
internal import ScrubReports
public import ScrubStoryboards

/// `scrub strip`: a thumbnail strip as sheets, WebVTT and JSON.
struct StripCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strip", abstract: "Make a thumbnail strip: sheets, thumbnails.vtt and manifest.json.",
        discussion: """
            With --count N, the film is divided into N equal parts, and each thumbnail represents the middle of one \
            part. With --every, each thumbnail represents a multiple of the interval, and with --scenes, one scene. \
            If a run is stopped, the same command resumes it. If there are several films, each gets a folder in the \
            output folder, named after the film.
            """)

    @OptionGroup var input: FilesArguments
    @OptionGroup var thumbnails: ThumbnailArguments
    @OptionGroup var nearness: ExactByDefault
    @OptionGroup var ground: GroundArgument
    @OptionGroup var fields: DeinterlaceArgument

    @Option(
        help:
            "The thumbnails' width in pixels, or a box such as 320x180 for them to fit into. If there are several values, separated by commas, the thumbnails of each go to a separate folder. Default: 160."
    )
    var width: String?

    @Option(
        help:
            "The thumbnails' height in pixels. With --width, the two define a box for the thumbnails to fit into. Default: derived from the width."
    )
    var height: Int?

    @Option(help: "The number of thumbnails in each row of a sheet.")
    var columns = 10

    @Option(help: "The number of rows of thumbnails on each sheet.")
    var rows = 10

    @Option(help: "The sheets' format: jpeg, png, webp or avif.")
    var format = ImageFormat.jpeg

    @Option(help: "The quality of the pictures, from 1 to 100.")
    var quality = 80

    @OptionGroup var previews: FromPreviewsArgument

    @OptionGroup var players: BaseURLArgument

    @Flag(
        help:
            "Add a BlurHash and a ThumbHash of each thumbnail to the manifest: tiny placeholders to show while the thumbnail loads."
    )
    var blurHash = false

    @OptionGroup var turn: WaitArgument

    @Option(name: [.short, .long], help: ArgumentHelp("The folder to write to.", valueName: "folder"))
    var output: String?

    @Flag(help: "Report what would be decoded, without writing anything.")
    var plan = false

    @Flag(help: "Print the manifest as one JSON object.")
    var json = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        if output == nil, !plan { throw ValidationError("no folder is specified for the strip: add --output DIR") }
        try OptionRange.check("--columns", columns, OptionRange.grid)
        try OptionRange.check("--rows", rows, OptionRange.grid)
        try OptionRange.check("--height", height, OptionRange.side)
        try OptionRange.checkFolder(output)
        try OptionRange.check("--quality", quality, 1...100)
        try previews.check(withPlan: plan)
    }

    func run() throws {
        var places = VideoOutputNames(input.files)
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in
            let output = places.next(in: self.output)
            let choice = try thumbnails.choice(
                standard: ThumbnailPlan.Request(.count(100)), tolerance: nearness.tolerance)
            var options = ThumbnailStrip.Options(choice.request)
            options.thumbnails.sizes = try sizes()
            (options.thumbnails.threadCount, options.thumbnails.background) = (thumbnails.threads, ground.color)
            (options.sheets.columns, options.sheets.rows, options.sheets.format) = (columns, rows, format)
            (options.sheets.quality, options.sheets.makesPlaceholderHashes) = (quality, blurHash)
            (options.baseURL, options.thumbnails.usesKeptPreviews) = (players.baseURL, previews.fromPreviews)
            options.thumbnails.deinterlaces = fields.deinterlace
            let asset = try input.open(file, network)
            let (request, scenes) = try choice.request(for: asset)
            options.request = request
            if plan {
                ThumbnailPlanText(
                    plan: try asset.thumbnailPlan(for: request), frames: asset.frames, scenes: scenes
                ).say(json: json)
                return nil
            }
            let bar = WorkBar("thumbnails")
            let interrupt = Interrupt()
            (options.waitsForOtherRuns, options.replacesFiles) = (turn.wait, others.replace)
            turn.sayIfWaiting(for: output ?? "")
            let report = try interrupt.cancellation.perform { () throws(ScrubError) in
                try asset.writeStrip(
                    into: output ?? "", options: options, progress: { bar.show($0) })
            }
            bar.end()
            for warning in report.warnings { Terminal.say("warning: \(warning)") }
            if json {
                for line in try report.json(of: asset, face: .command) { Terminal.print(line) }
            } else {
                let film = input.files.count > 1 ? "\(file.shown): " : ""
                for storyboard in report.storyboards { Terminal.print(film + text(storyboard, report, scenes)) }
            }
            return nil
        }
    }

    private func sizes() throws(ScrubError) -> [ThumbnailPlan.Size] {
        try ThumbnailArguments.sizes(width: width, height: height) ?? [.standard(160)]
    }

    private func text(_ storyboard: Storyboard, _ report: ThumbnailStrip, _ scenes: VideoScene.Report?) -> String {
        let previews = storyboard.thumbnails.count(where: \.isFromPreview)
        let approximate = storyboard.thumbnails.count { $0.verdict == "approximate" && !$0.isFromPreview }
        let repeats = storyboard.thumbnails.count(where: \.isRepeat)
        var text =
            "\(Amount.of(storyboard.thumbnails.count, "thumbnail")) of \(storyboard.tileWidth) x \(storyboard.tileHeight) on "
            + Amount.of(storyboard.sheets.count, "sheet")
        // The plan does not include them.
        text +=
            report.isUpToDate
            ? ", left unchanged: made from the same film with the same options"
            : previews > 0
                ? ", \(previews) made from kept previews"
                : ", \(Amount.of(report.plan.decodedPictureCount, "picture")) decoded"
        if let scenes { text += ", \(scenes.decodedPictureCount) to find the scenes" }
        if approximate > 0 {
            text +=
                ", \(approximate) \(approximate == 1 ? "shows a frame near its time" : "show frames near their times")"
        }
        if repeats > 0 {
            text += ", \(repeats) \(repeats == 1 ? "shows" : "show") the same picture as the previous one"
        }
        let others = storyboard.thumbnails.count { !["exact", "approximate"].contains($0.verdict) }
        if others > 0 { text += ", \(others) \(others == 1 ? "is" : "are") damaged" }
        return text
    }
}

extension ImageFormat: ExpressibleByArgument {}
#endif
