internal import ArgumentParser
internal import Scrub

/// `scrub info`: what a video is, and what else is in its file.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Tell what videos are, what is in their files, and what exact frames cost in them.",
        discussion: """
            What exact frames cost is counted over all frames of a short video, and estimated from a sample of a long one, \
            unless --cost has counted it before. Of several files a bad one is reported, and the others are still told of; \
            the exit code is the greatest of all.
            """)

    @OptionGroup var input: FilesArguments

    @Flag(
        help: "Count what each exact frame costs, which reads the header of every picture; remembered with the index.")
    var cost = false

    @Flag(help: "One JSON object for each file.")
    var json = false

    func run() throws {
        var isFirst = true
        try forEachFile(input.files) { (file) throws(ScrubError) in
            let asset = try input.open(file)
            let bar = ProgressBar("counting")
            let info = try asset.info(countsCost: cost, progress: { bar.show($0) })
            if !json, !isFirst { Terminal.print("") }
            isFirst = false
            Terminal.print(json ? InfoJSON(asset, info).text : InfoText(asset, info).text)
        }
    }
}

extension VideoInfo {
    /// Stills that come with the file.
    var covers: [MediaStream] { streams.filter(\.isCover) }
    /// Tags that people look for, first those of the film itself.
    static let soughtTags = [
        "title", "artist", "album", "date", "creation_time", "encoder", "comment", "com.apple.quicktime.make",
        "com.apple.quicktime.model", "location",
    ]
}
