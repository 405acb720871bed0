#if CommandLine
internal import Scrub

/// A played gesture as a picture: the frames that the finger requested, and those that were shown, over time.
struct GesturePlot {
    private let recording: GesturePlayer.Recording
    private let frameCount: Int
    private let lastTime: Double
    /// The frames in the plot, with a margin.
    private let frames: (low: Double, high: Double)

    init(recording: GesturePlayer.Recording, frameCount: Int) {
        (self.recording, self.frameCount) = (recording, frameCount)
        lastTime = Double(max(recording.shown.last?.time ?? 0, recording.moves.last?.time ?? 0, 1_000_000)) / 1e6
        let all = recording.moves.map(\.frame) + recording.shown.map(\.frame.number)
        let (low, high) = (Double(all.min() ?? 0), Double(all.max() ?? 1))
        let margin = max(1, (high - low) * 0.06)
        frames = (low - margin, high + margin)
    }

    private static let (width, height, left, top, right, bottom) = (900.0, 420.0, 64.0, 34.0, 16.0, 44.0)

    private func x(_ nanoseconds: Int64) -> Double {
        let room = GesturePlot.width - GesturePlot.left - GesturePlot.right
        return GesturePlot.left + Double(max(0, nanoseconds)) / 1e6 / lastTime * room
    }

    private func y(_ frame: Int) -> Double {
        let (low, high) = frames
        let room = GesturePlot.height - GesturePlot.top - GesturePlot.bottom
        return GesturePlot.top + (high - Double(frame)) / (high - low) * room
    }

    private func point(_ time: Int64, _ frame: Int) -> String {
        "\(Clock.rounded(x(time), 1)),\(Clock.rounded(y(frame), 1))"
    }

    /// A self-contained graphic.
    var svg: String {
        var parts = [grid]
        // A finger stays where it is until the next report.
        var path: [String] = []
        for (move, next) in zip(recording.moves, recording.moves.dropFirst().map(Optional.some) + [nil]) {
            path.append(point(move.time, move.frame))
            if let next { path.append(point(next.time, move.frame)) }
        }
        parts.append(
            "<polyline points=\"\(path.joined(separator: " "))\" fill=\"none\" stroke=\"#8a8f98\" stroke-width=\"1.5\"/>"
        )
        if let wait = recording.longestWait {
            let (start, end) = (x(wait.start), x(wait.end))
            let base = GesturePlot.height - GesturePlot.bottom
            parts.append(
                "<rect x=\"\(Clock.rounded(start, 1))\" y=\"\(GesturePlot.top)\" width=\"\(Clock.rounded(max(1, end - start), 1))\" "
                    + "height=\"\(base - GesturePlot.top)\" fill=\"\(GesturePlot.waitColor)\" opacity=\".18\"><title>\(GesturePlot.words(wait)), "
                    + "\(Clock.rounded(Double(wait.start) / 1e6, 1)) to \(Clock.rounded(Double(wait.end) / 1e6, 1)) ms</title></rect>"
            )
        }
        for shown in recording.shown {
            let nearness = GesturePlayer.Recording.Nearness(shown)
            let (color, radius) = (GesturePlot.color(nearness), nearness == .nearest ? "1.8" : "2.4")
            parts.append(
                "<circle cx=\"\(Clock.rounded(x(shown.time), 1))\" cy=\"\(Clock.rounded(y(shown.frame.number), 1))\" "
                    + "r=\"\(radius)\" fill=\"\(color)\" opacity=\".8\"><title>\(Clock.rounded(Double(shown.time) / 1e6, 1))"
                    + " ms: frame \(shown.frame.number) for \(shown.requestedFrame)</title></circle>")
        }
        parts.append(legend)
        let (width, height) = (Int(GesturePlot.width), Int(GesturePlot.height))
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" "
            + "height=\"\(height)\" font-family=\"system-ui,sans-serif\" font-size=\"11\" fill=\"#444\">"
            + "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" + parts.joined() + "</svg>\n"
    }

    private var grid: String {
        var parts: [String] = []
        let (low, high) = frames
        let end = GesturePlot.width - GesturePlot.right
        let base = GesturePlot.height - GesturePlot.bottom
        for frame in GesturePlot.ticks(max(0, low), min(high, Double(frameCount))) {
            let line = Clock.rounded(y(Int(frame)), 1)
            parts.append(
                "<line x1=\"\(GesturePlot.left)\" x2=\"\(end)\" y1=\"\(line)\" y2=\"\(line)\" stroke=\"#e6e6e6\"/>")
            parts.append(
                "<text x=\"\(GesturePlot.left - 8)\" y=\"\(line)\" dy=\".35em\" text-anchor=\"end\">\(Int(frame))</text>"
            )
        }
        for time in GesturePlot.ticks(0, lastTime) {
            let line = Clock.rounded(x(Int64(time * 1e6)), 1)
            parts.append(
                "<line x1=\"\(line)\" x2=\"\(line)\" y1=\"\(GesturePlot.top)\" y2=\"\(base)\" stroke=\"#f0f0f0\"/>")
            parts.append("<text x=\"\(line)\" y=\"\(base + 16)\" text-anchor=\"middle\">\(Int(time))</text>")
        }
        parts.append(
            "<text x=\"\((GesturePlot.left + end) / 2)\" y=\"\(base + 34)\" text-anchor=\"middle\">milliseconds</text>")
        parts.append("<text x=\"12\" y=\"\(GesturePlot.top - 14)\">frame</text>")
        return parts.joined()
    }

    private static let waitColor = "#b3261e"

    private static func words(_ wait: GesturePlayer.Recording.Wait) -> String {
        "longest gap \(Clock.rounded(wait.milliseconds, 1)) ms"
    }

    private static func color(_ nearness: GesturePlayer.Recording.Nearness) -> String {
        switch nearness {
        case .exact: "#1f6fb4"
        case .preview: "#2a9d55"
        case .nearest: "#d9730d"
        }
    }

    /// The colors, each with its figure in the summary.
    private var legend: String {
        var items = [("#8a8f98", "requested: \(Amount.of(recording.moves.count, "move"))")]
        for nearness in GesturePlayer.Recording.Nearness.allCases {
            let name =
                switch nearness {
                case .exact: "shown exactly"
                case .preview: "as a preview"
                case .nearest: "the nearest available"
                }
            items.append((GesturePlot.color(nearness), "\(name): \(recording.count(nearness))"))
        }
        if let wait = recording.longestWait { items.append((GesturePlot.waitColor, GesturePlot.words(wait))) }
        var (text, x) = ("", GesturePlot.left + 30)
        for (color, name) in items {
            text += "<circle cx=\"\(x)\" cy=\"\(GesturePlot.top - 18)\" r=\"4\" fill=\"\(color)\"/>"
            text += "<text x=\"\(x + 9)\" y=\"\(GesturePlot.top - 14)\">\(name)</text>"
            x += 160
        }
        return text
    }

    /// Returns about four to ten round numbers.
    private static func ticks(_ low: Double, _ high: Double) -> [Double] {
        let span = max(1, high - low)
        var step = 1.0
        while span / step > 10 { step *= 10 }
        if span / step < 2 { step /= 5 } else if span / step < 4 { step /= 2 }
        step = max(1, step)
        return Array(stride(from: (low / step).rounded(.up) * step, through: high, by: step))
    }
}
#endif
