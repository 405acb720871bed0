#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubThumbnails
internal import ScrubReports

/// `scrub thumbs`: complete sets for players and servers.
struct ThumbsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbs", abstract: "Make thumbnail sets for players and servers, from a single decode.",
        discussion: """
            Each profile gets a folder with the profile's name: web (sheets, WebVTT, JSON, a page), jellyfin (a \
            trickplay folder), plex (index-sd.bif, and the same file under Emby's name), roku (BIF for SD and HD), hls \
            (an image playlist), dash (image tiles), contact (a sheet for people, as SVG) and freedesktop (PNG files \
            for file managers). If a run is stopped, the same command resumes it. If there are several films, each \
            gets a folder in the output folder, named after the film.
            """)

    @OptionGroup var input: FilesArguments
    @OptionGroup var thumbnails: ThumbnailArguments
    @OptionGroup var nearness: NearByDefault
    @OptionGroup var ground: GroundArgument
    @OptionGroup var fields: DeinterlaceArgument

    @Option(
        help:
            "The profiles of the sets to make, separated by commas: web, jellyfin, plex, roku, hls, dash, contact, freedesktop, or all."
    )
    var profile: String

    @Option(
        help:
            "The thumbnails' width in pixels, or a box such as 320x180 for them to fit into. Default: 320x180, or a width of 320 for jellyfin and plex. The sizes of roku and freedesktop are fixed."
    )
    var width: String?

    @Option(
        help:
            "The thumbnails' height in pixels. With --width, the two define a box for the thumbnails to fit into. Default: derived from the width."
    )
    var height: Int?

    @Option(help: "The quality of the pictures, from 1 to 100.")
    var quality = 80

    @OptionGroup var previews: FromPreviewsArgument

    @OptionGroup var players: BaseURLArgument

    @OptionGroup var turn: WaitArgument

    @Option(
        name: [.short, .long],
        help:
            "The folder to write to. May be omitted if freedesktop is the only profile; the thumbnails are then written to the file managers' cache."
    )
    var output: String?

    @Flag(help: "Write Jellyfin's folder NAME.trickplay next to the film, where the server looks for it.")
    var beside = false

    @Flag(
        help:
            "Skip sets that were already made from the same, unchanged file with the same options."
    )
    var skipCurrent = false

    @Flag(help: "Report what would be decoded, without writing anything.")
    var plan = false

    @Flag(help: "Print one JSON object for each set.")
    var json = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try OptionRange.checkFolder(output)
        try OptionRange.check("--height", height, OptionRange.side)
        try OptionRange.check("--quality", quality, 1...100)
        try previews.check(withPlan: plan)
    }

    func run() throws {
        var places = VideoOutputNames(input.files)
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in
            let place = places.next(in: self.output)
            var options = ThumbnailSets.Options(try ThumbnailSets.Profile.named(profile))
            let choice = try thumbnails.choice(
                standard: ThumbnailPlan.Request(.every(Rational(10)), tolerance: .automatic),
                tolerance: nearness.tolerance)
            options.request = choice.request
            (options.quality, options.threadCount, options.background) = (quality, thumbnails.threads, ground.color)
            (options.baseURL, options.skipsUpToDateSets) = (players.baseURL, skipCurrent)
            (options.usesKeptPreviews, options.deinterlaces) = (previews.fromPreviews, fields.deinterlace)
            if let sizes = try ThumbnailArguments.sizes(width: width, height: height) {
                guard sizes.count == 1 else {
                    throw ScrubError.wrongRequest(
                        "--width '\(width ?? "")' contains several sizes, but a set has only one",
                        advice: "use 320 or 320x180")
                }
                options.size = sizes[0]
            }
            if beside, options.profiles != [.jellyfin] || output != nil {
                throw ScrubError.wrongRequest(
                    "--beside is only for Jellyfin's folder", advice: "use --profile jellyfin without --output"
                )
            }
            if beside, file.isRemote {
                throw ScrubError(
                    .usage, "--beside requires a local file", file: file.said,
                    advice: "specify a folder with --output DIR")
            }
            if output == nil, !plan, file.isRemote {
                throw ScrubError(
                    .usage, "file managers' thumbnails require a local file", file: file.said,
                    advice: "use another profile, and add --output DIR")
            }
            if players.baseURL != nil, !options.profiles.contains(.web) {
                throw ScrubError.wrongRequest("only the web set can have a base URL", advice: "omit --base-url")
            }
            // `all` means every possible set.
            options.skipsUnsupportedProfiles = profile == "all"
            guard let output = place ?? (plan || beside ? "" : nil) else {
                try fillCache(options, file)
                return nil
            }
            if choice.isUneven, !options.skipsUnsupportedProfiles {
                try ThumbnailSets.Profile.refuseUneven(
                    options.profiles, advice: "use --every, or only the profiles web and contact")
            }
            let asset = try input.open(file, network)
            let (request, scenes) = try choice.request(for: asset)
            options.request = request
            if plan {
                let (plan, lead) = try asset.thumbnailPlan(for: request, profiles: options.profiles)
                ThumbnailPlanText(plan: plan, lead: lead, frames: asset.frames, scenes: scenes).say(json: json)
                return nil
            }
            let bar = WorkBar("thumbnails")
            let interrupt = Interrupt()
            (options.waitsForOtherRuns, options.replacesFiles) = (turn.wait, others.replace)
            turn.sayIfWaiting(for: output)
            let progress = { (done: WorkProgress) in bar.show(done) }
            let report = try interrupt.cancellation.perform { () throws(ScrubError) in
                beside
                    ? try asset.writeJellyfinTrickplay(options: options, progress: progress)
                    : try asset.writeThumbnailSets(into: output, options: options, progress: progress)
            }
            bar.end()
            for warning in report.warnings { Terminal.say("warning: \(warning)") }
            if let nearness = report.plan?.approximationNote { Terminal.say(nearness) }
            if let plan = report.plan, plan.repeatCount > 0 {
                Terminal.say(
                    "\(plan.repeatCount) of \(Amount.of(plan.slots.count, "thumbnail")) \(plan.repeatCount == 1 ? "shows" : "show") the same picture as the previous one"
                )
            }
            if report.previewCount > 0, let count = report.plan?.slots.count {
                Terminal.say("kept previews were used for \(report.previewCount) of \(Amount.of(count, "thumbnail"))")
            }
            for set in report.sets { Terminal.print(text(set, report, file, options, asset)) }
            return nil
        }
    }

    /// Fills the file managers' cache.
    private func fillCache(_ options: ThumbnailSets.Options, _ file: MediaName) throws(ScrubError) {
        guard options.profiles == [.freedesktop] else {
            throw ScrubError.wrongRequest("no folder is specified", advice: "add --output DIR")
        }
        let filled = try FreedesktopCache.fill(file.shown) { (root) throws(ScrubError) in
            try input.open(file, network).writeFreedesktopThumbnails(into: root)
        }
        if let replaced = filled.replaced {
            Terminal.say("\(replaced.causeWording), so the thumbnail shows the cover art")
        }
        Terminal.print(text(filled.set, nil, file, options, nil))
    }

    /// - Parameter asset: the film, for its network cost and missing media.
    private func text(
        _ set: ThumbnailSets.Entry, _ report: ThumbnailSets?, _ file: MediaName, _ options: ThumbnailSets.Options,
        _ asset: VideoAsset?
    ) -> String {
        guard !json else {
            return set.json(
                in: report, film: file.shown, options: options, missing: asset?.missingMedia,
                network: asset?.networkCost,
                face: .command
            ).text
        }
        return
            "\(set.profile.rawValue): \(set.isUpToDate ? "current, " : "")\(Amount.of(set.thumbnailCount, "thumbnail")), \(set.byteCount / 1024) KiB -> \(set.folder)"
    }
}
#endif
