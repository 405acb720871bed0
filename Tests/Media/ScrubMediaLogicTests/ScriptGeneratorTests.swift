import ScrubBase
import ScrubMediaLogic
import Testing

@Suite struct ScriptGeneratorTests {
    typealias Start = ScrubGesture.Script.Start

    /// Every generator with the same start.
    private static func all(_ start: Start) -> [ScrubGesture.Script] {
        [
            .drag(by: 300, ticks: 60, from: start), .flick(by: -400, ticks: 12, from: start),
            .jitter(reach: 4, ticks: 50, from: start),
            .backAndForth(across: [Rational(1, 3), Rational(2, 3)], reach: 5, times: 3, from: start),
            .jump(to: [.zero, .one, Rational(1, 7)], ticks: 20, from: start),
            .rest(after: 120, ticks: 30, restTicks: 90, from: start),
        ]
    }

    /// Points to the right after each movement.
    private func places(_ script: ScrubGesture.Script) -> [Rational] {
        script.events.filter { $0.phase == .changed }.map(\.translation.x)
    }

    @Test(arguments: 0..<5)
    func scriptsAreValidAndAt60Hz(seed: UInt64) throws {
        let start = Start(
            width: Rational(1170), startFraction: Rational(2, 7), isPlaying: seed.isMultiple(of: 2), seed: seed)
        let ticks = Set((0...1000).map { Int((Double($0) * 1000 / 60).rounded()) })
        for script in Self.all(start) {
            try script.validate()
            #expect(script.width == Rational(1170))
            #expect(script.startPosition == "2/7")
            #expect(script.isPlaying == seed.isMultiple(of: 2))
            #expect(script.events.allSatisfy { ticks.contains($0.milliseconds) })
            #expect(Set(script.events.map(\.milliseconds)).count == script.events.count)
            #expect(script.events.last?.phase == .ended)
        }
    }

    @Test func aSeedMakesTheSameScript() {
        #expect(Self.all(Start(seed: 3)) == Self.all(Start(seed: 3)))
        #expect(Self.all(Start(seed: 3)) != Self.all(Start(seed: 4)))
    }

    /// The numbers themselves, so that a compiler or a machine that makes others is found.
    @Test func aSeedMakesTheSameScriptEverywhere() {
        let script = ScrubGesture.Script.jitter(reach: 4, ticks: 3, from: Start(seed: 1))
        #expect(script.events.map(\.milliseconds) == [0, 17, 33, 50, 67])
        let steps = script.events.map(\.translation).map { [$0.x.scaled, $0.y.scaled] }
        #expect(steps == [[0, 0], [-2939, 3357], [4046, 3904], [1106, 985], [0, 0]])
    }

    @Test func aDragArrives() {
        let places = places(.drag(by: 300, ticks: 60))
        #expect(places.count == 60)
        #expect(places.last == Rational(300))
        for (i, x) in places.enumerated() {
            #expect(abs(x.doubleValue - 5 * Double(i + 1)) <= 1)
        }
    }

    @Test func aFlickSlowsDown() {
        let places = places(.flick(by: -400, ticks: 12)).map(\.doubleValue)
        #expect(places.last == -400)
        // To the left.
        let speeds = zip(places, [0] + places).map { $1 - $0 }
        #expect(speeds == speeds.sorted(by: >) && speeds.allSatisfy { $0 > 0 }, "\(speeds)")
    }

    @Test func jitterStaysNearby() {
        let script = ScrubGesture.Script.jitter(reach: 4, ticks: 200)
        #expect(places(script).allSatisfy { abs($0.doubleValue) <= 4 })
        #expect(Set(places(script)).count > 100)
    }

    /// The fractions that a gesture makes of it lie on both sides of the boundary, in turn.
    @Test func backAndForthCrossesEachBoundary() {
        let boundaries = [Rational(1, 3), Rational(3, 4)]
        let script = ScrubGesture.Script.backAndForth(across: boundaries, reach: 5, times: 4)
        var gesture = ScrubGesture()
        _ = gesture.began(at: Rational(1, 2), isPlaying: true)
        let fractions = script.events.filter { $0.phase == .changed }
            .compactMap { gesture.changed(translation: $0.translation, width: script.width).target }
        for boundary in boundaries {
            let isAfter = fractions.filter { abs($0.doubleValue - boundary.doubleValue) < 0.01 }
                .map { $0 > boundary }
            let crossings = zip(isAfter, isAfter.dropFirst()).filter { $0 != $1 }
            #expect(crossings.count >= 4)
        }
    }

    @Test func jumpsLandAtTheirTargets() {
        let script = ScrubGesture.Script.jump(to: [.zero, .one, Rational(3, 4)], ticks: 6)
        #expect(places(script) == [Rational(-500), Rational(500), Rational(250)])
        #expect(script.events.map(\.milliseconds) == [0, 100, 200, 300, 317])
    }

    /// A width and a fraction whose product does not fit are rounded, not lost.
    @Test func unwieldyJumpsLandNearby() throws {
        let fraction = Rational((1 << 61) - 1, (1 << 62) - 57)
        let start = Start(width: Rational((1 << 50) + 1, 1 << 40), startFraction: .zero)
        let x = try #require(places(.jump(to: [fraction], from: start)).first)
        #expect(abs(x.doubleValue - 512) < 0.01)
    }

    @Test func aRestIsSilent() {
        let script = ScrubGesture.Script.rest(after: 120, ticks: 30, restTicks: 90)
        #expect(places(script).last == Rational(120))
        #expect(script.events.suffix(2).map(\.milliseconds) == [500, 2017])
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max])
    func oddArgumentsStayHarmless(number: Int) throws {
        let scripts: [ScrubGesture.Script] = [
            .drag(by: number, ticks: min(number, 5)), .flick(by: number, ticks: min(number, 5)),
            .jitter(reach: number, ticks: min(number, 5)),
            .backAndForth(across: [.zero], reach: number, times: min(number, 5)),
            .jump(to: [Rational(-5), Rational(5)], ticks: min(number, 5)), .jump(to: []),
            .rest(after: number, ticks: min(number, 5), restTicks: min(number, 5)),
            .jump(to: [Rational(1, .max)], from: Start(width: Rational(.max), startFraction: Rational(1, .max - 1))),
        ]
        for script in scripts { try script.validate() }
    }
}

extension Rational {
    /// In the 1/1024 points of the generators.
    fileprivate var scaled: Int64 { numerator * 1024 / denominator }
}
