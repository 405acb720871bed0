#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubThumbnails
internal import ScrubReports

/// `scrub poster`: frames that represent a film.
struct PosterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poster", abstract: "Find frames that represent the film and write them.",
        discussion: """
            Scores key pictures from the whole film by sharpness, exposure, contrast, colors and entropy, and by how \
            clearly a subject stands out from its background. Fades, black bars and burned-in text lower the score. \
            The posters of a film differ from each other, and the same film always gets the same posters. The posters \
            of several films are written to one folder, and each is named after its film.
            """)

    @OptionGroup var input: FilesArguments
    @OptionGroup var ground: GroundArgument
    @OptionGroup var fields: DeinterlaceArgument

    @Option(help: "How many posters to write.")
    var count = 1

    @Option(help: "How many key pictures to examine.")
    var candidates = 60

    @Option(help: "The posters' width in pixels. Default: the video's width.")
    var width: Int?

    @Option(
        help:
            "The maximum length of a poster's longer side in pixels, as in the requests of file managers. Default: no limit."
    )
    var size: Int?

    @Option(
        help:
            "The format: jpeg, png, webp or avif. Default: determined by the suffix of --output, or jpeg for a folder."
    )
    var format: ImageFormat?

    @Option(help: "The quality of the pictures, from 1 to 100.")
    var quality = 90

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    @Option(
        name: [.short, .long],
        help:
            "A file such as p.jpg (p-1.jpg and p-2.jpg with --count 2), or a folder/, in which posters.json is also written."
    )
    var output: String?

    @Flag(
        help:
            "Print the scores of every examined picture. If the output is a folder, also write them there, as explanation.json and as a drawing."
    )
    var explain = false

    @Flag(
        help:
            "Write the file's cover art instead (--stream chooses one of several)."
    )
    var cover = false

    @OptionGroup var turn: WaitArgument

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        if cover, count != 1 || explain {
            throw ValidationError("--cover writes the cover art without comparing pictures: omit --count and --explain")
        }
        if input.files.count > 1, let output, PosterTarget.format(ofSuffix: output) != nil {
            throw ValidationError(
                "'\(output)' can contain only one poster, but there are several films: specify a folder/")
        }
        if output == nil, !explain, !json {
            throw ValidationError("no output is specified for the poster: add --output FILE, or --output DIR/")
        }
        try OptionRange.checkFolder(output)
        try OptionRange.check("--count", count, 1...1000)
        try OptionRange.check("--candidates", candidates, 1...10_000)
        try OptionRange.check("--width", width, OptionRange.side)
        if width != nil, size != nil {
            throw ValidationError("--width and --size cannot be used together: omit one of them")
        }
        try OptionRange.check("--size", size, OptionRange.side)
        try OptionRange.check("--quality", quality, 1...100)
        try OptionRange.check("--threads", threads, OptionRange.threads)
    }

    func run() throws {
        var places = VideoOutputNames(input.files)
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in
            let output = try places.next(in: self.output).map { (path) throws(ScrubError) in
                try place(path, of: file)
            }
            if cover {
                try writeCover(of: file, to: output)
                return nil
            }
            let writer = try output.map { (path) throws(ScrubError) in
                try PosterWriter(path, count: count, writing)
            }
            let asset = try input.open(file, network)
            var options = Poster.Options()
            (options.count, options.candidateCount, options.threadCount) = (count, candidates, threads)
            let bar = WorkBar("looking")
            let report = try asset.posterReport(options: options) { bar.show($0) }
            bar.end()
            if let note = report.note {
                Terminal.say(report.posters.contains { $0.damage != nil } ? "warning: \(note)" : note)
            }
            for omission in asset.omissions { Terminal.say("warning: \(omission)") }
            // Offered, but never compared with the film's own pictures.
            let covers = explain ? try CoverArt.load(from: asset.file) : []
            var files: [Int: String] = [:]
            if let writer {
                if let folder = writer.folder { turn.sayIfWaiting(for: folder) }
                files = try writer.write(report, covers: covers, of: asset, film: file.shown) {
                    Terminal.say("warning: \($0)")
                }
            }
            if json {
                var line = report.json(
                    files, covers: explain ? covers : nil, of: asset, film: file.shown, face: .command)
                line.add(network: asset.networkCost)
                Terminal.print(line.text)
            } else {
                say(report, files, covers, input.files.count > 1 ? "\(file.shown): " : "")
            }
            return nil
        }
    }

    /// How posters are written.
    private var writing: PosterWriter.Options {
        var options = PosterWriter.Options()
        (options.format, options.width, options.side, options.quality) = (format, width, size, quality)
        (options.background, options.deinterlaces, options.explains) = (ground.color, fields.deinterlace, explain)
        (options.replacesFiles, options.waits) = (others.replace, turn.wait)
        return options
    }

    /// Returns the output of one of several films: a picture with the film's name, or a folder for related files.
    private func place(_ path: String, of file: MediaName) throws(ScrubError) -> String {
        guard input.files.count > 1, !cover else { return path }
        return count > 1 || explain ? path + "/" : path + "." + (format ?? .jpeg).fileExtension
    }

    private func writeCover(of file: MediaName, to output: String?) throws(ScrubError) {
        let cover = try CoverArt.chosen(in: try input.access(network).source(file), stream: input.stream)
        var path = output
        if let output {
            let suffix = input.files.count > 1 ? "." + (format?.fileExtension ?? cover.fileExtension) : ""
            let written = try cover.write(to: output + suffix, writing)
            path = written.path
            for warning in written.warnings { Terminal.say("warning: \(warning)") }
            if !json { Terminal.print("cover art of stream \(cover.stream), \(cover.codec) -> \(written.path)") }
        }
        if json { Terminal.print(cover.json(film: file.shown, output: path).text) }
    }

    /// - Parameter film: the film's name, which is printed before lines that do not have it.
    private func say(_ report: Poster.Report, _ files: [Int: String], _ covers: [CoverArt], _ film: String) {
        for poster in report.posters {
            var text =
                "\(film)frame \(poster.frame.number) at \(poster.frame.timeText), score \(Clock.rounded(poster.scores.score, 3))"
            if let file = files[poster.frame.number] { text += " -> \(file)" }
            Terminal.print(text)
        }
        guard explain else { return }
        let chosen = Set(report.posters.map(\.frame.number))
        for candidate in report.candidates {
            let mark = chosen.contains(candidate.frame.number) ? "*" : " "
            Terminal.print("\(mark) frame \(candidate.frame.number): \(candidate.scores.explanation)")
        }
        for cover in covers { Terminal.print("  cover art, not scored: \(cover.facts)") }
    }
}
#endif
