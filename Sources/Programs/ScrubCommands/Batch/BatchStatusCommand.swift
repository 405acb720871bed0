#if CommandLine
internal import ArgumentParser
internal import ScrubReports
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// `scrub batch status`: the known state of a library.
struct BatchStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Count the films of a results folder by outcome.")

    @OptionGroup var place: BatchFolderArguments

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(place.to) { () throws(ScrubError) in
            let state = try place.open()
            var line = JSONText()
            var words: [String] = []
            let totals = try state.totals()
            for status in BatchState.Status.allCases where status != .working {
                let count = totals[status]?.films ?? 0
                line.add(status.rawValue, count)
                if count > 0 || status == .done { words.append("\(count) \(BatchStatusCommand.word(status))") }
            }
            let done = totals[.done] ?? BatchState.Totals()
            let working = try state.inHand()
            line.add("working", working.count)
            line.add("pictures", done.pictures)
            line.add("bytes", done.bytes)
            line.add("cpu", BatchReporter.rounded(done.cpu))
            line.add("state", state.path)
            if json { return Terminal.print(line.text) }
            let made = "\(Amount.of(done.pictures, "picture")), \(Amount.size(Int64(done.bytes)))"
            Terminal.print("\(words.joined(separator: ", ")); \(made)")
            for film in working { Terminal.print("in progress: \(film)") }
        }
    }

    private static func word(_ status: BatchState.Status) -> String {
        switch status {
        case .done: "done"
        case .failed: "failed"
        case .waiting: "to be retried"
        case .other: "of other kinds"
        case .left: "left unchanged"
        case .working: "in progress"
        }
    }
}

/// `scrub batch failures`: which films failed, and why.
struct BatchFailuresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failures", abstract: "List which films failed, why, and when they will be retried.")

    @OptionGroup var place: BatchFolderArguments

    @Flag(help: "Print one JSON object for each film.")
    var json = false

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(place.to) { () throws(ScrubError) in
            let state = try place.open()
            for row in try state.rows(.failed) + state.rows(.waiting) {
                let next = row.nextTry(now: BatchClock.now)
                if json {
                    var line = JSONText()
                    line.add(path: row.path)
                    line.add("status", row.status.rawValue)
                    line.add("reason", row.reason)
                    line.add("code", row.code)
                    line.add("attempts", row.attempts)
                    switch next {
                    case .never: line.add("triesAgain", false)
                    case .nextRun: line.add("triesAgain", true)
                    case .after(let seconds):
                        line.add("triesAgain", true)
                        line.add("inSeconds", Int(seconds))
                    }
                    if row.status == .waiting { line.add("notBefore", max(0, row.notBefore)) }
                    Terminal.print(line.text)
                } else {
                    Terminal.print(
                        "\(row.path): \(row.reason ?? ""); \(BatchFailuresCommand.words(next))")
                }
            }
        }
    }

    private static func words(_ next: BatchState.NextTry) -> String {
        switch next {
        case .never: "not retried automatically (use scrub batch retry)"
        case .nextRun: "will be retried by the next run"
        case .after(let seconds): "will be retried by the first run after \(Clock.left(Double(seconds))) have passed"
        }
    }
}

/// `scrub batch retry`: retries failed films.
struct BatchRetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Make the next run retry all failed films, or only the specified ones.")

    @Argument(
        help: ArgumentHelp(
            "The films to retry, named as in the output of scrub batch failures. Default: all failed films.",
            valueName: "film"))
    var films: [String] = []

    @OptionGroup var place: BatchFolderArguments

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(place.to) { () throws(ScrubError) in
            let count = try place.open().retry(films)
            guard count > 0 || films.isEmpty else {
                throw ScrubError.wrongRequest(
                    "none of these films has failed", advice: "use the names that scrub batch failures prints")
            }
            Terminal.print("\(Amount.of(count, "film")) will be retried by the next run")
        }
    }
}
#endif
