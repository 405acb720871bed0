import Foundation
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

/// A time that a program computes for a frame names that frame: whatever the rate, the time base and the start.
@Suite struct ComputedTimeTests {
    private static let rates: [Rational] =
        [24, 25, 30, 48, 50, 60, 100, 120].map { Rational($0) } + [24, 30, 60, 120].map { Rational($0 * 1000, 1001) }

    private static let bases: [Rational] =
        [1000, 90_000, 12_288, 15_360, 24_000, 600, 1_000_000, 1_000_000_000].map { Rational(1, $0) }
        + [Rational(1001, 30_000), Rational(1001, 24_000), Rational(1, 25)]

    /// Starts in seconds: the container rounds the first frame's time, too.
    private static let starts: [Rational] = [
        0, Rational(111_070_000, 90_000), Rational(1, 3), Rational(95_443_717, 90_000), Rational(-7, 9),
    ]

    private static func index(_ rate: Rational, _ base: Rational, start: Rational, count: Int) -> SyntheticIndex? {
        var times: [Int64] = []
        for number in 0..<count {
            // (start + number / rate) / base, to the nearest unit, as muxers do.
            let n =
                Int128(start.numerator) * Int128(rate.numerator)
                + Int128(number) * Int128(rate.denominator) * Int128(start.denominator)
            let d = Int128(start.denominator) * Int128(rate.numerator)
            let (a, b) = (n * Int128(base.denominator), d * Int128(base.numerator))
            times.append(Int64(Rational.floor(2 * a + b, 2 * b)))
        }
        // A base as coarse as frames is one of their rate.
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        guard let least = gaps.min(), least > 4 || base * rate * Rational(least) == 1 else { return nil }
        var synthetic = SyntheticIndex(times: times)
        synthetic.facts.timeBase = base
        synthetic.lastDuration = times[count - 1] - times[count - 2]
        return synthetic
    }

    @Test(arguments: rates) func everyComputedTimeNamesItsFrame(_ rate: Rational) throws {
        var checked = 0
        for base in Self.bases {
            for start in Self.starts {
                guard let index = Self.index(rate, base, start: start, count: 60)?.index else { continue }
                let first = Rational(units: index.presentationTime(ofFrame: 0), of: base)
                var sum = 0.0
                for frame in 0..<index.frameCount {
                    let (number, period) = (Double(frame), Double(rate.denominator) / Double(rate.numerator))
                    let offset = index.offset(ofFrame: frame)
                    let own = Double(offset) * Double(base.numerator) / Double(base.denominator)
                    let exact = Rational(units: offset, of: base)
                    let pts = Double(index.presentationTime(ofFrame: frame)) * Double(base)
                    var times = [
                        number * period, number * Double(rate.denominator) / Double(rate.numerator), sum,
                        (1000.5 + number * period) - 1000.5, own, Double(exact), Double(offset) * Double(base),
                        (own * 1e6).rounded() / 1e6, Double(Float(own)),
                    ]
                    // Several roundings of a float are more than a microsecond.
                    if base.denominator <= 100_000 { times.append(Double(Float(number) * Float(period))) }
                    sum += period
                    // Rounded to milliseconds, up or down, where these tell the frames apart.
                    times.append((own * 1000 + 1e-6).rounded(.down) / 1000)
                    if frame + 1 < index.frameCount { times.append(max(own, (own * 1000).rounded() / 1000)) }
                    // As a program prints them, and a person types them.
                    for time in times.prefix(4) where time >= 0.001 && "\(time)".utf8.count > 12 {
                        let found = try index.resolve(FramePosition("\(time)s")).frame
                        #expect(found == frame, "\(time)s of \(rate) in \(base) from \(start)")
                    }
                    for time in times {
                        let found = try index.resolve(.seconds(time)).frame
                        #expect(found == frame, "\(time) of \(rate) in \(base) from \(start)")
                        checked += 1
                    }
                    // In the container's time.
                    for time in [pts, Double(first) + own] {
                        let computed = try #require(ComputedTime(time)).counted(from: first)
                        let found = try index.resolve(.computedTime(computed)).frame
                        #expect(found == frame, "\(time) of \(rate) in \(base) from \(start)")
                        checked += 1
                    }
                }
            }
        }
        #expect(checked > 10_000)
    }

    /// A number in the midst of a frame is that frame, also where the container counts in frames.
    @Test(arguments: bases) func numbersBetweenFramesAreOnScreen(_ base: Rational) throws {
        for rate in Self.rates {
            guard let index = Self.index(rate, base, start: 0, count: 60)?.index else { continue }
            for frame in 0..<59 {
                let (own, next) = (
                    Double(Rational(units: index.offset(ofFrame: frame), of: base)),
                    Double(Rational(units: index.offset(ofFrame: frame + 1), of: base))
                )
                for part in [0.1, 0.25, 0.5, 0.75] {
                    #expect(try index.resolve(.seconds(own + (next - own) * part)).frame == frame)
                }
            }
        }
    }

    /// A frame's own time is not its neighbour's, also where a unit is a frame and one was left out.
    @Test func anOwnTimeIsNotTheNextFrames() throws {
        var synthetic = SyntheticIndex(times: [0] + (2..<60).map { Int64($0) })
        synthetic.facts.timeBase = Rational(1, 30)
        synthetic.lastDuration = 1
        let index = synthetic.index
        for frame in 1..<index.frameCount {
            let own = Double(frame + 1) / 30
            for time in [own, Double(Float(own)), own.nextUp, own.nextDown] {
                #expect(try index.resolve(.seconds(time)).frame == frame, "\(time)")
            }
        }
    }

    /// Rounded to the nearest unit; a fraction of integers is that very instant.
    @Test func theNearestUnitCounts() throws {
        let index = try #require(Self.index(30, Rational(1, 1000), start: 0, count: 90)?.index)
        #expect(try index.resolve(.seconds(0.0327)).frame == 1 && index.resolve(.seconds(0.0324)).frame == 0)
        #expect(try index.resolve(.seconds(0.032)).frame == 0 && index.resolve(.seconds(0.033)).frame == 1)
        #expect(try index.resolve(.time(Rational(329_999, 10_000_000))).frame == 0)
        #expect(try index.resolve(.seconds(2)).frame == index.resolve(.seconds(2.0)).frame)
    }

    /// Nine frames of 40 ms: what arithmetic loses does not lie outside, and the end is the last frame.
    @Test(arguments: [
        (-1e-12, 0, true), (0, 0, true), (0.36, 8, true), (0.3600000001, 8, true), (0.361, 8, false), (9, 8, false),
        (-0.001, 0, false), (-1, 0, false), (1e15, 8, false), (-1e15, 0, false), (0x1p61, 8, false),
    ])
    func placesOutsideAreErrors(_ time: Double, _ frame: Int, _ isInside: Bool) throws {
        var synthetic = SyntheticIndex(times: (0..<9).map { 5000 + $0 * 40 })
        synthetic.lastDuration = 40
        let index = synthetic.index
        #expect(try index.resolve(.seconds(time), clamps: true) == (frame, !isInside))
        if isInside {
            #expect(try index.resolve(.seconds(time)).frame == frame)
        } else {
            let error = #expect(throws: ScrubError.self) { try index.resolve(.seconds(time)) }
            #expect(error?.code == .usage && error?.cause.contains("from 0:00.000 to 0:00.320") == true)
        }
    }

    /// Of frames that share a time the last is on screen.
    @Test func aSharedTimeNamesTheLast() throws {
        let index = SyntheticIndex(times: [0, 33, 33, 33, 67]).index
        #expect(try index.resolve(.seconds(0.0329)).frame == 3 && index.resolve(.seconds(0.033)).frame == 3)
    }
}
