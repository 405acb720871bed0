import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@Suite struct TransportTests {
    private let clock = ScrubTransport.ManualClock()

    private func transport(_ seconds: Rational = Rational(10)) -> ScrubTransport {
        ScrubTransport(duration: seconds, clock: clock)
    }

    @Test func startsPausedAtTheBeginning() {
        let transport = transport()
        clock.advance(by: .seconds(3))
        #expect(transport.now == transport.now)
        #expect(transport.state == .paused)
        #expect(transport.currentTime == .zero)
        #expect(transport.rate == .one)
        #expect(!transport.isLooping)
    }

    @Test func playsByTheClock() {
        let transport = transport()
        transport.play()
        #expect(transport.isPlaying)
        #expect(transport.currentTime == .zero)
        clock.advance(by: .nanoseconds(1_000_000_001))
        #expect(transport.currentTime == Rational(1_000_000_001, 1_000_000_000))
        transport.play()
        clock.advance(by: .milliseconds(499))
        transport.pause()
        let time = Rational(1_499_000_001, 1_000_000_000)
        clock.advance(by: .seconds(100))
        #expect(transport.currentTime == time)
        #expect(transport.state == .paused)
        transport.play()
        clock.advance(by: .nanoseconds(-1 + 1_000_000_000))
        #expect(transport.currentTime == Rational(2499, 1000))
    }

    @Test(arguments: [true, false])
    func seeksAndGoesOn(isPlaying: Bool) {
        let transport = transport()
        if isPlaying { transport.play() }
        clock.advance(by: .seconds(1))
        transport.seek(to: Rational(22, 3))
        #expect(transport.currentTime == Rational(22, 3))
        #expect(transport.fraction == Rational(11, 15))
        clock.advance(by: .seconds(1))
        #expect(transport.currentTime == Rational(isPlaying ? 25 : 22, 3))
        transport.seek(toFraction: Rational(1, 3))
        #expect(transport.currentTime == Rational(10, 3))
        transport.seek(to: Rational(-1))
        #expect(transport.currentTime == .zero)
        transport.seek(toFraction: Rational(2))
        #expect(transport.currentTime == Rational(10))
        #expect(transport.state == (isPlaying ? .ended : .paused))
    }

    @Test func endsAtTheEndAndStartsOver() {
        let transport = transport()
        transport.play()
        clock.advance(by: .nanoseconds(9_999_999_999))
        #expect(transport.isPlaying)
        clock.advance(by: .nanoseconds(1))
        #expect(transport.now.time == Rational(10))
        #expect(transport.now.state == .ended)
        clock.advance(by: .seconds(5))
        transport.pause()
        #expect(transport.state == .ended)
        transport.isLooping = true
        #expect(transport.state == .ended)
        transport.isLooping = false
        transport.play()
        clock.advance(by: .seconds(2))
        #expect(transport.currentTime == Rational(2))
        #expect(transport.isPlaying)
    }

    @Test func seekingAfterTheEndIsPaused() {
        let transport = transport()
        transport.play()
        clock.advance(by: .seconds(11))
        transport.seek(to: Rational(4))
        #expect(transport.state == .paused)
        clock.advance(by: .seconds(1))
        #expect(transport.currentTime == Rational(4))
    }

    /// A medium that was brought to the end by hand does not start over: it has nothing left to play.
    @Test func playingFromTheEndEndsAtOnce() {
        let transport = transport()
        transport.seek(to: Rational(10))
        transport.play()
        #expect(transport.state == .ended)
        #expect(transport.currentTime == Rational(10))
    }

    @Test func playsBackwardToTheBeginning() {
        let transport = transport()
        transport.seek(to: Rational(4))
        transport.rate = Rational(-3, 2)
        transport.play()
        clock.advance(by: .seconds(2))
        #expect(transport.currentTime == .one)
        clock.advance(by: .seconds(1))
        #expect(transport.state == .ended)
        #expect(transport.currentTime == .zero)
        transport.play()
        clock.advance(by: .seconds(2))
        #expect(transport.currentTime == Rational(7))
    }

    @Test func aChangeOfRateCountsFromNow() {
        let transport = transport()
        transport.play()
        for rate in [Rational(2), Rational(1, 3), Rational(-1), Rational(1, 2)] {
            clock.advance(by: .seconds(1))
            transport.rate = rate
        }
        // 1 + 2 + 1/3 - 1 + 3/2
        clock.advance(by: .seconds(3))
        #expect(transport.currentTime == Rational(23, 6))
    }

    @Test func rateZeroPausesAndPlayingContinuesAfterIt() {
        let transport = transport()
        transport.play()
        clock.advance(by: .seconds(1))
        transport.rate = .zero
        #expect(transport.state == .paused)
        clock.advance(by: .seconds(1))
        transport.seek(to: Rational(2))
        transport.rate = .one
        clock.advance(by: .seconds(1))
        #expect(transport.now.time == Rational(3))
        #expect(transport.isPlaying)
        transport.rate = .zero
        transport.pause()
        transport.rate = .one
        #expect(transport.state == .paused)
    }

    @Test(
        arguments: [
            (Rational(1), 10, Rational(0)), (Rational(1), 23, Rational(3)), (Rational(1, 3), 31, Rational(1, 3)),
            (Rational(-1), 1, Rational(9)), (Rational(-1), 30, Rational(0)), (Rational(-7, 2), 10, Rational(5)),
            (Rational(1000), 1_000_000, Rational(0)),
        ] as [(Rational, Int, Rational)])
    func loopsInBothDirections(rate: Rational, seconds: Int, time: Rational) {
        let transport = transport()
        transport.isLooping = true
        transport.rate = rate
        transport.play()
        clock.advance(by: .seconds(seconds))
        #expect(transport.now.time == time)
        #expect(transport.isPlaying)
    }

    @Test func aLoopThatIsTurnedOffEndsAtTheNextEnd() {
        let transport = transport()
        transport.isLooping = true
        transport.play()
        clock.advance(by: .seconds(25))
        transport.isLooping = false
        #expect(transport.currentTime == Rational(5))
        clock.advance(by: .seconds(5))
        #expect(transport.state == .ended)
    }

    @Test(arguments: [Rational(0), Rational(-3)], [true, false])
    func aMediumWithoutDurationStaysAtZero(duration: Rational, isLooping: Bool) {
        let transport = transport(duration)
        transport.isLooping = isLooping
        transport.play()
        clock.advance(by: .seconds(1))
        #expect(transport.state == (isLooping ? .playing : .ended))
        transport.seek(toFraction: .one)
        #expect(transport.duration == .zero)
        #expect(transport.now.time == .zero)
        #expect(transport.fraction == .zero)
    }

    /// Whatever a file or a caller says: nothing traps, the time stays on the line and near the truth.
    @Test(arguments: 0..<50)
    func unwieldyValuesAreRounded(seed: UInt64) {
        var random = SplitMix(seed)
        func part() -> Int64 {
            Int64.random(in: 1...Int64.max, using: &random) >> Int64.random(in: 0...62, using: &random)
        }
        func ratio() -> Rational { Rational(part() * (random.isOne(in: 2) ? 1 : -1), max(part(), 1)) }
        let transport = transport(ratio())
        for _ in 0..<50 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0: transport.play()
            case 1: transport.pause()
            case 2: transport.seek(to: ratio())
            case 3: transport.rate = ratio()
            case 4: transport.isLooping.toggle()
            case 5: transport.seek(toFraction: ratio())
            default: clock.advance(by: .nanoseconds(part()))
            }
            #expect((.zero...transport.duration).contains(transport.currentTime))
            #expect((.zero ... .one).contains(transport.fraction))
        }
    }

    /// Products that need more than 64 bits are within nanoseconds.
    @Test(arguments: 0..<20)
    func unwieldyFractionsLandWhereTheyShould(seed: UInt64) {
        var random = SplitMix(seed)
        let transport = transport(Rational(Int64.random(in: 1 << 50...1 << 53, using: &random), (1 << 42) - 11))
        let whole = Int64.random(in: 1 << 60...Int64.max, using: &random)
        let fraction = Rational(Int64.random(in: 0...whole, using: &random), whole)
        transport.seek(toFraction: fraction)
        let truth = fraction.doubleValue * transport.duration.doubleValue
        #expect(abs(transport.currentTime.doubleValue - truth) < 1e-8)
        #expect(abs(transport.fraction.doubleValue - fraction.doubleValue) < 1e-10)
    }

    /// Rates whose denominators multiply past 64 bits: nanoseconds from then on.
    @Test func manyRatesLoseNanosecondsOnly() {
        let transport = transport(Rational(1_000_000))
        transport.play()
        var truth = 0.0
        for prime: Int64 in [3, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47] {
            transport.rate = Rational(prime + 1, prime)
            clock.advance(by: .nanoseconds(1_234_567_891))
            truth += 1.234567891 * transport.rate.doubleValue
        }
        #expect(abs(transport.currentTime.doubleValue - truth) < 2e-8)
    }

    @Test func threadsSeeTimeRunForward() async {
        let (clock, transport) = (clock, transport())
        transport.play()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var last = Rational.zero
                    for _ in 0..<500 {
                        clock.advance(by: .microseconds(10))
                        let time = transport.currentTime
                        #expect(time >= last)
                        last = time
                    }
                }
            }
        }
        #expect(transport.currentTime == Rational(2, 100))
    }
}
