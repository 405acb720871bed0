import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

/// A time that is printed for a frame, read as a position, is that frame: whatever the rate, the time base and the
/// start.
@Suite struct RoundTripTests {
    private static let rates: [Rational] =
        [Rational(1, 10), 1, 5, 10, 12, 15, 24, 25, 30, 50, 60, 100, 120, 240, 300, 480, 960, 1000]
        + [24, 30, 48, 60, 120].map { Rational($0 * 1000, 1001) }

    private static let bases: [Rational] =
        [1, 10, 24, 25, 600, 1000, 12_800, 15_360, 90_000, 44_100, 1_000_000, 14_112_000, 1_000_000_000, 2_147_483_647]
        .map { Rational(1, $0) } + [Rational(1001, 30_000), Rational(1, 30_000)]

    private static let starts: [Int64] = [0, 1, -1, -90_000, 126_000, 1 << 33, -(1 << 52), 1 << 60, .min / 2, .max / 4]

    /// Returns the times of a rate's frames, in units of a time base, with a gap of a million frames in the middle.
    /// The result is empty if the base is too coarse to tell the frames apart.
    private static func times(_ rate: Rational, _ base: Rational, start: Int64) -> [Int64] {
        var times: [Int64] = []
        for number in (0..<24).map({ Int64($0) }) + (1_000_001..<1_000_013).map({ Int64($0) }) {
            // To the nearest unit, as muxers do.
            let period = rate.numerator * base.numerator
            let units = (2 * number * rate.denominator * base.denominator + period) / (2 * period)
            guard units > times.last.map({ $0 - start }) ?? -1 else { continue }
            times.append(start + units)
        }
        return times.count > 20 ? times : []
    }

    @Test(arguments: rates) func everyTimeNamesItsFrame(_ rate: Rational) throws {
        var place = 0
        for base in Self.bases {
            let times = Self.times(rate, base, start: Self.starts[place % Self.starts.count])
            place += times.isEmpty ? 0 : 1
            if !times.isEmpty { try check(times, base) }
        }
        #expect(place > 0)
    }

    @Test(arguments: 0..<8) func timesOfVariableRateNameTheirFrames(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        for base in Self.bases {
            var times = [Self.starts[(seed + Int(base.denominator)) % Self.starts.count]]
            for _ in 0..<40 {
                let far = Int64(1) << Int64.random(in: 0...30, using: &random)
                times.append((times.last ?? 0) + Int64.random(in: 1...far, using: &random))
            }
            try check(times, base)
        }
    }

    private func check(_ times: [Int64], _ base: Rational) throws {
        var synthetic = SyntheticIndex(times: times)
        (synthetic.facts.timeBase, synthetic.lastDuration) = (base, 1000)
        let index = synthetic.index
        for frame in times.indices {
            let time = try #require(Rational(index.offset(ofFrame: frame)).multiplied(by: base))
            let lead = try index.lead(ofFrame: frame).map { try #require(Rational($0).multiplied(by: base)) }
            let text = TimeText(time, after: lead)
            for written in [text.clock, text.fullClock, text.seconds + "s"] {
                #expect(try index.resolve(FramePosition(written)).frame == frame, "\(written) of \(times) in \(base)")
            }
            if let double = Double(text.seconds), double < 1e6, lead.map({ $0 > Rational(1, 1_000_000_000) }) ?? true {
                #expect(try index.resolve(.seconds(double)).frame == frame, "\(double) of \(times) in \(base)")
            }
            // The texts of other tools, if they can tell the frames apart.
            let next = try index.lead(ofFrame: min(frame + 1, times.count - 1)).map {
                try #require(Rational($0).multiplied(by: base))
            }
            for written in PrintedTimes.texts(time, distance: min(lead ?? 1, next ?? 1)) {
                #expect(
                    try index.resolve(FramePosition(written + "s")).frame == frame, "\(written) of \(times) in \(base)")
            }
        }
    }

    /// Ten frames of 100 ms.
    @Test(arguments: [
        ("0.2s", 2), ("0.19s", 1), ("0.199s", 1), ("0.1991s", 1), ("0.1999s", 1), ("0.200s", 2), ("199ms", 1),
        ("199.5ms", 1),
        ("0:00.200", 2), ("0.201s", 2), ("0.0s", 0), ("-0.000s", 0), ("-1ms", 0), ("-0.0001s", 0), ("1.000s", 9),
        ("0.999s", 9), ("9.000s", 9),
    ])
    func positionsWithinAUnitNameTheFrame(_ text: String, _ frame: Int) throws {
        let index = SyntheticIndex(times: (0..<10).map { $0 * 100 }).index
        #expect(try index.resolve(FramePosition(text), clamps: true).frame == frame)
    }

    /// Thirty frames a second in units of 1/90000 s from a start of its own.
    @Test(arguments: [
        ("2.933s", 88), ("2.9333s", 88), ("2.933333s", 88), ("2.933334s", 88), ("2.933333333s", 88), ("2.934s", 88),
        ("2.93s", 87), ("2.92s", 87), ("2.94s", 88), ("0.1s", 3), ("0:03", 90), ("0:02.9", 87), ("0.05m", 90),
        ("2.9333333333333322s", 88), ("2.9333299999s", 88), ("2.9333249999s", 87), ("2.933329999s", 87), ("2.932s", 87),
        ("2.9332s", 87), ("2933ms", 88), ("2933.333ms", 88), ("0:02.966", 89),
        ("0:02.967", 89), ("2.966666s", 89), ("2.966667s", 89), ("3.000s", 90), ("2.999s", 89), ("2.9999999s", 89),
    ])
    func printedTimesNameTheirFrame(_ text: String, _ frame: Int) throws {
        var synthetic = SyntheticIndex(times: (0..<120).map { 126_000 + $0 * 3000 })
        synthetic.facts.timeBase = Rational(1, 90_000)
        #expect(try synthetic.index.resolve(FramePosition(text)).frame == frame)
    }

    /// Of frames that share a time the last is on screen, and named.
    @Test func aSharedTimeNamesTheLast() throws {
        let index = SyntheticIndex(times: [0, 33, 33, 33, 67]).index
        for frame in 1...3 {
            #expect(index.lead(ofFrame: frame) == 33)
            let lead = index.lead(ofFrame: frame).map { Rational($0, 1000) }
            #expect(try index.resolve(FramePosition(TimeText(Rational(33, 1000), after: lead).clock)).frame == 3)
        }
        #expect(index.lead(ofFrame: 0) == nil && index.lead(ofFrame: 4) == 34)
        #expect(try index.resolve(FramePosition("0.0329s")).frame == 0)
        #expect(try index.resolve(FramePosition("0.0330s")).frame == 3)
    }
}
