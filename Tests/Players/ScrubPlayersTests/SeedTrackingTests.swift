import Observation
import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// Stories, sliders, controls and trackers over a real player. docs/player-requirements.md says which row each test
/// shows.
@Suite struct SeedTrackingTests {
    private func player(_ items: [PlayerItem]) async throws -> (Player, FrameLog, Presenter) {
        let player = try Player(items, timebase: .manual(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await wait(player) { $0.isLikelyToKeepUp }
        await player.timebase.advance(by: .zero)
        return (player, log, presenter)
    }

    @Test func `it starts paused, plays and pauses, and is observable`() async throws {
        let (player, _, presenter) = try await player([TestClips.item("h264-bf3.mp4")])
        #expect(player.state == .paused && player.currentFrameNumber == 0 && !player.isPlaying)
        let changes = Locked(0)
        withObservationTracking {
            _ = player.state
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        player.togglePlayPause()
        await player.timebase.advance(by: .milliseconds(100))
        #expect(player.state == .playing && changes.withLock { $0 } == 1)
        player.togglePlayPause()
        #expect(player.state == .paused)
        player.play()
        await player.timebase.advance(by: .seconds(10))
        #expect(player.state == .ended)
        player.togglePlayPause()
        await player.timebase.advance(by: .milliseconds(50))
        #expect(player.state == .playing && player.currentFrameNumber == 1)
        player.removeAllItems()
        #expect(player.state == .idle && player.currentItem == nil)
        withExtendedLifetime(presenter) {}
    }

    @Test func `a story advances by itself, and by taps`() async throws {
        let items = [
            TestClips.item("h264-bf3.mp4"), TestClips.item("rotate-0.mp4", playCount: 2),
            TestClips.item("rotate-90.mp4"),
        ]
        let (player, log, presenter) = try await player(items)
        var navigator = StoryNavigator()
        func tap(_ x: Double) -> StoryNavigator.Action? {
            player.storyAction(forTapAt: x, width: 100, using: navigator)
        }
        player.play()
        await player.timebase.advance(by: .seconds(2))
        #expect(player.storySegments.map(\.fraction) == [Rational(1, 2), .zero, .zero])
        // A finger that stays stops it, and is not a tap.
        #expect(navigator.holdBegan(isPlaying: player.isPlaying) == .pause)
        player.perform(.pause)
        #expect(tap(90) == nil)
        await player.timebase.advance(by: .seconds(5))
        #expect(player.currentFrameNumber == 50)
        for action in navigator.holdEnded() { player.perform(action) }
        await player.timebase.advance(by: .seconds(1))
        #expect(player.currentFrameNumber == 75)
        // On the left of the first one: it begins again.
        #expect(tap(10) == .restart)
        #expect(player.perform(.restart))
        await player.timebase.advance(by: .milliseconds(10))
        #expect(player.currentItem?.id == items[0].id && player.currentFrameNumber == 0)
        // On the right: the next one; on the left there: the one before.
        #expect(tap(90) == .next)
        #expect(player.perform(.next))
        #expect(player.currentItem?.id == items[1].id)
        #expect(player.storySegments.map(\.isCurrent) == [false, true, false])
        #expect(tap(10) == .previous)
        #expect(player.perform(.previous))
        #expect(player.currentItem?.id == items[0].id)
        // By itself to the end, the second one twice.
        let before = log.presented.count
        await player.timebase.advance(by: .seconds(60))
        #expect(player.state == .ended)
        let shown = log.presented.dropFirst(before)
        #expect(shown.filter { $0.item == items[0].id }.map(\.frame).suffix(99) == Array(1..<100).suffix(99))
        #expect(shown.filter { $0.item != items[0].id }.map(\.frame) == (0..<3).flatMap { _ in 0..<8 })
        #expect(player.storySegments.map(\.fraction) == [.one, .one, .one])
        #expect(tap(90) == .finish)
        withExtendedLifetime(presenter) {}
    }

    @Test func `sliders follow at rates of their own, and a person's value wins`() async throws {
        let (player, _, presenter) = try await player([TestClips.item("h264-bf3.mp4")])
        let clock = player.timebase
        let fast = ProgressTracker(interval: .milliseconds(100), clock: clock)
        let slow = ProgressTracker(interval: .milliseconds(500), clock: clock)
        try fast.bind(to: player)
        try slow.bind(to: player)
        player.play()
        var values = (fast: Set<Rational>(), slow: Set<Rational>())
        for _ in 0..<50 {
            await clock.advance(by: .milliseconds(40))
            values.fast.insert(fast.time)
            values.slow.insert(slow.time)
        }
        #expect((18...22).contains(values.fast.count) && (4...6).contains(values.slow.count))
        #expect(player.currentFrameNumber == 50)
        // The player stands while the slider is in hand, and the slider stays where the person put it.
        fast.isInteracting = true
        #expect(!player.isPlaying)
        fast.fraction = Rational(1, 4)
        await clock.advance(by: .seconds(1))
        #expect(fast.fraction == Rational(1, 4) && player.currentFrameNumber == 25)
        fast.fraction = Rational(3, 4)
        #expect(fast.fraction == Rational(3, 4))
        fast.isInteracting = false
        await clock.advance(by: .zero)
        #expect(fast.fraction == Rational(3, 4))
        await clock.advance(by: .milliseconds(400))
        #expect(player.isPlaying && player.currentFrameNumber == 85 && fast.fraction > Rational(3, 4))
        await clock.advance(by: .milliseconds(200))
        #expect(slow.fraction > Rational(3, 4))
        withExtendedLifetime(presenter) {}
    }

    @Test func `controls go away while it plays, and come when it pauses`() async throws {
        let (player, _, presenter) = try await player([TestClips.item("h264-bf3.mp4")])
        let clock = player.timebase
        let controls = VisibilityTracker(delay: .seconds(1), clock: clock)
        try controls.bind(to: player)
        await clock.advance(by: .seconds(5))
        #expect(controls.isVisible)
        player.play()
        await clock.advance(by: .milliseconds(900))
        controls.reset()
        await clock.advance(by: .milliseconds(900))
        #expect(controls.isVisible)
        await clock.advance(by: .milliseconds(200))
        #expect(!controls.isVisible)
        player.pause()
        await clock.advance(by: .zero)
        #expect(controls.isVisible)
        controls.toggle()
        #expect(!controls.isVisible)
        withExtendedLifetime(presenter) {}
    }

    /// Records the events that it is told.
    private final class Diary: ItemTracker {
        let lines: Locked<[String]>
        private let told = Locked<(frames: Int?, wasPlaying: Bool)>((nil, false))

        init(configuration: Locked<[String]>) {
            lines = configuration
            note("init")
        }
        deinit { note("deinit") }
        private func note(_ line: String) { lines.withLock { $0.append(line) } }
        func enable(for player: Player) { note("enable") }
        func updateMetadata(_ metadata: PlayerItemMetadata) {
            if let count = metadata.frameCount { note("metadata \(count)") }
        }
        func updateProperties(_ properties: PlaybackProperties) {
            let isFirst = told.withLock { told in
                defer { told.wasPlaying = told.wasPlaying || properties.state == .playing }
                return !told.wasPlaying && properties.state == .playing
            }
            if isFirst { note("playing") }
        }
        func recordMetric(_ event: Player.Event) { if case .itemEnded = event { note("ended") } }
        func disable(with last: PlaybackProperties, at time: Rational) { note("disable at \(time)") }
    }

    @Test func `an item's tracker lives with it`() async throws {
        let lines = Locked<[String]>([])
        func make() throws -> Player {
            let tracker = ItemTrackerHost<Diary, PlayerItemMetadata>(configuration: lines) { $0 }
            let item = PlayerItem(TestClips.media("rotate-0.mp4"), trackers: [tracker])
            return try Player(
                [item, TestClips.item("h264-single.mp4")], timebase: .manual(), resources: DecodingResources())
        }
        var player: Player? = try make()
        let timebase = try #require(player).timebase
        let presenter = Presenter()
        player?.attach(presenter)
        await wait(try #require(player)) { $0.isLikelyToKeepUp }
        player?.play()
        await timebase.advance(by: .seconds(10))
        #expect(lines.withLock { $0 } == ["init", "enable", "metadata 8", "playing", "ended", "disable at 8/25"])
        // It plays again: the same tracker is enabled again.
        #expect(player?.returnToPreviousItem() == true)
        await timebase.advance(by: .milliseconds(50))
        #expect(lines.withLock { $0.last } == "enable" || lines.withLock { $0.suffix(2).first } == "enable")
        player = nil
        await until { lines.withLock { $0.last } == "deinit" }
        #expect(lines.withLock { $0.suffix(2).map { $0.prefix(7) } } == ["disable", "deinit"])
    }

    @Test func `a tracker that is unbound follows no player, and keeps nothing of it`() async throws {
        // A player that may be missing is not bound to silently: both ask for one that is there.
        let bindProgress: (ProgressTracker) -> (Player) throws(ScrubError) -> Void = ProgressTracker.bind(to:)
        let bindControls: (VisibilityTracker) -> (Player) throws(ScrubError) -> Void = VisibilityTracker.bind(to:)
        let (player, _, presenter) = try await player([TestClips.item("h264-bf3.mp4")])
        let clock = player.timebase
        let slider = ProgressTracker(interval: .milliseconds(40), clock: clock)
        let controls = VisibilityTracker(delay: .seconds(1), clock: clock)
        try bindProgress(slider)(player)
        try bindControls(controls)(player)
        let before = player.core.hub.subscriberCount
        player.play()
        await clock.advance(by: .milliseconds(400))
        #expect(slider.time > .zero)
        slider.unbind()
        controls.unbind()
        #expect(slider.time == .zero && slider.value.duration == .zero)
        await until("their listeners are gone") { player.core.hub.subscriberCount == before - 2 }
        await clock.advance(by: .seconds(2))
        #expect(slider.time == .zero && controls.isVisible, "nothing plays that could hide them")
        withExtendedLifetime(presenter) {}
    }

    /// An episode as an app knows it.
    private struct Episode: Hashable, Sendable {
        var title: String
        var season: Int
    }

    /// Writes down the app's metadata, and how often it is told properties.
    private final class EpisodeTracker: ItemTracker {
        struct Told: Sendable, Equatable {
            var titles: [String?] = []
            var properties = 0
            var enabled: [Rational] = []
            var disabled: [Rational] = []
        }
        let told: Locked<Told>
        init(configuration: Locked<Told>) { told = configuration }
        func enable(for player: Player) { told.withLock { $0.enabled.append(player.currentTime) } }
        func updateMetadata(_ metadata: Episode?) { told.withLock { $0.titles.append(metadata?.title) } }
        func updateProperties(_ properties: PlaybackProperties) { told.withLock { $0.properties += 1 } }
        func recordMetric(_ event: Player.Event) {}
        func disable(with last: PlaybackProperties, at time: Rational) { told.withLock { $0.disabled.append(time) } }
    }

    private func episode(
        _ name: String, _ told: Locked<EpisodeTracker.Told>, _ metadata: ItemMetadata?,
        _ behavior: ItemTrackerBehavior = .optional
    ) -> PlayerItem {
        let tracker = ItemTrackerHost<EpisodeTracker, PlayerItemMetadata>(
            configuration: told, behavior: behavior
        ) { $0.app?.value() }
        return PlayerItem(TestClips.media(name), metadata: metadata, trackers: [tracker])
    }

    @Test func `tracking that is switched off stays off over items`() async throws {
        let (told, always) = (Locked(EpisodeTracker.Told()), Locked(EpisodeTracker.Told()))
        let names = ["rotate-0.mp4", "rotate-90.mp4", "h264-single.mp4"]
        let items = names.map { episode($0, told, nil) } + [episode("rotate-180.mp4", always, nil, .mandatory)]
        let player = try Player(items, timebase: .simulated(), resources: DecodingResources())
        #expect(player.isTrackingEnabled)
        await wait(player) { $0.isLikelyToKeepUp }
        await until("the first one is followed") { told.withLock { $0.enabled.count } == 1 }
        player.isTrackingEnabled = false
        await until("it is told") { told.withLock { $0.disabled } == [.zero] }
        #expect(!player.isTrackingEnabled)
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(!player.isTrackingEnabled && presenter.counters.presentedCount == 25)
        #expect(told.withLock { ($0.enabled.count, $0.disabled.count) } == (1, 1))
        #expect(always.withLock { $0.enabled.count } == 1, "a mandatory one is not switched off")
        #expect(player.setCurrentItem(items[1].id))
        #expect(told.withLock { $0.enabled.count } == 1)
        player.isTrackingEnabled = true
        await until("the present item is followed from now on") { told.withLock { $0.enabled.count } >= 2 }
    }

    @Test func `an item carries what the app knows of it to its trackers`() async throws {
        let told = Locked(EpisodeTracker.Told())
        let pilot = Episode(title: "Pilot", season: 1)
        let item = episode("rotate-0.mp4", told, ItemMetadata(pilot))
        let player = try Player([item, TestClips.item("h264-single.mp4")], timebase: .manual(), resources: .init())
        let presenter = Presenter()
        player.attach(presenter)
        await wait(player) { $0.isLikelyToKeepUp }
        await until("it is told") { told.withLock { $0.titles.contains("Pilot") } }
        #expect(player.currentItem?.metadata?.value(as: Episode.self) == pilot)
        #expect(player.currentItem?.metadata?.value(as: String.self) == nil)
        let before = told.withLock { $0.titles.count }
        #expect(player.setMetadata(ItemMetadata(Episode(title: "The end", season: 9)), of: item.id))
        await until("it is told") { told.withLock { $0.titles.dropFirst(before) } == ["The end"] }
        #expect(player.items.first?.metadata == ItemMetadata(Episode(title: "The end", season: 9)))
        #expect(!player.setMetadata(nil, of: TestClips.item("rotate-0.mp4").id))
        // Time is asked for: three frames that go by are not news.
        player.play()
        await player.timebase.advance(by: .milliseconds(50))
        await wait(player) { $0.isLikelyToKeepUp }
        let properties = told.withLock { $0.properties }
        await player.timebase.advance(by: .milliseconds(120))
        #expect(player.currentFrameNumber == 4 && told.withLock { $0.properties } <= properties + 1)
        player.advanceToNextItem()
        await until("it is told where") { told.withLock { $0.disabled } == [Rational(17, 100)] }
        withExtendedLifetime(presenter) {}
    }
}
