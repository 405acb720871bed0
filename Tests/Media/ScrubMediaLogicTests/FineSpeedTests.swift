import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@Suite struct FineSpeedTests {
    private let width = Rational(1000)

    private func begun(_ speeds: [ScrubGesture.FineSpeed] = ScrubGesture.FineSpeed.phone) -> ScrubGesture {
        ScrubGestureTests.begun(.init(fineSpeeds: speeds))
    }

    /// Each row goes on from the one before it.
    @Test func movementCountsAtTheSpeedItIsMadeAt() {
        var gesture = begun()
        let rows: [(Int64, Int64, Rational)] = [
            (100, 0, Rational(600, 1000)),
            (100, 49, Rational(600, 1000)),
            // The speed alone moves nothing, up or down.
            (100, 50, Rational(600, 1000)),
            (100, -75, Rational(600, 1000)),
            (200, 75, Rational(650, 1000)),
            (240, 100, Rational(660, 1000)),
            (140, 149, Rational(635, 1000)),
            (240, 1000, Rational(645, 1000)),
            (0, 150, Rational(621, 1000)),
            (100, 0, Rational(721, 1000)),
        ]
        for (x, y, expected) in rows {
            #expect(gesture.changed(translation: ScrubGestureTests.at(x, y), width: width).target == expected)
        }
    }

    @Test func anAnchorAtTheEndIsTheEnd() {
        var gesture = begun()
        #expect(gesture.changed(translation: ScrubGestureTests.at(900), width: width).target == .one)
        // 400 points beyond the end are not carried into the slower speed.
        #expect(gesture.changed(translation: ScrubGestureTests.at(900, 60), width: width).target == .one)
        let back = gesture.changed(translation: ScrubGestureTests.at(800, 60), width: width).target
        #expect(back == Rational(95, 100))
    }

    @Test func theOrderOfTheSpeedsDoesNotMatter() {
        var (sorted, reversed) = (begun(), begun(ScrubGesture.FineSpeed.phone.reversed()))
        for y: Int64 in [0, 49, 50, 99, 100, 149, 150, 151, -120] {
            let step = ScrubGestureTests.at(y * 3, y)
            let target = sorted.changed(translation: step, width: width)
            #expect(reversed.changed(translation: step, width: width) == target)
        }
    }

    /// At one speed it does not matter how many events there are on the way.
    @Test(arguments: 0..<20)
    func eventsOnTheWayChangeNothing(seed: UInt64) {
        var random = SplitMix(seed)
        var (few, many) = (begun(), begun())
        for _ in 0..<30 {
            let (y, x) = (Int64.random(in: -180...180, using: &random), Int64.random(in: -900...900, using: &random))
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let step = ScrubGestureTests.at(.random(in: -900...900, using: &random), y)
                _ = many.changed(translation: step, width: width)
            }
            let step = ScrubGestureTests.at(x, y)
            let target = few.changed(translation: step, width: width)
            #expect(many.changed(translation: step, width: width) == target)
        }
    }

    /// Thousands of changes of speed from odd beginnings: the anchor's digits stay within 64 bits.
    @Test func anchorsDoNotGrow() throws {
        let speeds = [7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43].map { (prime: Int64) in
            ScrubGesture.FineSpeed(distance: Rational(prime), factor: Rational(1, prime))
        }
        var gesture = begun(speeds)
        var random = SplitMix(5)
        var (truth, last) = (0.5, 0.0)
        for _ in 0..<5000 {
            let y = Int64.random(in: 0...50, using: &random)
            let x = Int64.random(in: -4000...4000, using: &random)
            let step = ScrubGesture.Translation(x: Rational(x, 1009), y: Rational(y))
            let target = try #require(gesture.changed(translation: step, width: Rational(1171)).target)
            let speed = speeds.last { $0.distance <= Rational(y) }?.factor.doubleValue ?? 1
            truth += (step.x.doubleValue - last) * speed / 1171
            last = step.x.doubleValue
            try #require(truth > 0 && truth < 1, "the walk is to stay inside, where the sum is simple")
            #expect(abs(target.doubleValue - truth) < 1e-5)
        }
    }
}
