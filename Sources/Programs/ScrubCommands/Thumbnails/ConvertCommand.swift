#if CommandLine
internal import ScrubBase
public import ArgumentParser
internal import ScrubFileIO
internal import ScrubReports
internal import Scrub
public import ScrubThumbnails

/// `scrub convert`: a thumbnail set in another format.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a thumbnail set to another format, copying pictures if possible.",
        discussion: """
            The set is a folder with a manifest.json, as written by strip and thumbs, or a BIF file from any program. \
            Pictures are copied if the new format can use them unchanged. The output says how many pictures had to be \
            encoded again. For Jellyfin, put the folder NAME.trickplay next to the film.
            """)

    @Argument(help: "The set to convert: a folder or a BIF file.", completion: .file())
    var source: String

    @Option(help: "The new format: vtt, json, hls, dash, jellyfin or bif.")
    var to: ThumbnailSets.Conversion.Format

    @OptionGroup var players: BaseURLArgument

    @Option(help: "The quality of pictures that have to be encoded again, from 1 to 100.")
    var quality = 90

    @Flag(help: "Fail if any picture would have to be encoded again.")
    var copyOnly = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var turn: WaitArgument
    @OptionGroup var others: ReplaceArgument

    @Option(name: [.short, .long], help: ArgumentHelp("The folder to write to.", valueName: "folder"))
    var output: String

    func validate() throws {
        try OptionRange.checkFolder(output)
        try OptionRange.check("--quality", quality, 1...100)
    }

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(source) { () throws(ScrubError) in
            turn.sayIfWaiting(for: output)
            let report = try ThumbnailSets.convert(
                source, to: to, into: output, baseURL: players.baseURL, quality: copyOnly ? nil : quality,
                waitsForOtherRuns: turn.wait, replacesFiles: others.replace)
            for warning in report.warnings { Terminal.say("warning: \(warning)") }
            guard !json else {
                return Terminal.print(report.json(of: source, in: output, face: .command).text)
            }
            let new = report.encodedCount == 0 ? "" : ", \(Amount.of(report.encodedCount, "picture")) re-encoded"
            Terminal.print("\(Amount.of(report.files.count, "file"))\(new) -> \(output)/\(report.files.last ?? "")")
        }
    }
}

extension ThumbnailSets.Conversion.Format: ExpressibleByArgument {}
#endif
