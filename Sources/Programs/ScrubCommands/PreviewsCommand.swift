#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubReports
internal import ScrubMedia

/// `scrub previews`: makes the small pictures that are shown during a drag.
struct PreviewsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "previews",
        abstract: "Make small pictures of all frames now, so that scrubbing does not have to decode them.",
        discussion: """
            The small pictures (previews) are kept with the saved index, within the cache's limits. The viewer, the \
            terminal, scrub gesture and apps use them when they open the file again. If a run is stopped, the same \
            command continues where it stopped. The previews of one minute of 1080p take about 60 MB. For a library, \
            use scrub batch --previews.
            """)

    @OptionGroup var input: FilesArguments

    @Option(help: "The longer side of the previews, in pixels. The viewer and apps look for previews of 640 pixels.")
    var previewSide = PreviewTrack.keptSide

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try OptionRange.check("--preview-side", previewSide, OptionRange.side)
        try OptionRange.check("--threads", threads, OptionRange.threads)
    }

    func run() throws {
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in
            let asset = try input.open(file, network)
            let bar = ProgressBar("making previews")
            Interrupt.leaves { "previews made so far are kept: the same command makes the rest" }
            let report = try asset.keepPreviews(
                longSide: previewSide, threadCount: threads, progress: { bar.show($0) })
            Terminal.print(json ? report.json(of: asset, film: file.shown).text : text(asset, report))
            return nil
        }
    }

    private func text(_ asset: VideoAsset, _ report: VideoAsset.PreviewReport) -> String {
        var parts = [
            "\(Amount.of(report.frameCount, "preview")), \(report.madeCount) made now",
            Amount.size(report.byteCount)
                + (report.bytesPerMinute(of: asset).map { ", \(Amount.size($0)) per minute" } ?? ""),
        ]
        if report.missingCount > 0 {
            parts.append("\(Amount.of(report.missingCount, "frame")) without one")
        }
        return "\(asset.path.shown): \(parts.joined(separator: "; "))"
    }
}
#endif
