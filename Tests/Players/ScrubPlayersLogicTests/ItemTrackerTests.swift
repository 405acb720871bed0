import ScrubPlayersLogic
import ScrubBase
import Testing

/// Records the events that happen to it.
final class Diary: Sendable {
    let lines = Locked<[String]>([])
    func write(_ line: String) { lines.withLock { $0.append(line) } }
    /// Returns the records since the last time.
    func read() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

final class Television: TrackedPlayer {
    let name: String
    let time = Locked(Rational.zero)
    init(_ name: String = "p") { self.name = name }
    var currentTime: Rational { time.withLock { $0 } }
}

final class DiaryTracker: ItemTracker {
    let diary: Diary
    init(configuration: Diary) {
        diary = configuration
        diary.write("init")
    }
    deinit { diary.write("deinit") }
    func enable(for player: Television) { diary.write("enable \(player.name)") }
    func updateMetadata(_ metadata: String) { diary.write("metadata \(metadata)") }
    func updateProperties(_ properties: PlaybackProperties) { diary.write("lasts \(properties.duration.numerator)") }
    func recordMetric(_ metric: Int) { diary.write("metric \(metric)") }
    func disable(with last: PlaybackProperties, at time: Rational) {
        diary.write("disable \(last.duration.numerator) at \(time.numerator)")
    }
}

@Suite struct ItemTrackerTests {
    typealias Host = ItemTrackerHost<DiaryTracker, Int>

    static func lasting(_ seconds: Int64) -> PlaybackProperties {
        PlaybackProperties(duration: Rational(seconds), state: .playing)
    }
    static func host(_ diary: Diary, _ behavior: ItemTrackerBehavior = .optional, limit: Int = 1000) -> Host {
        Host(configuration: diary, behavior: behavior, metricLimit: limit) { "#\($0)" }
    }

    @Test func theWholeLife() {
        let diary = Diary()
        var host: (any ItemTrackerDriver<Television, Int, Int>)? = Self.host(diary)
        let player = Television()
        // Metadata come while it is disabled, properties and metrics don't.
        host?.updateMetadata(1)
        host?.updateProperties(Self.lasting(9))
        host?.recordMetric(9)
        #expect(diary.read() == ["init", "metadata #1"])
        host?.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(0))
        host?.updateProperties(Self.lasting(1))
        host?.updateProperties(Self.lasting(1))
        host?.recordMetric(5)
        host?.updateMetadata(2)
        #expect(diary.read() == ["enable p", "lasts 0", "lasts 1", "metric 5", "metadata #2"])
        host?.resignCurrent(Self.lasting(3), at: Rational(3))
        host?.resignCurrent(Self.lasting(4), at: Rational(4))
        host?.updateProperties(Self.lasting(4))
        host?.recordMetric(6)
        host?.updateMetadata(3)
        #expect(diary.read() == ["disable 3 at 3", "metadata #3"])
        // The same item plays again: the same tracker, from nothing.
        host?.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(0))
        host?.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(2))
        #expect(diary.read() == ["enable p", "lasts 0", "disable 0 at 0", "enable p", "lasts 2"])
        player.time.withLock { $0 = Rational(8) }
        host = nil
        #expect(diary.read() == ["disable 2 at 8", "deinit"])
    }

    @Test(arguments: ItemTrackerBehavior.allCases)
    func switchedOnLate(behavior: ItemTrackerBehavior) {
        let diary = Diary()
        let host = Self.host(diary, behavior)
        let player = Television()
        host.setTrackingEnabled(true)
        host.becomeCurrent(for: player, isTrackingEnabled: false, Self.lasting(0))
        for metric in 1...2 { host.recordMetric(metric) }
        host.updateProperties(Self.lasting(7))
        let early = diary.read()
        host.setTrackingEnabled(true)
        host.setTrackingEnabled(true)
        let late = diary.read()
        player.time.withLock { $0 = Rational(6) }
        host.setTrackingEnabled(false)
        host.updateProperties(Self.lasting(8))
        host.setTrackingEnabled(true)
        let again = diary.read()
        switch behavior {
        case .mandatory:
            #expect(early == ["init", "enable p", "lasts 0", "metric 1", "metric 2", "lasts 7"])
            #expect(late.isEmpty)
            #expect(again == ["lasts 8"])
        case .optional:
            #expect(early == ["init"])
            #expect(late == ["enable p", "lasts 7", "metric 1", "metric 2"])
            #expect(again == ["disable 7 at 6", "enable p", "lasts 8", "metric 1", "metric 2"])
        }
        host.resignCurrent(Self.lasting(9), at: Rational(9))
        host.setTrackingEnabled(true)
        #expect(diary.read() == ["disable 9 at 9"])
        #expect(!host.isEnabled)
    }

    @Test(
        arguments: [(0, []), (1, [7]), (3, [5, 6, 7]), (7, [1, 2, 3, 4, 5, 6, 7]), (99, [1, 2, 3, 4, 5, 6, 7])]
            as [(Int, [Int])])
    func theNewestMetricsAreKept(limit: Int, kept: [Int]) {
        let diary = Diary()
        let host = Self.host(diary, limit: limit)
        let player = Television()
        host.becomeCurrent(for: player, isTrackingEnabled: false, Self.lasting(0))
        for metric in 1...7 { host.recordMetric(metric) }
        host.setTrackingEnabled(true)
        #expect(diary.read() == ["init", "enable p", "lasts 0"] + kept.map { "metric \($0)" })
        // Those of the turn before are no longer there.
        host.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(1))
        #expect(diary.read() == ["disable 0 at 0", "enable p", "lasts 1"])
    }

    /// A player that is gone is not brought back.
    @Test func thePlayerGoesAway() {
        let diary = Diary()
        let host = Self.host(diary)
        var player: Television? = Television()
        if let player { host.becomeCurrent(for: player, isTrackingEnabled: false, Self.lasting(0)) }
        weak let gone = player
        player = nil
        #expect(gone == nil)
        host.setTrackingEnabled(true)
        #expect(!host.isEnabled)
        #expect(diary.read() == ["init"])
    }

    /// Its own switch beside the player's, which an item's next turn does not turn on again.
    @Test(arguments: ItemTrackerBehavior.allCases)
    func whatIsSwitchedOffStaysOff(behavior: ItemTrackerBehavior) {
        let diary = Diary()
        let host = Self.host(diary, behavior)
        let player = Television()
        host.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(0))
        host.isActive = false
        host.setTrackingEnabled(true)
        for turn in 1...3 {
            host.resignCurrent(Self.lasting(0), at: Rational(Int64(turn)))
            host.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(0))
        }
        #expect(!host.isActive && host.isEnabled == (behavior == .mandatory))
        if behavior == .optional { #expect(diary.read() == ["init", "enable p", "lasts 0", "disable 0 at 0"]) }
        host.isActive = true
        #expect(host.isEnabled)
    }

    final class Talker: TrackedPlayer {
        var currentTime: Rational { .zero }
        let host = Locked<ItemTrackerHost<TalkingTracker, Void>?>(nil)
        let diary = Diary()
    }

    /// Calls its host back from within.
    final class TalkingTracker: ItemTracker {
        let talker: Talker
        init(configuration: Talker) { talker = configuration }
        func enable(for player: Talker) {
            talker.host.withLock { $0 }?.recordMetric(1)
            talker.diary.write("enabled")
        }
        func recordMetric(_ metric: Int) {
            if metric < 3 { talker.host.withLock { $0 }?.recordMetric(metric + 1) }
            talker.diary.write("\(metric)")
        }
        func updateMetadata(_ metadata: Void) {}
        func disable(with last: PlaybackProperties, at time: Rational) { talker.diary.write("disabled") }
    }

    @Test func callingBackAppends() {
        let talker = Talker()
        let host = ItemTrackerHost<TalkingTracker, Void>(configuration: talker) { _ in }
        talker.host.withLock { $0 = host }
        host.becomeCurrent(for: talker, isTrackingEnabled: true, Self.lasting(0))
        host.resignCurrent(Self.lasting(1), at: Rational(1))
        #expect(talker.diary.read() == ["enabled", "1", "2", "3", "disabled"])
        talker.host.withLock { $0 = nil }
    }

    /// From several threads at once: each enable has its disable, and nothing comes outside of them.
    @Test func fromManyThreads() async {
        let diary = Diary()
        let host = Self.host(diary)
        let player = Television()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<200 {
                        switch (step + task) % 4 {
                        case 0: host.becomeCurrent(for: player, isTrackingEnabled: true, Self.lasting(0))
                        case 1: host.recordMetric(step)
                        case 2: host.updateProperties(Self.lasting(Int64(step)))
                        default: host.resignCurrent(Self.lasting(1), at: Rational(1))
                        }
                    }
                }
            }
        }
        host.resignCurrent(Self.lasting(1), at: Rational(1))
        var isEnabled = false
        for line in diary.read().dropFirst() {
            if line.hasPrefix("enable") {
                #expect(!isEnabled)
                isEnabled = true
            } else {
                #expect(isEnabled)
                if line.hasPrefix("disable") { isEnabled = false }
            }
        }
        #expect(!isEnabled)
    }
}
