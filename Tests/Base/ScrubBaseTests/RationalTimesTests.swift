import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct RationalTimesTests {
    @Test(
        arguments: [
            (0.42, 21, 50), (1.0 / 3.0, 1, 3), (12.5, 25, 2), (-0.1, -1, 10), (0, 0, 1),
            (1001.0 / 30000.0, 1001, 30000),
            (7, 7, 1), (1e15, 1_000_000_000_000_000, 1), (0x1p62, 1 << 62, 1), (-0x1p62, -(1 << 62), 1),
            (1e-9, 1, 1_000_000_000),
        ] as [(Double, Int64, Int64)])
    func aDoubleIsTheRatioThatItWasWrittenFor(_ value: Double, _ numerator: Int64, _ denominator: Int64) throws {
        #expect(try #require(Rational(approximating: value)) == Rational(numerator, denominator))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 0x1p63, -0x1p63, 1e300, .leastNonzeroMagnitude, 1e-30])
    func numbersWithoutARatioAreRefused(_ value: Double) {
        #expect(Rational(approximating: value) == nil)
        #expect((FramePosition.seconds(approximating: value) == nil) == !(value.magnitude < 0x1p62))
    }

    /// A double that lies a hair beside a simple ratio is another one: 24/59 is 0.40677966101...
    @Test(
        arguments: [
            (0.406779661, 406_779_661, 1_000_000_000), (2.933333333, 2_933_333_333, 1_000_000_000),
            (0.333333333333, 333_333_333_333, 1_000_000_000_000), (0.75, 3, 4), (1.5, 3, 2),
            (100_000.999999999, 100_000_999_999_999, 1_000_000_000),
        ] as [(Double, Int64, Int64)])
    func aRatioIsFoundBesideASimplerOne(_ value: Double, _ numerator: Int64, _ denominator: Int64) throws {
        let ratio = try #require(Rational(approximating: value))
        #expect(ratio.doubleValue == value && ratio.denominator <= denominator)
        #expect(ratio.numerator <= numerator)
    }

    @Test(arguments: 0..<4) func everyDecimalHasARatio(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed + 7))
        for _ in 0..<500 {
            let scale = [1000, 1_000_000, 1_000_000_000, 1_000_000_000_000].randomElement(using: &random) ?? 1
            let value = Double(Int64.random(in: 1...100_000_000_000, using: &random)) / Double(scale)
            #expect(try #require(Rational(approximating: value)).doubleValue == value)
            #expect(try #require(Rational(approximating: -value)).doubleValue == -value)
        }
    }

    /// Every double that has a ratio comes back as itself, and a ratio of small integers as that ratio.
    @Test(arguments: 0..<4) func theRatioRoundsToTheDouble(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        for _ in 0..<500 {
            let value = Double.random(in: -1e6...1e6, using: &random)
            let ratio = try #require(Rational(approximating: value))
            #expect(ratio.doubleValue == value)
            let (n, d) = (Int64.random(in: -99999...99999, using: &random), Int64.random(in: 1...99999, using: &random))
            #expect(Rational(approximating: Double(n) / Double(d)) == Rational(n, d))
        }
    }

    @Test func arithmeticIsExact() {
        let frame: Rational = Rational(1001, 30000)
        #expect(frame * 30000 == 1001)
        #expect(0.5 + Rational(1, 3) == Rational(5, 6))
        #expect(1 - Rational(1, 3) == Rational(2, 3))
        #expect(Rational(1, 3) / 2 == Rational(1, 6))
        #expect(-frame == Rational(-1001, 30000))
        #expect(FramePosition.seconds(7) == .seconds(7.0) && FramePosition.seconds(frame) == .time(frame))
    }

    @Test func arithmeticThatDoesNotFitTraps() async {
        await #expect(processExitsWith: .failure) { _ = Rational(.max) + 1 }
        await #expect(processExitsWith: .failure) { _ = Rational(.max) * 2 }
        await #expect(processExitsWith: .failure) { _ = Rational(1) / 0 }
    }

    /// A `Double` is its own value; with three decimals at most it is its shortest text, and then it may be a rounded
    /// one. What was a `Float` has the distance of its neighbours.
    @Test(
        arguments: [
            (2.933, 2933, 1000, 3), (2.93, 293, 100, 3), (5, 5, 1, 3), (-0.125, -1, 8, 3), (0.0625, 1, 16, 4),
            (2.9333, 29333, 10000, 4), (2.933333, 2_933_333, 1_000_000, 6), (44.0 / 15, nil, nil, nil),
            (-1e-17, -1, 100_000_000_000_000_000, 17), (1e-7, 1, 10_000_000, 7), (2.9e-8, 29, 1_000_000_000, 9),
            (-8.9094e-5, -44547, 500_000_000, 9), (2.93333333333333, nil, nil, 14),
            (1e14, 100_000_000_000_000, 1, 3), (0x1p61, 1 << 61, 1, nil),
        ] as [(Double, Int64?, Int64?, Int?)])
    func doublesAreComputedTimes(_ value: Double, _ n: Int64?, _ d: Int64?, _ decimals: Int?) throws {
        let time = try #require(ComputedTime(value))
        #expect(time.decimals == decimals && FramePosition.seconds(value) == .computedTime(time))
        if let n, let d {
            #expect(time.seconds == Rational(n, d))
        } else {
            #expect(time.seconds.doubleValue == value)
        }
    }

    @Test func floatsAreToldByTheirBits() throws {
        let float = try #require(ComputedTime(Double(Float(44) / 15)))
        #expect(float.spacing == Rational(1, 1 << 22) && float.decimals == nil)
        let short = try #require(ComputedTime(Double(Float(13.78))))
        #expect(short.seconds == Rational(689, 50) && short.decimals == 3 && short.spacing == Rational(1, 1 << 20))
        #expect(try #require(ComputedTime(13.78)).spacing == 0 && #require(ComputedTime(12.25)).spacing == 0)
    }

    /// A time of the container's, counted from a first frame whose time has another denominator.
    @Test func startsAreSubtracted() throws {
        let start = Rational(111_069_999, 90_000)
        let time = try #require(ComputedTime(1234.144433333333)).counted(from: start)
        #expect(abs(time.seconds.doubleValue - 0.033333333333) < 1e-9)
        #expect(try #require(ComputedTime(1234.5)).counted(from: Rational(1234)).seconds == Rational(1, 2))
    }

    @Test func durationsComeAndGo() {
        #expect(Rational(Duration.milliseconds(420)) == Rational(21, 50))
        #expect(Rational(Duration.milliseconds(-420)) == Rational(-21, 50))
        #expect(Duration(Rational(21, 50)) == .milliseconds(420))
        #expect(Duration(Rational(-1, 4)) == .milliseconds(-250))
        #expect(Duration(Rational(1, 3)).components == (0, 333_333_333_333_333_333))
        #expect(Duration(Rational(.max)).components.seconds == .max)
        #expect(FramePosition.time(.milliseconds(90)) == .time(Rational(9, 100)))
    }

    @Test func anErrorSaysWhatItIs() {
        let error = ScrubError(.badData, "is empty", file: "a.mp4", advice: "name another")
        #expect((error as any Error).localizedDescription == "a.mp4: is empty")
        #expect(error.recoverySuggestion == "name another" && error.failureReason == "is empty")
        #expect(error.description == "a.mp4: is empty (name another)")
    }
}
