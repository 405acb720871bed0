#if CommandLine
internal import ScrubFileIO
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubBatch
internal import Synchronization

/// Reports the progress of a batch to people, programs, logs and collectors.
///
/// Thread safety: safe from any thread.
final class BatchReporter: Sendable {
    private struct State {
        var counts: [BatchOutcome.Status: Int] = [:]
        var pictures = 0
        var byteCount = 0
        var cpu = 0.0
        var done = 0.0
        var lastMetrics: ContinuousClock.Instant?
        var hasReportedMetrics = false
        var hasReportedLog = false
        var isOver = false
        /// Whether the run has ended.
        var isWhole = false
        /// For a watched library, the number of awaited films, and how many of them are incomplete.
        var waiting: (films: Int, incomplete: Int)?
    }

    private let json: Bool
    private let log: LineLog?
    private let metrics: OutputFile?
    private let start = ContinuousClock.now
    private let state = Locked(State())
    /// Whether the terminal's last line says that there is nothing to do.
    private let isWaitShown = Atomic(false)

    /// The arguments that name the results and their state, for other commands.
    private let place: String

    init(json: Bool, log: String?, metrics: String?, place: String) throws(ScrubError) {
        (self.json, self.place) = (json, place)
        self.metrics = try metrics.map { (path) throws(ScrubError) in try OutputFile(path, .metrics) }
        self.log = try log.map { (path) throws(ScrubError) in try LineLog(try OutputFile(path, .log)) }
    }

    /// Adds a line to the log. A failed write does not end the run; the first failure is reported.
    private func keep(_ line: String) {
        do throws(ScrubError) {
            try log?.append(line)
        } catch {
            if !state.exchange(\.hasReportedLog, for: true) { say(error.description) }
        }
    }

    /// Reports a film, one call at a time.
    func tell(_ outcome: BatchOutcome) {
        let line = BatchReporter.json(outcome).text
        keep(line)
        let text = state.withLock { state -> String? in
            state.counts[outcome.status, default: 0] += 1
            if outcome.status == .done {
                state.pictures += outcome.pictures
                state.byteCount += outcome.byteCount
                state.cpu += outcome.cpu
            }
            return outcome.status == .failed ? outcome.reason : nil
        }
        if json {
            Terminal.print(line)
            try? Terminal.flush()
        } else if let text {
            clear()
            Terminal.complain("\(outcome.file.path): \(text)")
        } else if outcome.status == .skipped {
            clear()
            Terminal.say("\(outcome.file.path): skipped, \(outcome.reason ?? "")")
        }
        if !json {
            for warning in outcome.warnings {
                clear()
                Terminal.say("\(outcome.file.path): warning: \(warning)")
            }
        }
        writeMetrics(isLast: false)
    }

    /// Shows the progress.
    func progress(_ done: Double) {
        let text = state.withLock { state -> [String] in
            state.done = done
            let finished = state.counts.values.reduce(0, +)
            let seconds = Double(start.duration(to: .now).wholeNanoseconds) / 1e9
            let rate = seconds > 0 ? Double(state.counts[.done] ?? 0) / seconds : 0
            let left = done > 0.001 ? Clock.left(seconds * (1 - done) / done) : "?"
            let failed = state.counts[.failed] ?? 0
            return [
                " \(Amount.of(finished, "film"))", ", \(Clock.rounded(rate, 1))/s",
                failed > 0 ? ", \(failed) failed" : "",
                ", \(left) left",
            ]
        }
        isWaitShown.store(false, ordering: .relaxed)
        guard Terminal.showsBars, start.duration(to: .now) > .milliseconds(300) else { return }
        Terminal.drawBar(ProgressLine("batch", done, text).text(columns: Terminal.width))
    }

    /// Prints a message that does not concern a single film.
    func say(_ text: String) {
        clear()
        Terminal.say(text)
    }

    /// Reports that a film's results were removed.
    func tellRemoved(_ path: String, _ place: String) {
        var line = JSONText()
        line.add(path: path)
        line.add("place", SystemName.unicode(place))
        line.add("status", "removed")
        keep(line.text)
        say("\(path): the film no longer exists, so its results were removed")
    }

    /// Reports that there is currently nothing to do.
    func waits(films: Int, incomplete: Int) {
        let isNews = state.withLock { state in
            defer { state.waiting = (films, incomplete) }
            return state.waiting.map { $0 != (films, incomplete) } ?? true
        }
        let wasShown = isWaitShown.exchange(true, ordering: .relaxed)
        if Terminal.showsBars, isNews || !wasShown {
            let words = films == 0 ? "" : ": \(Amount.of(films, "film")) not started, \(incomplete) of them incomplete"
            Terminal.drawBar("waiting for films\(words)")
        }
        if isNews { writeMetrics(isLast: false) }
    }

    private func clear() {
        isWaitShown.store(false, ordering: .relaxed)
        Terminal.wipeBar()
    }

    /// Reports that the run has ended with an error.
    func fail() {
        clear()
        writeMetrics(isLast: true)
    }

    /// Sums up.
    func end(_ summary: BatchSummary) {
        clear()
        state.withLock { $0.isWhole = !summary.isBrokenOff }
        writeMetrics(isLast: true)
        for problem in summary.problems { Terminal.complain(problem.description) }
        let line = BatchReporter.json(summary)
        keep(line.text)
        if json { return Terminal.print(line.text) }
        func count(_ status: BatchOutcome.Status) -> Int { summary.counts[status] ?? 0 }
        var words = ["\(Amount.of(count(.done), "film")) done", "\(count(.kept)) current"]
        if count(.failed) > 0 { words.append("\(count(.failed)) failed (scrub batch failures \(place) shows why)") }
        if count(.skipped) > 0 { words.append("\(count(.skipped)) skipped") }
        if summary.unbegun > 0 { words.append("\(summary.unbegun) not started because the cache is full") }
        if !summary.problems.isEmpty { words.append("\(Amount.of(summary.problems.count, "folder")) not searched") }
        if summary.passedOver > 0 { words.append("\(Amount.of(summary.passedOver, "file")) of other kinds") }
        Terminal.print(
            words.joined(separator: ", ")
                + "; \(Amount.of(summary.pictures, "picture")), \(Amount.size(Int64(summary.byteCount))), \(Clock.rounded(summary.seconds, 1)) s"
        )
        if summary.isBrokenOff { Terminal.complain("stopped: run the same command again to continue from here") }
    }

    /// Returns a film's line.
    static func json(_ outcome: BatchOutcome) -> JSONText {
        var line = JSONText()
        line.add(path: outcome.file.path)
        line.add("place", SystemName.unicode(outcome.file.place))
        line.add("status", outcome.status.rawValue)
        line.add("reason", outcome.reason)
        if let code = outcome.code { line.add("code", code) }
        line.add("seconds", rounded(outcome.seconds))
        line.add("pictures", outcome.pictures)
        if outcome.status == .done {
            line.add("cpu", rounded(outcome.cpu))
            line.add("decoded", outcome.decoded)
            if let predicted = outcome.predicted { line.add("predicted", rounded(predicted)) }
        }
        line.add("bytes", outcome.byteCount)
        if !outcome.warnings.isEmpty { line.add("warnings", .array(outcome.warnings.map { .string($0) })) }
        return line
    }

    private static func json(_ summary: BatchSummary) -> JSONText {
        var object = JSONText()
        object.add("files", summary.files)
        for status in [BatchOutcome.Status.done, .kept, .failed, .skipped] {
            object.add(status.rawValue, summary.counts[status] ?? 0)
        }
        object.add("unbegun", summary.unbegun)
        object.add("passedOver", summary.passedOver)
        object.add("problems", .array(summary.problems.prefix(1000).map { .string($0.description) }))
        object.add("pictures", summary.pictures)
        object.add("decoded", summary.decoded)
        object.add("bytes", summary.byteCount)
        object.add("seconds", rounded(summary.seconds))
        object.add("cpu", rounded(summary.cpu))
        object.add("peakBytes", summary.peakBytes)
        object.add("isBrokenOff", summary.isBrokenOff)
        var line = JSONText()
        line.add("summary", .object(object))
        return line
    }

    static func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }

    /// Writes the metrics' file, if there is one, and not too often.
    private func writeMetrics(isLast: Bool) {
        if isLast { state.withLock { $0.isOver = true } }
        guard let metrics else { return }
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            if !isLast, let last = state.lastMetrics, last.duration(to: now) < .seconds(5) { return false }
            state.lastMetrics = now
            return true
        }
        guard isDue else { return }
        // A collector that misses one file gets the next; if none can be written, this is reported once.
        do throws(ScrubError) {
            try AtomicFile.write(Array(metricsText.utf8), to: metrics)
        } catch {
            if !state.exchange(\.hasReportedMetrics, for: true) {
                say("the metrics cannot be written: \(error.description)")
            }
        }
    }

    /// The state in Prometheus' text format, version 0.0.4.
    var metricsText: String {
        state.withLock { state in
            var text =
                "# HELP scrub_batch_files_total Films in this run by outcome.\n# TYPE scrub_batch_files_total counter\n"
            for status in [BatchOutcome.Status.done, .kept, .failed, .skipped] {
                text += "scrub_batch_files_total{status=\"\(status.rawValue)\"} \(state.counts[status] ?? 0)\n"
            }
            func add(_ name: String, _ kind: String, _ help: String, _ value: String) {
                text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n\(name) \(value)\n"
            }
            add("scrub_batch_pictures_total", "counter", "Pictures in this run's results.", "\(state.pictures)")
            add("scrub_batch_result_bytes_total", "counter", "Bytes in this run's results.", "\(state.byteCount)")
            add(
                "scrub_batch_cpu_seconds_total", "counter", "Processor time spent on films that are done.",
                "\(state.cpu)")
            add(
                "scrub_batch_progress_ratio", "gauge", "Fraction of the predicted work that is done.",
                "\(state.isWhole ? 1 : state.done)")
            if let waiting = state.waiting {
                add("scrub_batch_waiting_files", "gauge", "Films that the run is waiting for.", "\(waiting.films)")
                add(
                    "scrub_batch_incomplete_files", "gauge", "Incomplete films that the run is waiting for.",
                    "\(waiting.incomplete)")
            }
            add("scrub_batch_running", "gauge", "Whether the run is in progress.", state.isOver ? "0" : "1")
            return text
        }
    }
}
#endif
