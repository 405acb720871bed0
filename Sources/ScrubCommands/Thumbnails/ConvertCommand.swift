public import ArgumentParser
public import Scrub

/// `scrub convert`: a thumbnail set in another format.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make another format of a thumbnail set, without encoding a picture again.",
        discussion: """
            The source is a folder with a manifest.json, as strip and thumbs write it, or a BIF file, whoever wrote it. Formats: \
            vtt, hls, dash, jellyfin, bif. Where the other format cannot hold the same pictures it says so and writes nothing.
            """)

    @Argument(help: "The set: a folder, or a BIF file.", completion: .file())
    var source: String

    @Option(help: "vtt, hls, dash, jellyfin or bif.")
    var to: ThumbnailConversion.Format

    @Option(name: [.short, .long], help: "The folder; made if need be.")
    var output: String

    func run() throws {
        try reportingErrors(source) { () throws(ScrubError) in
            let files = try ThumbnailConversion.convert(source, to: to, into: output)
            Terminal.print("\(files.count) files -> \(output)/\(files.last ?? "")")
        }
    }
}

extension ThumbnailConversion.Format: ExpressibleByArgument {}
