#if CommandLine
internal import ScrubBase
public import ArgumentParser
internal import ScrubFileIO
internal import Scrub
public import ScrubThumbnails
internal import ScrubReports

/// `scrub sheet`: a contact sheet.
struct SheetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheet",
        abstract: "Make a contact sheet: a header that describes the film, and pictures with their times.",
        discussion: """
            By default, a sheet has --columns times --rows pictures, spread evenly over the film. With --count, \
            --every, --at or --scenes, it has the pictures that the option chooses, in as many rows as needed. Each \
            picture shows its time and frame number. If pictures near the requested times are used, the sheet says how \
            far away they are. With --tolerance exact, the exact pictures are used. The sheets of several films are \
            written to one folder, and each is named after its film.
            """)

    @OptionGroup var input: FilesArguments
    @OptionGroup var thumbnails: ThumbnailArguments
    @OptionGroup var nearness: NearByDefault
    @OptionGroup var ground: GroundArgument
    @OptionGroup var fields: DeinterlaceArgument

    @Option(name: [.short, .long], help: "The number of pictures per row.")
    var columns = 4

    @Option(name: [.short, .long], help: "The number of rows of pictures. Default: 5, or as many as needed.")
    var rows: Int?

    @Option(name: [.short, .long], help: "The sheet's width in pixels.")
    var width = 1600

    @Option(help: "The quality of the pictures, from 1 to 100.")
    var quality = 90

    @Flag(help: "Do not write times on the pictures.")
    var noTimes = false

    @Option(
        name: [.short, .long],
        help:
            "The file to write, whose name ends with .jpg, .png, .webp, .avif or .svg; or a folder/, in which each sheet is named after its film; or '-' to write a JPEG to standard output."
    )
    var output: String

    @Option(help: "The format of sheets in a folder: jpeg, png, webp, avif or svg. Default: jpeg.")
    var format: ContactSheet.Options.Format?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try OptionRange.check("--columns", columns, 1...100)
        try OptionRange.check("--rows", rows, 1...1000)
        try OptionRange.check("--width", width, 64...16_384)
        try OptionRange.check("--quality", quality, 1...100)
        let isOwn = thumbnails.count != nil || thumbnails.every != nil || thumbnails.at != nil || thumbnails.scenes
        if rows != nil, isOwn {
            throw ValidationError(
                "--count, --every, --at and --scenes determine the number of rows: omit --rows")
        }
        if input.files.count > 1, output == "-" || suffixFormat != nil {
            throw ValidationError(
                "'\(output)' can contain only one sheet, but there are several films: specify a folder/")
        }
        if format != nil, !isFolder {
            throw ValidationError(
                "--format is only for a folder/, and '\(output)' already determines the format: omit --format")
        }
        if output == "-", json {
            throw ValidationError(
                "the picture and the JSON cannot both go to standard output: specify a file, or omit --json")
        }
    }

    func run() throws {
        var places = VideoOutputNames(input.files)
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in
            var options = ContactSheet.Options()
            var output = self.output
            if isFolder {
                options.format = format ?? .jpeg
                output = places.nextName(in: output) + "." + options.format.fileExtension
            } else {
                options.format = try namedFormat()
            }
            let target = try output == "-" ? nil : OutputFile(output, .picture, replacesFiles: others.replace)
            (options.columns, options.width, options.quality) = (columns, width, quality)
            (options.showsTimes, options.threadCount, options.background) = (!noTimes, thumbnails.threads, ground.color)
            options.deinterlaces = fields.deinterlace
            let choice = try thumbnails.choice(
                standard: ThumbnailPlan.Request(.count(columns * (rows ?? 5)), tolerance: .automatic),
                tolerance: nearness.tolerance)
            let asset = try input.open(file, network)
            (options.request, _) = try choice.request(for: asset)
            let bar = WorkBar("pictures")
            let interrupt = Interrupt()
            let sheet = try interrupt.cancellation.perform { () throws(ScrubError) in
                try asset.contactSheet(options: options, progress: { bar.show($0) })
            }
            bar.end()
            for warning in sheet.warnings { Terminal.say("warning: \(warning)") }
            if let nearness = sheet.approximationNote { Terminal.say(nearness) }
            guard let target else {
                try Terminal.write(sheet.bytes)
                return nil
            }
            try target.makeFolders()
            try AtomicFile.write(sheet.bytes, to: target)
            Terminal.print(
                json
                    ? sheet.json(of: asset, film: file.shown, output: output, face: .command).text
                    : "\(pictures(sheet)), \(sheet.width) x \(sheet.height) -> \(output)")
            return nil
        }
    }

    /// Whether sheets are named after their films, which is always so for several films.
    private var isFolder: Bool { output.utf8.last == UInt8(ascii: "/") || input.files.count > 1 }

    /// The format of the output's suffix; `nil` for other suffixes.
    private var suffixFormat: ContactSheet.Options.Format? { ContactSheet.Options.Format(suffixOf: output) }

    private func namedFormat() throws(ScrubError) -> ContactSheet.Options.Format {
        if output == "-" { return .jpeg }
        guard let named = suffixFormat else {
            throw ScrubError.wrongRequest(
                "the sheet format of '\(output)' is unknown",
                advice: "use a name that ends with .jpg, .png, .webp, .avif or .svg, or with / for a folder")
        }
        return named
    }

    private func pictures(_ sheet: ContactSheet) -> String {
        "\(sheet.slots.count) \(sheet.slots.count == 1 ? "picture" : "pictures")"
    }
}

extension ContactSheet.Options.Format: ExpressibleByArgument {
    /// Accepts a format's name in upper or lower case, and `jpg` for `jpeg`.
    public init?(argument: String) { self.init(named: argument) }
}
#endif
