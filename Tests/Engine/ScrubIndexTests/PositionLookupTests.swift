import ScrubFileIO
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct PositionLookupTests {
    /// `start + f * (end - start)` with nothing rounded. It is the last frame whose time t has (t - start) * d <= n *
    /// length.
    private func frame(_ f: Rational, _ times: [Int64], lastDuration: Int64) -> Int {
        let length = Int128(times[times.count - 1] - times[0] + lastDuration)
        return times.lastIndex { Int128($0 - times[0]) * Int128(f.denominator) <= Int128(f.numerator) * length } ?? 0
    }

    @Test(arguments: 0..<10)
    func fractionsFollowTheDefinition(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let times = FrameIndexTests.variableTimes(&random, count: 50 + seed)
        var synthetic = SyntheticIndex(times: times)
        synthetic.lastDuration = Int64.random(in: 0...80, using: &random)
        let index = synthetic.index
        for _ in 0..<400 {
            let d = max(1, random.ofAnySize())
            let f = Rational(Int64.random(in: 0...d, using: &random), d)
            let found = try index.resolve(.fraction(f))
            #expect(
                found.frame == (f == .one ? times.count - 1 : frame(f, times, lastDuration: synthetic.lastDuration)))
            #expect(!found.isClamped)
        }
    }

    /// The first frames may share their time. Then `0s` and every small fraction name the last of them, by the
    /// contract's definition; so does 0, and every earlier position.
    @Test func aFractionOfZeroFollowsTheDefinitionToo() throws {
        let index = SyntheticIndex(times: [100, 100, 110]).index
        #expect(try index.resolve(FramePosition("0s")).frame == 1)
        #expect(try index.resolve(FramePosition("0.000001")).frame == 1)
        #expect(try index.resolve(FramePosition("0")) == (1, false))
        #expect(try index.resolve(FramePosition("-0.5"), clamps: true) == (1, true))
        #expect(try index.resolve(FramePosition("-1s"), clamps: true) == (1, true))
        #expect(try index.resolve(FramePosition("first")) == (0, false))
    }

    /// Fractions that name a frame's very time, and the ones a hair below.
    @Test(arguments: 0..<5)
    func theEdgesOfFramesAreExact(seed: Int) throws {
        var random = SplitMix(UInt64(seed + 50))
        let times = FrameIndexTests.variableTimes(&random, count: 200)
        let index = SyntheticIndex(times: times).index
        for time in Set(times).subtracting([times[0]]) {
            let offset = time - times[0]
            let at = try index.resolve(.fraction(Rational(offset, index.duration)))
            #expect(at.frame == times.lastIndex(of: time))
            let tiny: Int64 = 1 << 40
            let below = try index.resolve(.fraction(Rational(offset * tiny - 1, index.duration * tiny)))
            #expect(below.frame == times.lastIndex { $0 < time })
            #expect(try index.resolve(.time(Rational(offset, 1000))).frame == times.lastIndex(of: time))
            #expect(try index.resolve(.time(Rational(offset * tiny - 1, 1000 * tiny))).frame == below.frame)
        }
    }

    @Test(
        arguments: [
            (0, 1, 0, false), (1, 1, 3, false), (1, 2, 2, false), (49, 100, 1, false), (1, 4, 1, false),
            (99, 100, 3, false),
            (-1, 100, 0, true), (101, 100, 3, true), (.max, 1, 3, true), (-.max, 1, 0, true),
            (.max - 1, .max, 3, false), (1, .max, 0, false),
        ] as [(Int64, Int64, Int, Bool)])
    func fractionsClamp(n: Int64, d: Int64, frame: Int, isClamped: Bool) throws {
        let index = SyntheticIndex(times: [100, 110, 120, 130]).index
        #expect(try index.resolve(.fraction(Rational(n, d)), clamps: true) == (frame, isClamped))
        if isClamped {
            let error = #expect(throws: ScrubError.self) { try index.resolve(.fraction(Rational(n, d))) }
            #expect(error?.code == .usage)
        } else {
            #expect(try index.resolve(.fraction(Rational(n, d))) == (frame, false))
        }
    }

    /// 200 frames of 10 ms: two seconds.
    @Test(arguments: [
        ("2", "'2' is outside the video: fractions range from 0 to 1", "did you mean 2% or f2?"),
        ("1.5", "'1.5' is outside the video: fractions range from 0 to 1", "did you mean 1.5s or 1.5%?"),
        ("150%", "'1.5' is outside the video: fractions range from 0 to 1", "did you mean 1.5s or 1.5%?"),
        ("3/2", "'1.5' is outside the video: fractions range from 0 to 1", "did you mean 1.5s or 1.5%?"),
        ("4/3", "'4/3' is outside the video: fractions range from 0 to 1", "write a fraction from 0 to 1"),
        ("-1", "'-1' is outside the video: fractions range from 0 to 1", "did you mean f-1?"),
        ("-201", "'-201' is outside the video: fractions range from 0 to 1", "write a fraction from 0 to 1"),
        ("-0.2", "'-0.2' is outside the video: fractions range from 0 to 1", "write a fraction from 0 to 1"),
        ("300", "'300' is outside the video: fractions range from 0 to 1", "write a fraction from 0 to 1"),
    ])
    func aFractionOutsideIsRefused(_ text: String, _ cause: String, _ advice: String) {
        let index = SyntheticIndex(times: (0..<200).map { $0 * 10 }).index
        let error = #expect(throws: ScrubError.self) { try index.resolve(FramePosition(text)) }
        #expect(error?.code == .usage && error?.cause == cause && error?.advice == advice)
    }

    /// Four frames of 10 ms from 0.1 s on; times count from the first frame.
    @Test(arguments: [
        ("0s", 0, false), ("9.999ms", 0, false), ("8.99ms", 0, false), ("10ms", 1, false), ("0:00.03", 3, false),
        ("0.04s", 3, false),
        ("41ms", 3, true), ("40.5ms", 3, true), ("40.000000000001ms", 3, true),
        ("1:00:00", 3, true), ("-1ms", 0, true), ("-0.000000000000000001s", 0, true), ("999999999999999999s", 3, true),
        ("41ms", 3, true), ("40.9ms", 3, true), ("0.0404s", 3, true), ("0.040s", 3, false), ("0.0400001s", 3, true),
        ("first", 0, false), ("last", 3, false), ("f2", 2, false), ("f-4", 0, false), ("#-2", 2, false),
        ("50%", 2, false), ("100%", 3, false),
        ("1/4", 1, false), ("0.2499999", 0, false),
    ])
    func textsFindTheirFrames(text: String, frame: Int, isClamped: Bool) throws {
        let index = SyntheticIndex(times: [100, 110, 120, 130]).index
        #expect(try index.resolve(FramePosition(text), clamps: true) == (frame, isClamped))
        if isClamped {
            let error = #expect(throws: ScrubError.self) { try index.resolve(FramePosition(text)) }
            #expect(error?.code == .usage && error?.cause.contains("from 0:00.000 to 0:00.030") == true)
        } else {
            #expect(try index.resolve(FramePosition(text)) == (frame, false))
        }
    }

    @Test(arguments: [4, -5, .max, .min, 1_000_000])
    func aFrameThatDoesNotExistIsWrongUsage(number: Int) {
        let index = SyntheticIndex(times: [100, 110, 120, 130]).index
        let error = #expect(throws: ScrubError.self) { try index.resolve(.frame(number)) }
        #expect(error?.code == .usage)
        #expect(error?.advice?.contains("f3") == true)
    }

    /// NTSC's time base: 1001/30000 s per frame; frame n is on screen at exactly n * 1001/30000.
    @Test func dropFrameRatesNeverDrift() throws {
        var synthetic = SyntheticIndex(times: Array(0..<20_000))
        synthetic.facts.timeBase = Rational(1001, 30_000)
        synthetic.lastDuration = 1
        let index = synthetic.index
        for frame in stride(from: 1, to: 20_000, by: 37) {
            #expect(try index.resolve(.time(Rational(Int64(frame) * 1001, 30_000))).frame == frame)
            #expect(
                try index.resolve(.time(Rational(Int64(frame) * 1001 * 1_000_000 - 1, 30_000_000_000))).frame == frame
                    - 1)
            #expect(try index.resolve(.fraction(Rational(Int64(frame), 20_000))).frame == frame)
        }
    }
}
