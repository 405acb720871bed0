#if CommandLine
internal import Glibc
internal import Scrub
internal import ScrubReports
internal import ScrubPlayers
internal import ScrubBase

/// A run in figures (the keys of the machine interface).
struct PlaySummary {
    let counts: PlayMeter.Counts
    let player: Player.Counters
    /// Whether playback followed the machine's clock.
    let isTimed: Bool
    /// Whether the clock waits for late frames.
    let isWaiting: Bool
    let peakBytes: Int
    let decoderPeak: Int
    let seconds: Double
    /// Files with at least one frame.
    let items: Int
    let failed: Int

    /// With the real-time clock, the value observed at the output; otherwise, the player's own time, which stops while
    /// it waits.
    private var worstTransition: Double {
        milliseconds(isTimed ? counts.worstTransition : player.maximumTransitionTime.wholeNanoseconds)
    }

    private var worstLateness: Double {
        guard isTimed else { return 0 }
        return milliseconds(max(isWaiting ? 0 : counts.worstLateness, player.maximumLateness.wholeNanoseconds))
    }

    private func milliseconds(_ nanoseconds: Int64) -> Double { Double(max(0, nanoseconds) / 1000) / 1e3 }

    var json: String {
        var line = JSONText()
        line.add("items", items)
        line.add("presented", counts.presented)
        line.add("previews", counts.previews)
        if isTimed { line.add("inTime", counts.inTime) }
        line.add("repeated", counts.repeated)
        line.add("skipped", counts.skipped)
        line.add("blank", counts.blank)
        line.add("worstTransitionMs", worstTransition)
        line.add("worstLateMs", worstLateness)
        line.add("peakBytes", peakBytes)
        line.add("decoderPeak", decoderPeak)
        line.add("seconds", (seconds * 1e6).rounded() / 1e6)
        line.add("framesPerSecond", seconds > 0 ? (Double(counts.presented) / seconds * 100).rounded() / 100 : nil)
        line.add("passages", counts.passages)
        line.add("damaged", counts.damaged)
        line.add("late", player.dropped.lateCount)
        line.add("skippedBeforeDecoding", player.dropped.skippedBeforeDecodingCount)
        line.add("jumped", player.dropped.jumpedCount)
        line.add("stalls", player.stallCount)
        line.add("failed", failed)
        line.add("peakResidentBytes", PlaySummary.peakResidentBytes)
        line.add(network: FetchMeter.shared.total)
        return line.text
    }

    var text: String {
        func row(_ name: String, _ value: String) -> String {
            name + String(repeating: " ", count: max(1, 14 - name.count)) + value
        }
        let rate = seconds > 0 ? Double(counts.presented) / seconds : 0
        let previews = counts.previews > 0 ? ", \(counts.previews) as previews" : ""
        let passages = counts.passages > 1 ? " in \(counts.passages) passages" : ""
        var rows = [
            row(
                "presented",
                "\(Amount.of(counts.presented, "frame"))\(passages) in \(Clock.text(seconds)), \(Clock.rounded(rate, 1)) per second"
            ),
            row("irregular", "\(counts.repeated) repeated, \(counts.skipped) skipped, \(counts.blank) blank"),
        ]
        if isTimed {
            rows.append(
                row(
                    "clock",
                    "\(Amount.of(counts.inTime, "frame")) on time\(previews), at most \(Clock.rounded(worstLateness, 1)) ms late, at most \(Clock.rounded(worstTransition, 1)) ms between items, \(Amount.of(player.stallCount, "stall"))"
                ))
        }
        rows.append(
            row(
                "memory",
                "at most \(Amount.bytes(Int64(peakBytes))) of pictures and \(Amount.of(decoderPeak, "decoder"))")
        )
        return rows.joined(separator: "\n")
    }

    private static var peakResidentBytes: Int64 {
        var usage = rusage()
        return unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? Int64(usage.ru_maxrss) * 1024 : 0
    }
}
#endif
