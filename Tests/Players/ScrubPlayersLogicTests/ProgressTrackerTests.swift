@testable import ScrubPlayersLogic
import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

/// A player whose seeks land when they are told to.
final class FakePlayer: ProgressTracker.Source {
    struct State: Sendable {
        var time = Rational.zero
        var duration = Rational(100)
        var isPlaying: Bool
        var landed = 0
        var asked: [Rational] = []
        var calls: [String] = []
    }
    let state: Locked<State>

    init(isPlaying: Bool = true, at time: Rational = 0, duration: Rational = 100) {
        state = Locked(State(time: time, duration: duration, isPlaying: isPlaying))
    }

    var progressMoment: ProgressTracker.Moment {
        state.withLock {
            ProgressTracker.Moment(time: $0.time, duration: $0.duration, seek: $0.landed, isPlaying: $0.isPlaying)
        }
    }
    func startSeek(to time: Rational) -> Int {
        state.withLock { state in
            state.asked.append(time)
            state.calls.append("seek \(time.numerator)/\(time.denominator)")
            return state.asked.count
        }
    }
    func pause() { state.withLock { ($0.isPlaying, $0.calls) = (false, $0.calls + ["pause"]) } }
    func play() { state.withLock { ($0.isPlaying, $0.calls) = (true, $0.calls + ["play"]) } }

    /// The newest seek is over.
    func land() { state.withLock { if let last = $0.asked.last { ($0.time, $0.landed) = (last, $0.asked.count) } } }
    func move(to time: Rational) { state.withLock { $0.time = time } }
    var calls: [String] { state.withLock { $0.calls } }
}

@Suite struct ProgressTrackerTests {
    static let second: Int64 = 1_000_000_000

    static func bound(
        _ player: FakePlayer, every interval: Duration = .seconds(1),
        _ behavior: ProgressTracker.SeekBehavior = .immediate
    ) -> (ProgressTracker, ScrubTransport.ManualClock) {
        let clock = ScrubTransport.ManualClock()
        let tracker = ProgressTracker(interval: interval, seekBehavior: behavior, clock: clock)
        tracker.bind(to: player)
        return (tracker, clock)
    }

    /// Trackers at different rates over one player, looked at every 10 ms.
    @Test func severalAtDifferentRates() {
        let player = FakePlayer()
        let clock = ScrubTransport.ManualClock()
        let intervals: [Int64] = [0, 50, 95, 250, 1000]
        let trackers = intervals.map { ProgressTracker(interval: .milliseconds($0), clock: clock) }
        for tracker in trackers { tracker.bind(to: player) }
        var told = intervals.map { _ in [Rational.zero] }
        for step in 1...300 {
            clock.advance(by: .milliseconds(10))
            player.move(to: Rational(Int64(step), 100))
            for (n, tracker) in trackers.enumerated() {
                tracker.tick(now: clock.nanoseconds)
                if told[n].last != tracker.time { told[n].append(tracker.time) }
            }
        }
        #expect(told.map { $0.count - 1 } == [300, 60, 30, 12, 3])
        #expect(told[3].prefix(3) == [0, Rational(1, 4), Rational(1, 2)])
    }

    @Test func saysWhenToLookAgain() {
        let player = FakePlayer()
        let (tracker, clock) = Self.bound(player)
        #expect(tracker.nextDeadline == Self.second)
        clock.advance(by: .milliseconds(400))
        player.move(to: 1)
        tracker.tick(now: clock.nanoseconds)
        #expect((tracker.time, tracker.nextDeadline) == (0, Self.second))
        clock.advance(by: .milliseconds(700))
        tracker.tick(now: clock.nanoseconds)
        #expect((tracker.time, tracker.fraction, tracker.nextDeadline) == (1, Rational(1, 100), 2_100_000_000))
        // A pause is told in time too, and then there is nothing to look at.
        player.pause()
        player.move(to: 2)
        tracker.tick(now: clock.nanoseconds)
        #expect(tracker.nextDeadline == 2_100_000_000)
        clock.advance(by: .seconds(1))
        tracker.tick(now: clock.nanoseconds)
        #expect((tracker.time, tracker.nextDeadline) == (2, nil))
    }

    /// Trap 8: an old time between the release and the landing does not show.
    @Test(arguments: [.immediate, .deferred] as [ProgressTracker.SeekBehavior])
    func thePersonsValueHoldsUntilTheSeekLands(behavior: ProgressTracker.SeekBehavior) {
        let player = FakePlayer(at: 10)
        let (tracker, clock) = Self.bound(player, every: .zero, behavior)
        func look() -> Rational {
            clock.advance(by: .seconds(1))
            tracker.tick(now: clock.nanoseconds)
            return tracker.time
        }
        tracker.isInteracting = true
        tracker.isInteracting = true
        player.move(to: 11)
        #expect(look() == 10)
        tracker.fraction = Rational(1, 2)
        #expect(look() == 50)
        tracker.fraction = 7
        #expect((look(), tracker.fraction) == (100, 1))
        tracker.time = 80
        #expect(look() == 80)
        tracker.isInteracting = false
        let sought = behavior == .immediate ? ["seek 50/1", "seek 100/1", "seek 80/1"] : ["seek 80/1"]
        #expect(player.calls == ["pause"] + sought + ["play"])
        player.move(to: 12)
        #expect(look() == 80)
        // An earlier seek of the same drag lands.
        if behavior == .immediate {
            player.state.withLock { ($0.time, $0.landed) = (50, 1) }
            #expect(look() == 80)
        }
        player.land()
        player.move(to: 81)
        #expect(look() == 81)
        tracker.isInteracting = false
        #expect(player.calls.count == sought.count + 2)
    }

    @Test func aPausedPlayerStaysPaused() {
        let player = FakePlayer(isPlaying: false)
        let (tracker, _) = Self.bound(player)
        tracker.isInteracting = true
        tracker.fraction = Rational(1, 4)
        tracker.isInteracting = false
        #expect(player.calls == ["seek 25/1"])
        // Without a movement there is no seek.
        tracker.isInteracting = true
        tracker.isInteracting = false
        #expect(player.calls == ["seek 25/1"])
        // A tap on the bar.
        tracker.fraction = Rational(3, 4)
        #expect(player.calls == ["seek 25/1", "seek 75/1"])
        #expect(tracker.time == 75)
    }

    @Test(arguments: [.immediate, .deferred] as [ProgressTracker.SeekBehavior])
    func cancelled(behavior: ProgressTracker.SeekBehavior) {
        let player = FakePlayer(at: 30)
        let (tracker, _) = Self.bound(player, every: .zero, behavior)
        tracker.isInteracting = true
        tracker.fraction = Rational(3, 4)
        tracker.cancelInteraction()
        #expect(
            player.calls == (behavior == .immediate ? ["pause", "seek 75/1", "seek 30/1", "play"] : ["pause", "play"]))
        #expect((tracker.time, tracker.isInteracting) == (30, false))
        tracker.cancelInteraction()
    }

    /// A new player during the drag: the old one goes on, the new one is held, the person's place counts there.
    @Test(arguments: [.immediate, .deferred] as [ProgressTracker.SeekBehavior])
    func anotherPlayerDuringTheDrag(behavior: ProgressTracker.SeekBehavior) {
        let (old, new) = (FakePlayer(at: 10), FakePlayer(at: 5, duration: 40))
        let (tracker, _) = Self.bound(old, every: .zero, behavior)
        tracker.isInteracting = true
        tracker.fraction = Rational(1, 2)
        tracker.bind(to: new)
        tracker.bind(to: new)
        #expect(old.calls == (behavior == .immediate ? ["pause", "seek 50/1", "play"] : ["pause", "play"]))
        #expect(tracker.time == 20)
        tracker.isInteracting = false
        #expect(new.calls == ["pause", "seek 20/1", "play"])
        old.land()
        tracker.tick(now: 9)
        #expect(tracker.time == 20)
        new.land()
        tracker.tick(now: 10)
        #expect(tracker.time == 20)
        tracker.isInteracting = true
        tracker.unbind()
        #expect(new.calls == ["pause", "seek 20/1", "play", "pause", "play"])
        tracker.isInteracting = false
        tracker.unbind()
        #expect(tracker.value == ProgressTracker.Value())
    }

    /// A drag before the duration is known is kept, not lost.
    @Test func beforeTheDurationIsKnown() {
        let player = FakePlayer(duration: 0)
        let (tracker, _) = Self.bound(player, every: .zero)
        tracker.isInteracting = true
        tracker.fraction = Rational(1, 2)
        tracker.isInteracting = false
        tracker.time = 9
        #expect(player.calls == ["pause", "play"])
        tracker.tick(now: 1)
        #expect((tracker.fraction, tracker.time) == (Rational(1, 2), 0))
        player.state.withLock { $0.duration = 60 }
        tracker.tick(now: 2)
        #expect(player.calls == ["pause", "play", "seek 30/1"])
        #expect(tracker.time == 30)
        tracker.tick(now: 3)
        player.land()
        player.move(to: 31)
        tracker.tick(now: 4)
        #expect(tracker.time == 31)
        #expect(player.calls.count == 3)
    }

    @Test func thePlayerGoesAway() {
        var player: FakePlayer? = FakePlayer(at: 3)
        let clock = ScrubTransport.ManualClock()
        let tracker = ProgressTracker(interval: .seconds(1), clock: clock)
        if let player { tracker.bind(to: player) }
        weak let gone = player
        player = nil
        #expect(gone == nil)
        tracker.tick(now: 5)
        #expect((tracker.time, tracker.nextDeadline) == (3, nil))
        tracker.isInteracting = true
        tracker.fraction = 1
        tracker.isInteracting = false
        #expect(tracker.fraction == 1)
    }

    @Test func values() async {
        let player = FakePlayer()
        var tracker: ProgressTracker? = Self.bound(player).0
        var values = tracker?.values().makeAsyncIterator()
        #expect(await values?.next()?.time == 0)
        tracker?.fraction = Rational(1, 2)
        tracker?.fraction = Rational(3, 4)
        #expect(await values?.next()?.time == 75)
        tracker = nil
        #expect(await values?.next() == nil)
    }

    @Test(
        arguments: [
            (5, 10, Rational(1, 2), 5), (11, 10, 1, 10), (-1, 10, 0, 0), (5, 0, 0, 5), (5, -1, 0, 5),
            (Rational(.max - 1), Rational(.max), Rational(.max - 1, .max), Rational(.max - 1)),
            (Rational(1, .max), Rational(.max), 0, Rational(1, .max)),
        ] as [(Rational, Rational, Rational, Rational)])
    func fractions(time: Rational, duration: Rational, fraction: Rational, shown: Rational) {
        let value = ProgressTracker.Value(time: time, duration: duration)
        #expect((value.fraction, value.time) == (fraction, shown))
    }

    /// Whatever the order: no older place shows while a person's seek has not landed, and a playing item plays again.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func anything(seed: UInt64) {
        var random = SplitMix(seed)
        let player = FakePlayer()
        let (tracker, clock) = Self.bound(
            player, every: .milliseconds(20), random.isOne(in: 2) ? .immediate : .deferred)
        var wanted: Rational?
        for step in 0..<2000 {
            clock.advance(by: .milliseconds(Int64.random(in: 0...15, using: &random)))
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                // What has landed may have gone on since.
                if !tracker.isInteracting, player.state.withLock({ $0.landed == $0.asked.count }) { wanted = nil }
                tracker.isInteracting = true
            case 1: tracker.isInteracting = false
            case 2:
                let fraction = Rational(Int64.random(in: 0...1000, using: &random), 1000)
                tracker.fraction = fraction
                wanted = fraction
            case 3: player.land()
            case 4: player.move(to: Rational(Int64.random(in: 0...99, using: &random)))
            default:
                tracker.tick(now: clock.nanoseconds)
                // From here on the player's value may show.
                if !tracker.isInteracting, player.state.withLock({ $0.landed == $0.asked.count }) { wanted = nil }
            }
            if let wanted, tracker.fraction != wanted {
                Issue.record("seed \(seed), step \(step): \(tracker.fraction), not \(wanted)")
                return
            }
            #expect(player.state.withLock { $0.isPlaying } != tracker.isInteracting)
        }
    }
}
