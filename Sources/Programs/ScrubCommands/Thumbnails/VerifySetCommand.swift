#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubThumbnails
internal import ScrubReports

/// `scrub verify-set`: proves thumbnail sets.
struct VerifySetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-set",
        abstract: "Verify that thumbnail sets are well formed and that their pictures match their times.",
        discussion: """
            Reads all file formats that strip, thumbs and poster write, whichever program wrote the files: manifests, \
            WebVTT, JSON, BIF, HLS and DASH sets, Jellyfin's folders, contact sheets, moving previews, posters and \
            file managers' thumbnails. Checks their structure, decodes the video at a sample of their times, and \
            compares the pictures.
            """)

    @Argument(help: "The folder that contains the sets.", completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp(
            "The video that the sets were made from: a file, or an http:// or https:// address.", valueName: "file"),
        completion: .file())
    var against: MediaName

    @Option(
        parsing: .unconditional, help: "The stream's index in the video file, as in ffmpeg's -map 0:N.")
    var stream: Int?

    @Option(help: "How many thumbnails of each set to compare with the video.")
    var sample = 24

    @Option(
        help:
            "The interval of Jellyfin's folders in seconds, which their files do not contain. Default: taken from a manifest, or else deduced from the number of pictures."
    )
    var interval: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try FileArguments.check(stream: stream)
        if let interval, seconds(interval) == nil {
            throw ValidationError(
                "--interval '\(interval)' is not a time above 0: use a time such as 10, 0.5 or 500ms")
        }
        try OptionRange.check("--sample", sample, 1...1_000_000)
    }

    func run() throws {
        try reportingErrors(against.said) { () throws(ScrubError) in
            let asset = try openVideo(
                against, stream: stream, MediaAccess(cache: .standard, network: network))
            let bar = WorkBar("sets")
            let result = try asset.verifyThumbnailSets(
                in: folder, sample: sample, jellyfinInterval: interval.flatMap(seconds)
            ) { bar.show($0) }
            bar.end()
            if json { Terminal.print(result.json(folder: folder, film: against.shown).text) } else { say(result) }
            try result.check(folder: folder)
        }
    }

    private func seconds(_ text: String) -> Rational? {
        TypedSeconds.read(text).flatMap { $0 > .zero ? $0 : nil }
    }

    private func say(_ result: ThumbnailSets.Verification) {
        for set in result.sets {
            var text = "\(set.file): \(set.format)"
            if set.thumbnailCount > 0 {
                text += ", \(Amount.of(set.thumbnailCount, "picture")), \(set.comparedCount) compared with the video"
            }
            Terminal.print(text + (set.note.map { "; " + $0 } ?? ""))
        }
        for problem in result.problems { Terminal.print("\(problem.file): wrong: \(problem.reason)") }
        guard !result.sets.isEmpty else { return }
        let pictures = result.sets.reduce(0) { $0 + $1.thumbnailCount }
        let compared = result.sets.reduce(0) { $0 + $1.comparedCount }
        let wrong = result.problems.isEmpty ? "no problems" : Amount.of(result.problems.count, "problem")
        Terminal.print(
            "\(Amount.of(result.sets.count, "set")), \(Amount.of(pictures, "picture")), \(compared) compared with the video: \(wrong)"
        )
    }
}
#endif
