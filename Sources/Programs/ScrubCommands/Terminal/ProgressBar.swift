#if CommandLine
internal import Scrub
internal import ScrubBase

/// A bar on standard error for work that takes noticeably long, if it is a terminal.
struct ProgressBar {
    private let label: String
    private let start = ContinuousClock().now

    init(_ label: String) { self.label = label }

    /// Shows the progress of the work. The bar is removed when all of it is done.
    func show(_ progress: WorkProgress) { show(progress.fraction ?? 0) }

    /// Shows the progress of the work, from 0 to 1; 1 removes the bar.
    func show(_ fraction: Double) {
        guard Terminal.showsBars, start.duration(to: ContinuousClock().now) > .milliseconds(300) else { return }
        FetchMeter.shared.makeRoom(isBar: true)
        if fraction >= 1 {
            Terminal.wipeBar()
            return
        }
        let notes = [" \(Int(max(0, fraction) * 100)) %"] + fetchedNotes
        Terminal.drawBar(ProgressLine(label, fraction, notes).text(columns: Terminal.width))
    }
}

/// The bar's notes about the network.
private var fetchedNotes: [String] {
    FetchMeter.shared.total.map { [", \(Amount.size($0.fetchedByteCount)) fetched"] } ?? []
}

/// A bar with the rate and the remaining time, for countable work.
struct WorkBar {
    private let label: String
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(_ label: String) {
        self.label = label
        start = clock.now
    }

    /// Shows how much of the work is done. Work of unknown size has no bar.
    func show(_ progress: WorkProgress) { show(Int(progress.completed), of: Int(progress.total ?? 0)) }

    /// Shows how much of the work is done.
    func show(_ done: Int, of count: Int) {
        let elapsed = start.duration(to: clock.now)
        guard Terminal.showsBars, elapsed > .milliseconds(300), count > 0 else { return }
        let seconds = Double(elapsed.wholeNanoseconds) / 1e9
        let rate = Double(done) / seconds
        let left = rate > 0 ? Clock.left(Double(count - done) / rate) : "?"
        let line = ProgressLine(
            label, Double(done) / Double(count),
            [" \(done) of \(count)", ", \(Clock.rounded(rate, 1))/s", ", \(left) left"] + fetchedNotes)
        FetchMeter.shared.makeRoom(isBar: true)
        Terminal.drawBar(line.text(columns: Terminal.width))
    }

    /// Removes the bar.
    func end() { Terminal.wipeBar() }
}
#endif
