#if CommandLine
internal import ScrubFileIO
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubBatch

extension BatchRunCommand {
    /// Reports the work of a run: the same films, and the same failures as far as opening the films reveals them.
    func tellPlan(
        _ options: BatchOptions, _ work: BatchWork, _ found: [BatchSource]
    ) throws(ScrubError) -> BatchSummary {
        let bar = WorkBar("planning")
        let report = try BatchPlanner(options, work).plan(found, onlyMissing: true) { bar.show($0, of: $1) }
        bar.end()
        for film in report.films {
            guard json else {
                Terminal.print(film.file.path)
                continue
            }
            var line = JSONText()
            line.add(path: film.file.path)
            line.add("status", "missing")
            line.add("bytes", film.file.facts.byteCount)
            Terminal.print(line.text)
        }
        for failure in report.failures {
            if json {
                Terminal.print(BatchReporter.json(failure).text)
            } else {
                Terminal.complain("\(failure.file.path): \(failure.reason ?? "")")
            }
        }
        for problem in report.problems { Terminal.complain(problem.description) }
        if json { Terminal.print(BatchRunCommand.summary(report).text) } else { say(report) }
        return BatchSummary()
    }

    private static func summary(_ report: BatchPlanner.Report) -> JSONText {
        var object = JSONText()
        object.add("files", report.films.count + report.outcomes.count)
        object.add("missing", report.films.count)
        for status in [BatchOutcome.Status.kept, .failed, .skipped] {
            object.add(status.rawValue, report.count(status))
        }
        object.add("passedOver", report.passedOver)
        var line = JSONText()
        line.add("summary", .object(object))
        return line
    }

    private func say(_ report: BatchPlanner.Report) {
        var words = ["\(Amount.of(report.films.count, "film")) would be processed"]
        if report.count(.kept) > 0 { words.append("\(report.count(.kept)) current") }
        if report.count(.failed) > 0 { words.append("\(report.count(.failed)) cannot be processed") }
        if report.count(.skipped) > 0 { words.append("\(report.count(.skipped)) skipped") }
        if report.passedOver > 0 { words.append("\(Amount.of(report.passedOver, "file")) of other kinds") }
        Terminal.say(words.joined(separator: ", "))
    }
}
#endif
