internal import ArgumentParser
internal import Scrub

/// `scrub verify-set`: proves thumbnail sets.
struct VerifySetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-set", abstract: "Prove that thumbnail sets are well formed and show the times they claim.",
        discussion: """
            Reads manifest.json, WebVTT, BIF, HLS image playlists and DASH tiles in a folder, whoever wrote them, and decodes \
            a sample of their times anew. Exit code 65 when something is wrong.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Option(help: "The video that the sets are of.", completion: .file())
    var against: String

    @Option(help: "How many thumbnails of each set are compared.")
    var sample = 24

    @Flag(help: "One JSON object.")
    var json = false

    func validate() throws {
        if sample < 1 { throw ValidationError("--sample \(sample): at least 1") }
    }

    func run() throws {
        try reportingErrors(against) { () throws(ScrubError) in
            let asset = try openVideo(against, cache: .standard)
            let bar = WorkBar("sets")
            let result = try asset.verifyThumbnailSets(in: folder, sample: sample) { bar.show($0, of: $1) }
            bar.end()
            if json { Terminal.print(text(result)) } else { say(result) }
            if result.sets.isEmpty, result.problems.isEmpty {
                throw ScrubError(.noInput, "there is no thumbnail set in it", file: folder)
            }
            guard result.isSound else {
                throw ScrubError(
                    .badData, "\(result.problems.count) problems in \(result.sets.count) sets", file: folder)
            }
        }
    }

    private func say(_ result: SetVerification) {
        for set in result.sets {
            Terminal.print(
                "\(set.file): \(set.format), \(set.thumbnailCount) thumbnails, \(set.comparedCount) compared with the video"
            )
        }
        for problem in result.problems { Terminal.print("\(problem.file): wrong: \(problem.reason)") }
    }

    private func text(_ result: SetVerification) -> String {
        var line = JSONLine()
        line.add("folder", folder)
        line.add("file", against)
        line.add("sound", result.isSound)
        line.add(
            "sets",
            .array(
                result.sets.map { set in
                    var entry = JSONLine()
                    entry.add("file", set.file)
                    entry.add("format", set.format)
                    entry.add("thumbnails", set.thumbnailCount)
                    entry.add("compared", set.comparedCount)
                    return .object(entry)
                }))
        line.add(
            "problems",
            .array(
                result.problems.map { problem in
                    var entry = JSONLine()
                    entry.add("file", problem.file)
                    entry.add("why", problem.reason)
                    return .object(entry)
                }))
        return line.text
    }
}
