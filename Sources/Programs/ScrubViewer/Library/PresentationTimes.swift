#if Viewer
internal import ScrubBase
internal import ScrubIndex
internal import ScrubMedia

/// The times at which all frames appear on screen, run-length coded: exact, and small for films with a constant rate.
///
/// Frame 0 is at 0; times count units of `1/timescale` seconds. A run `[count, step]` is `count` frames, each on screen
/// for `step` units; the last frame's step ends at `end`.
struct PresentationTimes {
    let timescale: Int64
    /// The container's time of the first frame.
    let start: Int64
    private(set) var runs: [(count: Int64, step: Int64)] = []
    let end: Int64

    init(_ asset: VideoAsset) {
        let frames = asset.frames
        let base = frames.first?.timeBase ?? .one
        // A unit of 1001/30000 s is 1001 units of 1/30000 s.
        let (scale, factor) = (base.denominator, base.numerator)
        func units(_ count: Int64) -> Int64 {
            let (product, overflow) = count.multipliedReportingOverflow(by: factor)
            return overflow ? .max : product
        }
        (timescale, start) = (scale, units(frames.first?.presentationTime ?? 0))
        guard let last = frames.last else {
            end = 0
            return
        }
        let (sum, overflow) = last.offset.addingReportingOverflow(last.durationUnits)
        let final = overflow ? Int64.max : sum
        end = units(final)
        var before = frames.first?.offset ?? 0
        for number in frames.indices {
            let next = number + 1 < frames.endIndex ? asset.index.offset(ofFrame: number + 1) : final
            let step = units(next - before)
            before = next
            if let run = runs.last, run.step == step { runs[runs.count - 1].count += 1 } else { runs.append((1, step)) }
        }
    }

    /// As in the API.
    var json: String {
        var line = JSONText()
        line.add("timescale", timescale)
        line.add("start", start)
        line.add("runs", .array(runs.map { .array([.integer($0.count), .integer($0.step)]) }))
        line.add("end", end)
        return line.text
    }
}
#endif
