public import ScrubBase

// Gestures as fingers make them, with 60 reports per second. They are deterministic: tests and benchmarks refer to them
// by their arguments. Counts below 1 are taken as 1, and distances are clamped to a million points.
extension ScrubGesture.Script {
    /// Returns a steady pan with a little jitter that ends exactly `distance` points to the right after `ticks` ticks.
    public static func drag(by distance: Int, ticks: Int, from start: Start = Start()) -> ScrubGesture.Script {
        var numbers = ScriptRandom(seed: start.seed)
        let (distance, ticks) = (points(distance), max(ticks, 1))
        return start.script(
            (1...ticks).map { i in
                let jitter = i == ticks ? 0 : numbers.next(upTo: 1024)
                return place(distance * 1024 * i / ticks + jitter, y: numbers.next(upTo: 3 * 1024))
            })
    }

    /// Returns a fast pan over `distance` points that decelerates evenly, so that the first ticks move farthest.
    public static func flick(by distance: Int, ticks: Int, from start: Start = Start()) -> ScrubGesture.Script {
        var numbers = ScriptRandom(seed: start.seed)
        let (distance, ticks) = (points(distance), max(ticks, 1))
        return start.script(
            (1...ticks).map { i in
                // 1 - (1 - t)^2; 20 bits of the ratio keep the product within 64.
                let left = (ticks - i) * (1 << 20) / ticks
                let gone = (1 << 20) - ((left * left) >> 20)
                return place((distance * gone) >> 10, y: numbers.next(upTo: 2 * 1024))
            })
    }

    /// Returns a gesture in which the finger jitters within `reach` points of its starting point.
    public static func jitter(reach: Int, ticks: Int, from start: Start = Start()) -> ScrubGesture.Script {
        var numbers = ScriptRandom(seed: start.seed)
        let reach = abs(points(reach)) * 1024
        return start.script(
            (1...max(ticks, 1)).map { _ in
                place(numbers.next(upTo: reach), y: numbers.next(upTo: reach))
            })
    }

    /// Returns a gesture in which the finger visits each boundary in turn and crosses it `times` times, between `reach`
    /// points before it and `reach` points after it.
    ///
    /// Boundaries are fractions of the duration, such as the positions of key pictures or cuts. A crossing takes four
    /// ticks, and so does the movement from one boundary to the next.
    public static func backAndForth(
        across boundaries: [Rational], reach: Int, times: Int, from start: Start = Start()
    ) -> ScrubGesture.Script {
        var numbers = ScriptRandom(seed: start.seed)
        let reach = Rational(Int64(abs(points(reach))))
        var x = Rational.zero
        var path: [ScrubGesture.Translation?] = []
        func go(to end: Rational) {
            for quarter in 1...4 {
                path.append(
                    ScrubGesture.Translation(
                        x: between(x, end, quarter), y: Rational(Int64(numbers.next(upTo: 1024)), 1024)))
            }
            x = end
        }
        for boundary in boundaries {
            let middle = start.points(to: boundary)
            let (before, behind) = (middle.subtracting(reach) ?? middle, middle.adding(reach) ?? middle)
            go(to: before)
            for i in 0..<max(times, 1) { go(to: i.isMultiple(of: 2) ? behind : before) }
        }
        return start.script(path)
    }

    /// Returns a gesture in which the finger jumps to each fraction of the duration in turn, at intervals of `ticks`
    /// ticks, with no positions in between.
    public static func jump(to fractions: [Rational], ticks: Int = 1, from start: Start = Start())
        -> ScrubGesture.Script
    {
        let pause = [ScrubGesture.Translation?](repeating: nil, count: max(ticks, 1) - 1)
        return start.script(
            fractions.flatMap { fraction in
                pause + [ScrubGesture.Translation(x: start.points(to: fraction), y: .zero)]
            })
    }

    /// Returns a steady pan over `distance` points in `ticks` ticks, after which the finger rests for `restTicks` ticks
    /// and then lifts.
    ///
    /// A gesture recognizer does not report events while a finger rests, so the script has none for that period.
    public static func rest(
        after distance: Int, ticks: Int, restTicks: Int, from start: Start = Start()
    ) -> ScrubGesture.Script {
        let moving = drag(by: distance, ticks: ticks, from: start).events.filter { $0.phase == .changed }
        return start.script(
            moving.map(\.translation) + [ScrubGesture.Translation?](repeating: nil, count: max(restTicks, 1)))
    }

    private static func points(_ distance: Int) -> Int { min(max(distance, -1_000_000), 1_000_000) }

    private static func place(_ x: Int, y: Int) -> ScrubGesture.Translation {
        ScrubGesture.Translation(x: Rational(Int64(x), 1024), y: Rational(Int64(y), 1024))
    }

    /// Returns the position after `quarter` quarters of the distance.
    private static func between(_ start: Rational, _ end: Rational, _ quarter: Int) -> Rational {
        guard quarter < 4 else { return end }
        let part = end.subtracting(start)?.multiplied(by: Rational(Int64(quarter), 4))
        return part.flatMap { start.adding($0) } ?? end
    }
}
