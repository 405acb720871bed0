internal import ArgumentParser
internal import FileIO
internal import Scrub

/// `scrub poster`: frames that stand for a film.
struct PosterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poster", abstract: "Find frames that stand for the film, and write them.",
        discussion: """
            Key pictures all over the film are scored by sharpness, exposure, contrast, colors, entropy, and what speaks against \
            them: fades, black bars, burned-in text. Posters differ from each other; the same film gives the same ones.
            """)

    @OptionGroup var input: FileArguments
    @OptionGroup var ground: GroundArgument

    @Option(help: "How many posters.")
    var count = 1

    @Option(help: "Key pictures that are looked at.")
    var candidates = 60

    @Option(help: "Their width in pixels; without it the video's own.")
    var width: Int?

    @Option(help: "Their longer side at most, in pixels; for file managers.")
    var size: Int?

    @Option(help: "The format where --output is a folder: jpeg, png, webp, avif.")
    var format = ImageFormat.jpeg

    @Option(help: "The encoder's quality, 1 to 100.")
    var quality = 90

    @Option(help: "Decoding threads; without it as many as there are processors.")
    var threads: Int?

    @Option(
        name: [.short, .long],
        help: "A file, whose suffix says the format, or with a '/' at the end or several posters a folder.")
    var output: String?

    @Flag(
        help:
            "Say the scores of every picture that was looked at; with a folder also as explanation.json and as a picture."
    )
    var explain = false

    @Flag(
        help:
            "Write the cover art that the file carries instead: as it is, or in the format of --output's suffix. --stream names one of several."
    )
    var cover = false

    @Flag(help: "One JSON object.")
    var json = false

    func validate() throws {
        if cover, count != 1 || explain { throw ValidationError("--cover writes one picture and weighs none") }
        if output == nil, !explain, !json { throw ValidationError("--output says where the poster goes") }
        try OptionRange.check("--count", count, 1...1000)
        try OptionRange.check("--candidates", candidates, 1...10_000)
        try OptionRange.check("--width", width, OptionRange.side)
        if width != nil, size != nil { throw ValidationError("give either --width or --size") }
        try OptionRange.check("--size", size, OptionRange.side)
        if !(1...100).contains(quality) { throw ValidationError("--quality \(quality): from 1 to 100") }
        try OptionRange.check("--threads", threads, OptionRange.threads)
    }

    func run() throws {
        try reportingErrors(input.file) { () throws(ScrubError) in
            if cover { return try writeCover() }
            let target = try output.map { (path) throws(ScrubError) in
                try PosterTarget(path, isShared: count > 1, format: format)
            }
            let asset = try input.open()
            var options = PosterOptions()
            (options.count, options.candidateCount, options.threadCount) = (count, candidates, threads)
            let bar = WorkBar("looking")
            let report = try asset.posters(options) { bar.show($0, of: $1) }
            bar.end()
            var files: [Int: String] = [:]
            if let target { files = try write(report.posters, asset, target) }
            if let note = report.note { Terminal.say(note) }
            // Offered, but never weighed against the film's own pictures.
            let covers = explain ? try CoverArt.all(in: input.file) : []
            let text = self.json(report, files, covers, asset.missing)
            if explain, let folder = target?.folder {
                try AtomicFile.write(Array(report.sheet.utf8), to: folder + "explanation.svg")
                try AtomicFile.write(Array((text + "\n").utf8), to: folder + "explanation.json")
            }
            if json {
                Terminal.print(text)
            } else {
                say(report, files, covers)
            }
        }
    }

    private func writeCover() throws(ScrubError) {
        let cover = try CoverArt.chosen(in: input.file, stream: input.stream)
        var line = cover.json
        if var path = output {
            if path.hasSuffix("/") {
                try Folder.make(path)
                path += "cover"
            }
            let name = path.split(separator: "/").last ?? ""
            if !name.contains(".") { path += "." + cover.fileExtension }
            var (bytes, warnings) = (cover.bytes, [String]())
            if width != nil || size != nil || !path.lowercased().hasSuffix("." + cover.fileExtension) {
                let made = try cover.encoded(
                    as: try PosterTarget(path, isShared: false, format: format).format, width: width, fittingSide: size,
                    quality: quality)
                (bytes, warnings) = (made.bytes, made.warnings)
            }
            try AtomicFile.write(bytes, to: path)
            for warning in warnings { Terminal.say("warning: \(warning)") }
            line.add("file", path)
            if !json { Terminal.print("cover art of stream \(cover.stream), \(cover.codec) -> \(path)") }
        }
        guard json else { return }
        var whole = JSONText()
        whole.add("file", input.file)
        whole.add("cover", .object(line))
        Terminal.print(whole.text)
    }

    private func write(
        _ posters: [Poster], _ asset: VideoAsset, _ target: PosterTarget
    ) throws(ScrubError) -> [Int: String] {
        var files: [Int: String] = [:]
        let ranks = Dictionary(uniqueKeysWithValues: posters.enumerated().map { ($1.frame.number, $0) })
        var reader = FrameReader(asset)
        if let folder = target.folder { try Folder.make(folder) }
        try reader.eachFrame(numbered: ranks.keys) { (answer) throws(ScrubError) in
            guard let picture = answer.picture, let rank = ranks[answer.frame.number] else { return }
            let encoded = try picture.encoded(
                as: target.format, width: width, fittingSide: size, quality: quality, ground: ground.color)
            let name = target.name(rank: rank, frame: answer.frame.number)
            try AtomicFile.write(encoded.bytes, to: name)
            for warning in encoded.warnings { Terminal.say("warning: \(warning)") }
            files[answer.frame.number] = name
        }
        return files
    }

    private func json(
        _ report: PosterReport, _ files: [Int: String], _ covers: [CoverArt], _ missing: MissingMedia?
    ) -> String {
        var line = JSONText()
        line.add("file", input.file)
        line.add(missing: missing)
        line.add("posters", .array(report.posters.map { .object(PosterCommand.json($0, files)) }))
        if explain {
            line.add("candidates", .array(report.candidates.map { .object(PosterCommand.json($0, [:])) }))
            line.add("coverArt", .array(covers.map { .object($0.json) }))
        }
        if let note = report.note { line.add("note", note) }
        return line.text
    }

    private static func json(_ poster: Poster, _ files: [Int: String]) -> JSONText {
        var line = JSONText()
        line.add("frame", poster.frame.number)
        line.add("seconds", poster.frame.seconds)
        line.add("score", poster.scores.score)
        var scores = JSONText()
        for criterion in PosterCriterion.allCases { scores.add(criterion.rawValue, poster.scores[criterion]) }
        line.add("scores", .object(scores))
        line.add("blurHash", poster.blurHash)
        line.add("thumbHash", poster.thumbHashText)
        if let reason = poster.scores.blank?.reason { line.add("blank", reason) }
        if let file = files[poster.frame.number] { line.add("file", file) }
        return line
    }

    private func say(_ report: PosterReport, _ files: [Int: String], _ covers: [CoverArt]) {
        for poster in report.posters {
            var text =
                "frame \(poster.frame.number) at \(Clock.text(poster.frame.seconds)), score \(Clock.rounded(poster.scores.score, 3))"
            if let file = files[poster.frame.number] { text += " -> \(file)" }
            Terminal.print(text)
        }
        guard explain else { return }
        let chosen = Set(report.posters.map(\.frame.number))
        for candidate in report.candidates {
            let mark = chosen.contains(candidate.frame.number) ? "*" : " "
            Terminal.print("\(mark) frame \(candidate.frame.number): \(candidate.scores.explanation)")
        }
        for cover in covers { Terminal.print("  cover art, not weighed: \(cover.facts)") }
    }
}

/// Where posters are written.
struct PosterTarget {
    let format: ImageFormat
    /// With a slash at its end; `nil` for a single file.
    let folder: String?
    private let path: String

    init(_ path: String, isShared: Bool, format: ImageFormat) throws(ScrubError) {
        self.path = path
        if isShared || path.hasSuffix("/") {
            folder = path.hasSuffix("/") ? path : path + "/"
            self.format = format
            return
        }
        folder = nil
        let suffix = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let named: ImageFormat? = suffix == "jpg" ? .jpeg : ImageFormat(rawValue: suffix)
        guard path.contains("."), let named else {
            throw ScrubError(
                .usage, "'\(path)' names no picture format", advice: "end it with .jpg, .png, .webp or .avif, or with /"
            )
        }
        self.format = named
    }

    func name(rank: Int, frame: Int) -> String {
        guard let folder else { return path }
        return "\(folder)poster-\(rank + 1)-frame-\(frame).\(format.fileExtension)"
    }
}
