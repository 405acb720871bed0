#if CommandLine
internal import Scrub
internal import ScrubReports

/// A played gesture in figures (the keys of the machine interface).
struct GestureReport {
    let recording: GesturePlayer.Recording
    /// The cost of the last frame alone.
    let minimum: (decoded: Int, nanoseconds: Int64)
    let budget: ScrubBudget
    /// The network cost; `nil` for local files.
    var network: NetworkCost?

    /// Milliseconds from each move to the first picture for that move or a newer one.
    private var firstPicture: [Double] {
        var shown = recording.shown[...]
        return recording.moves.compactMap { move in
            while let next = shown.first, next.request < move.request { shown.removeFirst() }
            return shown.first.map { Double($0.time - move.time) / 1e6 }
        }
    }

    /// Milliseconds from a move to its exact picture, if no newer move came first.
    private var exact: [Double] {
        let moves = Set(recording.moves.map(\.request))
        return recording.shown.filter { $0.isExact && moves.contains($0.request) }.map { Double($0.latency) / 1e6 }
    }

    private static func percentile(_ values: [Double], _ part: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int((part * Double(sorted.count)).rounded(.up)) - 1)]
    }

    private static func summary(_ values: [Double]) -> JSONText.Value {
        var line = JSONText()
        line.add("p50", percentile(values, 0.5))
        line.add("p95", percentile(values, 0.95))
        line.add("max", values.max() ?? 0)
        return .object(line)
    }

    /// Moves whose own picture was never shown, because a newer move came first.
    private var dropped: Int {
        let answered = Set(recording.shown.filter(\.isAnswer).map(\.request))
        return recording.moves.filter { !answered.contains($0.request) }.count
    }

    var json: String {
        let counters = recording.counters
        var line = JSONText()
        line.add("moves", recording.moves.count)
        line.add("shown", recording.shown.count)
        line.add("exactShown", recording.count(.exact))
        line.add("rightShown", recording.rightShown)
        line.add("firstPictureMs", GestureReport.summary(firstPicture))
        line.add("exactMs", GestureReport.summary(exact))
        line.add("worstGapMs", recording.worstGap)
        line.add("restMs", recording.rest)
        line.add("restMinimumDecoded", minimum.decoded)
        line.add("restMinimumMs", Double(minimum.nanoseconds) / 1e6)
        line.add("decoded", counters.decodedPictureCount)
        line.add("cancelled", counters.cancelledDecodeCount)
        line.add("cacheHits", counters.cacheHitCount)
        line.add("dropped", dropped)
        line.add("stalls", counters.stallCount)
        line.add("newPicturesPerSecond", recording.rates?.new)
        line.add("exactPicturesPerSecond", recording.rates?.exact)
        line.add("peakBytes", budget.peakByteCount)
        line.add("budgetBytes", budget.byteLimit)
        line.add("previewFrames", recording.previews?.frameCount ?? 0)
        line.add("previewBytes", recording.previews?.byteCount ?? 0)
        line.add("previewSide", recording.previews?.longSide)
        line.add(
            "previewProcessorMs", recording.previews.map { Double($0.processorTime.wholeNanoseconds) / 1e6 })
        line.add("resumed", recording.isPlaying)
        var last = JSONText()
        last.add("frame", recording.last?.shown.frame.number)
        last.add("verdict", recording.last?.shown.verdict.name)
        last.add("hash", recording.last?.hash.map { "md5:" + $0 })
        line.add("last", .object(last))
        line.add(network: network)
        return line.text
    }

    var text: String {
        func row(_ name: String, _ value: String) -> String {
            name + String(repeating: " ", count: max(1, 16 - name.count)) + value
        }
        func spread(_ values: [Double]) -> String {
            let parts = [0.5, 0.95, 1].map { Clock.rounded(GestureReport.percentile(values, $0), 1) }
            return "\(parts[0]) ms median, \(parts[1]) ms at the 95th percentile, \(parts[2]) ms maximum"
        }
        let counters = recording.counters
        let exact = recording.count(.exact)
        var rows = [
            row("moves", "\(recording.moves.count), \(dropped) of them superseded by the next"),
            row(
                "pictures",
                "\(recording.shown.count): \(exact) exact, \(Amount.of(recording.count(.preview), "preview")), \(recording.count(.nearest)) nearest available"
            ),
            row(
                "right frame",
                "on screen in time for \(recording.rightShown) of \(Amount.of(recording.moves.count, "move"))"),
            row("first picture", spread(firstPicture)),
            row("exact picture", exact == 0 ? "none was shown" : spread(self.exact)),
            row(
                "longest gap",
                "\(Clock.rounded(recording.worstGap, 1)) ms without a new picture while another frame was requested"),
        ]
        if let rates = recording.rates {
            rows.append(
                row("per second", "\(Clock.rounded(rates.new, 1)) new pictures, \(Clock.rounded(rates.exact, 1)) exact")
            )
        }
        if let rest = recording.rest, let last = recording.last?.shown {
            rows.append(
                row(
                    "at rest",
                    "frame \(last.frame.number), \(last.verdict.name), after \(Clock.rounded(rest, 1)) ms; decoded by itself, it takes \(Amount.of(minimum.decoded, "picture")), \(Clock.rounded(Double(minimum.nanoseconds) / 1e6, 1)) ms"
                ))
        }
        rows.append(
            row(
                "decoded",
                "\(Amount.of(counters.decodedPictureCount, "picture")), \(Amount.of(counters.cacheHitCount, "answer")) from the cache, \(counters.cancelledDecodeCount) cancelled"
            ))
        rows.append(
            row(
                "memory",
                "at most \(budget.peakByteCount >> 20) MiB of pictures (the limit is \(budget.byteLimit >> 20) MiB)")
        )
        if let previews = recording.previews {
            rows.append(
                row(
                    "previews",
                    "\(Amount.of(previews.frameCount, "frame")) in \(Amount.size(Int64(previews.byteCount))), made in \(Clock.rounded(Double(previews.processorTime.wholeNanoseconds) / 1e9, 1)) s of processor time"
                ))
        }
        return rows.joined(separator: "\n")
    }

    /// One line for each picture.
    var events: [String] {
        recording.shown.map { shown in
            var line = JSONText()
            line.add("ms", Double(shown.time) / 1e6)
            line.add("frame", shown.frame.number)
            line.add("verdict", shown.verdict.name)
            line.add("requested", shown.requestedFrame)
            line.add("latencyMs", Double(shown.latency) / 1e6)
            return line.text
        }
    }
}
#endif
