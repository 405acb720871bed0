public import ArgumentParser
internal import FileIO
public import Scrub

/// `scrub convert`: a thumbnail set in another format.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Make another format of a thumbnail set; pictures are copied where they can be.",
        discussion: """
            The source is a folder with a manifest.json, as strip and thumbs write it, or a BIF file, whoever wrote it. Formats: \
            vtt, json (thumbnails.json for scripts and Vidstack), hls, dash, jellyfin (NAME.trickplay, to be put beside the film), \
            bif. Where the other format wants them otherwise, pictures are encoded anew, and it says how many: a last sheet that \
            is not full is padded for dash and jellyfin, single pictures are laid on sheets for jellyfin, sheets are cut up for bif.
            """)

    @Argument(help: "The set: a folder, or a BIF file.", completion: .file())
    var source: String

    @Option(help: "vtt, json, hls, dash, jellyfin or bif.")
    var to: ThumbnailConversion.Format

    @OptionGroup var players: BaseURLArgument

    @Option(help: "The quality of pictures that are encoded anew, 1 to 100.")
    var quality = 90

    @Flag(help: "Encode nothing anew: refuse what cannot be without it.")
    var copyOnly = false

    @OptionGroup var turn: WaitArgument

    @Option(name: [.short, .long], help: "The folder; made if need be.")
    var output: String

    func validate() throws {
        try OptionRange.checkFolder(output)
        try OptionRange.check("--quality", quality, 1...100)
    }

    func run() throws {
        try reportingErrors(source) { () throws(ScrubError) in
            turn.sayIfWaiting(for: output)
            let report = try ThumbnailConversion.convert(
                source, to: to, into: output, baseURL: players.baseURL, quality: copyOnly ? nil : quality,
                waitsForOtherRuns: turn.wait)
            for warning in report.warnings { Terminal.say("warning: \(warning)") }
            let new = report.encodedCount == 0 ? "" : ", \(Amount.of(report.encodedCount, "picture")) encoded anew"
            Terminal.print("\(Amount.of(report.files.count, "file"))\(new) -> \(output)/\(report.files.last ?? "")")
        }
    }
}

extension ThumbnailConversion.Format: ExpressibleByArgument {}
