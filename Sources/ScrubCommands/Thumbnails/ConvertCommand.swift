public import ArgumentParser
public import Scrub

/// `scrub convert`: a thumbnail set in another format.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make another format of a thumbnail set, without encoding a picture again.",
        discussion: """
            The source is a folder with a manifest.json, as strip and thumbs write it, or a BIF file, whoever wrote it. Formats: \
            vtt, json (thumbnails.json for scripts and Vidstack), hls, dash, jellyfin, bif. Where the other \
            format cannot hold the same pictures it says so and writes nothing.
            """)

    @Argument(help: "The set: a folder, or a BIF file.", completion: .file())
    var source: String

    @Option(help: "vtt, json, hls, dash, jellyfin or bif.")
    var to: ThumbnailConversion.Format

    @OptionGroup var players: BaseURLArgument

    @Option(name: [.short, .long], help: "The folder; made if need be.")
    var output: String

    func run() throws {
        try reportingErrors(source) { () throws(ScrubError) in
            let files = try ThumbnailConversion.convert(source, to: to, into: output, baseURL: players.baseURL)
            Terminal.print("\(files.count) files -> \(output)/\(files.last ?? "")")
        }
    }
}

extension ThumbnailConversion.Format: ExpressibleByArgument {}
