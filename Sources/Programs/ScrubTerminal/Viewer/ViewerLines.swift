internal import ScrubBase
internal import ScrubMedia

/// The content of the screen.
struct ViewerShown: Sendable, Hashable {
    var frame: PresentedFrame
    var requestedFrame: Int
    var stage: ScrubSession.Update.Stage
    var verdict: Verdict
    /// The coded picture's type, for an exact picture.
    var type: String?
    var decodedPictureCount: Int
    var isCacheHit: Bool
    /// Whether the picture is this frame's; there may be no picture.
    var hasPicture: Bool

    /// Without the picture, which would otherwise be retained.
    init(_ update: ScrubSession.Update) {
        (frame, requestedFrame, stage, verdict) = (update.frame, update.requestedFrame, update.stage, update.verdict)
        (decodedPictureCount, isCacheHit) = (update.decodedPictureCount, update.isCacheHit)
        hasPicture = update.picture != nil
        type = update.stage == .exact ? update.picture?.typeName : nil
    }
}

/// The lines below the picture: the position, and the frame's facts.
enum ViewerLines {
    /// Returns the timeline: the elapsed part, the position, and key pictures if they are not too close together.
    static func bar(_ machine: ViewerMachine, columns: Int) -> TerminalLine {
        let (asset, count) = (machine.asset, max(2, columns - 1))
        var line = TerminalLine()
        let head = machine.column(ofFrame: machine.frame, columns: count)
        let ticks = machine.keyColumns(columns: count)
        var (run, style): (String, TerminalLine.Style?) = ("", nil)
        for column in 0..<count {
            let next: TerminalLine.Style = column == head ? .bold : column < head ? .plain : .dim
            if next != style {
                if let style { line.add(run, style) }
                (run, style) = ("", next)
            }
            run += column == head ? "█" : ticks.contains(column) ? "┴" : column < head ? "━" : "─"
        }
        if let style, !asset.frames.isEmpty { line.add(run, style) }
        return line
    }

    /// Returns number, time, type, verdict and cost of the shown frame, never of a frame that is only requested.
    static func status(_ machine: ViewerMachine, _ shown: ViewerShown?, name: String) -> TerminalLine {
        if let prompt = machine.prompt { return prompt.line(machine.asset) }
        var line = TerminalLine()
        func add(_ text: String, _ style: TerminalLine.Style = .plain) {
            line.add("\(text)  ", style)
        }
        if machine.isPlaying {
            let rate = machine.rate
            add(rate == 1 ? ">" : rate == -1 ? "<" : (rate < 0 ? "< x" : "> x") + "\(rate.magnitude.numerator)", .bold)
        }
        if let factor = machine.fineFactor { add("fine \(factor.numerator)/\(factor.denominator)", .bold) }
        let last = machine.asset.frames.count - 1
        if let message = machine.message {
            // Until the next action; there is seldom room for more.
            add("f\(shown?.frame.number ?? machine.frame)/\(last)", .dim)
            line.add(message, .bad)
            return line
        }
        guard let shown else {
            add("f\(machine.frame)/\(last)", .dim)
            add("wait", .caution)
            add(name, .dim)
            return line
        }
        let isArrived = shown.stage == .exact && shown.frame.number == machine.frame
        add("f\(shown.frame.number)/\(last)", isArrived ? .bold : .dim)
        add("\(shown.frame.timeText)/\(TimeText(machine.asset.duration).clock)")
        if let type = shown.type { add(type) }
        switch (shown.stage, shown.verdict) {
        case (.exact, .exact): add("exact", .good)
        case (.exact, let verdict): add(verdict.name, .bad)
        case (.awaitingMemory, _): add("no memory yet", .bad)
        case (.failed, _): add("failed", .bad)
        case (.preview, _): add("preview", .caution)
        case (.approximate, _): add("nearest", .caution)
        }
        if !isArrived { add("-> f\(machine.frame)", .dim) }
        if shown.stage == .exact { add(shown.isCacheHit ? "kept" : "\(shown.decodedPictureCount) decoded", .dim) }
        if shown.stage == .exact, !shown.hasPicture { add("an earlier picture is shown", .bad) }
        if machine.skippedCount > 0 { add("\(machine.skippedCount) skipped", .caution) }
        if case .damaged(let reason) = shown.verdict { add(reason.text(for: .command), .dim) }
        if case .undecodable(let reason) = shown.verdict { add(reason.text(for: .command), .dim) }
        add(name, .dim)
        line.add("? help", .dim)
        return line
    }
}
