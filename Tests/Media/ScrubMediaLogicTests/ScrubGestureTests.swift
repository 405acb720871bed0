import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@Suite struct ScrubGestureTests {
    typealias Translation = ScrubGesture.Translation
    typealias Actions = ScrubGesture.Actions

    static let half = Rational(1, 2)
    static let width = Rational(1000)

    static func at(_ x: Int64, _ y: Int64 = 0) -> Translation { Translation(x: Rational(x), y: Rational(y)) }

    /// A gesture that has begun in the middle of a medium that plays.
    static func begun(_ options: ScrubGesture.Options = .init()) -> ScrubGesture {
        var gesture = ScrubGesture(options: options)
        #expect(gesture.began(at: half, isPlaying: true) == Actions(transport: .pause))
        return gesture
    }

    @Test(
        arguments: [
            (10, 0, true), (-10, 3, true), (10, -9, true), (0, 0, false), (5, 5, false), (-5, 5, false),
            (3, -10, false),
        ] as [(Int64, Int64, Bool)])
    func beginsForMostlyHorizontalPans(x: Int64, y: Int64, begins: Bool) {
        #expect(ScrubGesture.shouldBegin(translation: Self.at(x, y)) == begins)
    }

    @Test(
        arguments: [
            (0.5, Rational(1, 2)), (-3.25, Rational(-13, 4)), (0.0004, .zero), (1.0 / 3, Rational(341, 1024)),
            (.nan, .zero), (.infinity, .zero), (-.infinity, .zero), (1e300, Rational(1 << 40)),
            (-1e300, Rational(-(1 << 40))),
        ] as [(Double, Rational)])
    func roundsWhatARecogniserReports(points: Double, exact: Rational) {
        let translation = Translation(x: points, y: -points)
        #expect(translation.x == exact)
        #expect(translation.y == Rational(-exact.numerator, exact.denominator))
    }

    /// A binary fraction would have lost 1/3 and 0.1 long before.
    @Test func fractionsAreExact() {
        var gesture = ScrubGesture()
        _ = gesture.began(at: Rational(1, 3), isPlaying: false)
        let tenth = Translation(x: Rational(1, 10), y: .zero)
        #expect(gesture.changed(translation: tenth, width: Rational(1170)).target == Rational(3901, 11700))
        #expect(gesture.changed(translation: Self.at(-390), width: Rational(1170)).target == .zero)
        #expect(gesture.changed(translation: Self.at(780), width: 1170.0).target == .one)
    }

    @Test(arguments: 0..<20)
    func onlyTheNewestTranslationCounts(seed: UInt64) {
        var random = SplitMix(seed)
        let begin = Rational(Int64.random(in: 0...90_000, using: &random), 90_000)
        let width = Rational(Int64.random(in: 1...4000, using: &random))
        var gesture = ScrubGesture()
        _ = gesture.began(at: begin, isPlaying: false)
        for _ in 0..<50 {
            let steps = Int64.random(in: -8_000_000...8_000_000, using: &random)
            let step = Translation(x: Rational(steps, 1024), y: Rational(steps, 7))
            // The same sum over one denominator.
            let scale = 90_000 * 1024 * width.numerator
            let sum = begin.numerator * (90_000 / begin.denominator) * 1024 * width.numerator + steps * 90_000
            let expected = Rational(min(max(sum, 0), scale), scale)
            #expect(gesture.changed(translation: step, width: width) == Actions(target: expected))
        }
    }

    @Test func leavingTheRangeHasToBeTakenBack() {
        var gesture = Self.begun()
        #expect(gesture.changed(translation: Self.at(900), width: Self.width).target == .one)
        #expect(gesture.changed(translation: Self.at(600), width: Self.width).target == .one)
        #expect(gesture.changed(translation: Self.at(400), width: Self.width).target == Rational(9, 10))
        #expect(gesture.changed(translation: Self.at(-501), width: Self.width).target == .zero)
        #expect(gesture.changed(translation: Self.at(0), width: Self.width).target == Self.half)
    }

    @Test(arguments: [Rational(-1, 2), Rational(0), Rational(1), Rational(7, 2)])
    func aBeginningOutsideIsCut(begin: Rational) {
        var gesture = ScrubGesture()
        _ = gesture.began(at: begin, isPlaying: false)
        let expected = min(max(begin, .zero), .one)
        #expect(gesture.changed(translation: .zero, width: Self.width).target == expected)
    }

    @Test(arguments: [Rational(0), Rational(-1), Rational(-1000)])
    func aViewWithoutWidthGivesNothing(width: Rational) {
        var gesture = Self.begun()
        #expect(gesture.changed(translation: Self.at(10), width: width) == .none)
        #expect(gesture.changed(translation: Self.at(10), width: Double.nan) == .none)
        #expect(gesture.phase == .active)
    }

    /// Values that no view has: nothing traps, everything stays in range and near the truth.
    @Test(arguments: 0..<50)
    func unwieldyValuesAreRounded(seed: UInt64) {
        var random = SplitMix(seed)
        func part() -> Int64 {
            Int64.random(in: 1...Int64.max, using: &random) >> Int64.random(in: 0...62, using: &random)
        }
        func ratio() -> Rational { Rational(part() * (random.isOne(in: 2) ? 1 : -1), max(part(), 1)) }
        let speeds = (0..<3).map { i in
            ScrubGesture.FineSpeed(distance: Rational(Int64(i) * 10), factor: Rational(1, max(part(), 1)))
        }
        var gesture = ScrubGesture(options: .init(fineSpeeds: random.isOne(in: 2) ? speeds : []))
        let begin = ratio()
        _ = gesture.began(at: begin, isPlaying: false)
        for _ in 0..<50 {
            let step = Translation(x: ratio(), y: ratio())
            let width = ratio()
            let target = gesture.changed(translation: step, width: width).target
            #expect((target == nil) == (width <= .zero))
            guard let target else { continue }
            #expect((.zero ... .one).contains(target))
            guard gesture.options.fineSpeeds.isEmpty, Rational(1, 1000) < width, width < Rational(1_000_000) else {
                continue
            }
            let start = min(max(begin, .zero), .one).doubleValue
            let truth = min(max(start + step.x.doubleValue / width.doubleValue, 0), 1)
            #expect(abs(target.doubleValue - truth) < 0.01)
        }
    }

    /// The digits of a film of a day at 90 kHz, and of a script with six decimals.
    @Test func unwieldyValuesStayWithinAThousandthOfAFrame() throws {
        var gesture = ScrubGesture()
        let begin = Rational(3_037_000_507, 7_776_000_013)
        _ = gesture.began(at: begin, isPlaying: false)
        let step = Translation(x: Rational(123_456_789_012_345_677, 1_000_000_000_000_000), y: .zero)
        let target = try #require(gesture.changed(translation: step, width: Rational(1170)).target)
        let truth = begin.doubleValue + step.x.doubleValue / 1170
        #expect(abs(target.doubleValue - truth) < 2e-9)
    }

    @Test(
        arguments: [
            (5, 1, 10, 6), (5, -1, 10, 4), (9, 1, 10, 9), (0, -1, 10, 0), (5, 100, 10, 9), (5, -100, 10, 0),
            (5, .max, 10, 9), (5, .min, 10, 0), (.max, 1, .max, .max - 1), (-7, 1, 10, 1), (99, -1, 10, 8),
            (3, 1, 0, 0), (3, 1, -5, 0), (0, 0, 1, 0),
        ] as [(Int, Int, Int, Int)])
    func stepsStayInTheMedium(frame: Int, count: Int, frameCount: Int, expected: Int) {
        #expect(ScrubGesture.step(from: frame, by: count, frameCount: frameCount) == expected)
    }
}
