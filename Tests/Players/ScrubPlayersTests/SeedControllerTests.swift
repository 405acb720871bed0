import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubPlayers
import Testing

/// One video for many screens, and its bounds. docs/player-requirements.md says which row each test shows.
@Suite struct SeedControllerTests {
    static let frame = Duration.milliseconds(40)

    @Test func `three screens show one video, every frame once`() async throws {
        let timebase = Timebase.manual()
        let manager = PlayerControllerManager(timebase: timebase)
        let controller = try manager.controller(for: TestClips.media("h264-bf3.mp4"))
        #expect(try manager.controller(for: TestClips.media("h264-bf3.mp4")) === controller)
        await wait(controller.player) { $0.isLikelyToKeepUp }
        let log = FrameLog()
        let screens = (0..<3).map { _ in log.presenter() }
        for turn in 0..<12 {
            controller.attach(screens[turn % 3])
            if turn == 0 { controller.play() }
            for (place, screen) in screens.enumerated() {
                #expect(screen.isCurrent == (place == turn % 3))
                if place != turn % 3 { #expect(screen.frame == nil) }
            }
            await timebase.advance(by: .milliseconds(370))
        }
        #expect(controller.player.state == .ended)
        #expect(log.presented.map(\.frame) == Array(0..<100))
        // The presenter that takes over holds what is on screen.
        #expect(log.all.drop { $0.kind != .presented }.count { $0.kind == .held } == 11)
        #expect(screens.map(\.counters.attachCount) == [4, 4, 4])
        #expect(screens.map(\.counters.presentedCount).reduce(0, +) == 100)
    }

    @Test func `a transition that is called off gives the video back`() async throws {
        let timebase = Timebase.manual()
        let controller = try PlayerController(
            TestClips.media("h264-bf3.mp4"), timebase: timebase, resources: DecodingResources())
        await wait(controller.player) { $0.isLikelyToKeepUp }
        let log = FrameLog()
        let (card, page) = (log.presenter(), log.presenter())
        controller.attach(card)
        controller.play()
        await timebase.advance(by: .milliseconds(500))
        let away = controller.beginTransition(to: page)
        #expect(page.isCurrent && page.frame?.kind == .held && card.frame == nil)
        await timebase.advance(by: .milliseconds(500))
        away.cancel()
        #expect(card.isCurrent && page.frame == nil)
        await timebase.advance(by: .milliseconds(500))
        let over = controller.beginTransition(to: page)
        over.finish()
        await timebase.advance(by: .seconds(10))
        #expect(page.isCurrent && log.presented.map(\.frame) == Array(0..<100))
        page.resign()
        #expect(!controller.hasPresenter && page.frame == nil)
    }

    @Test func `the manager keeps controllers in use and releases the rest`() async throws {
        let manager = PlayerControllerManager(controllerLimit: 2, timebase: .manual())
        let media = (0..<8).map { TestClips.media("h264-bf3.mp4", identifier: "video \($0)") }
        let presenter = Presenter()
        try manager.controller(for: media[0]).attach(presenter)
        for media in media.dropFirst() { _ = try manager.controller(for: media) }
        #expect(manager.existingController(for: media[0].identifier) != nil)
        #expect(manager.existingController(for: media[1].identifier) == nil)
        #expect(manager.controllers.count == 4, "the one in use, two, and the one made last")
        weak let shown = manager.existingController(for: media[0].identifier)
        manager.removeController(for: media[0].identifier)
        #expect(shown == nil && !presenter.isCurrent)
        manager.removeAllControllers()
        #expect(manager.controllers.isEmpty)
        let decoders = manager.resources.decoderPool
        await until { decoders.attachedCount == 0 && decoders.waitingCount == 0 }
    }

    @Test func `what is prefetched has its first pictures, with few decoders`() async throws {
        let manager = PlayerControllerManager(
            timebase: .manual(), resources: DecodingResources(byteLimit: 512 << 20, decoderLimit: 2))
        let media = (0..<5).map { TestClips.media("rotate-\($0 % 2 * 90).mp4", identifier: "video \($0)") }
        try manager.prefetch(media)
        for controller in manager.controllers {
            await wait(controller.player) { $0.isLikelyToKeepUp }
            #expect(controller.player.state == .paused && controller.media.asset != nil)
        }
        #expect(manager.controllers.count == 5 && manager.resources.peakDecoderCount <= 2)
    }

    @Test func `memory pressure takes what is not on screen, and nothing that is`() async throws {
        let timebase = Timebase.manual()
        let manager = PlayerControllerManager(timebase: timebase)
        let (seen, unseen) = (TestClips.media("h264-bf3.mp4"), TestClips.media("rotate-0.mp4"))
        let controller = try manager.controller(for: seen)
        weak let other = try manager.controller(for: unseen)
        let log = FrameLog()
        let presenter = log.presenter()
        controller.attach(presenter)
        await wait(controller.player) { $0.isLikelyToKeepUp }
        await timebase.advance(by: .zero)
        let levels = controller.events(.memoryPressure)
        let source = MemoryPressureMonitor.ManualSource()
        try manager.respond(to: MemoryPressureMonitor(source: source))
        source.send(.critical)
        for await event in levels {
            #expect(event == .memoryPressure(.critical))
            break
        }
        let decoders = manager.resources.decoderPool
        await until { decoders.attachedCount == 0 }
        #expect(other == nil && manager.existingController(for: seen.identifier) === controller)
        #expect(presenter.frame?.picture != nil)
        controller.play()
        await timebase.advance(by: .seconds(10))
        #expect(log.presented.map(\.frame) == Array(0..<100))
    }

    @Test func `events and whoever waits for them end with the player`() async throws {
        var player: Player? = try Player(
            [TestClips.item("h264-single.mp4")], timebase: .simulated(), resources: DecodingResources())
        weak let gone = player
        let ended = try #require(player).events(.itemEnded)
        let all = try #require(player).events()
        player?.play()
        var kinds: [Player.Event] = []
        for await event in ended {
            kinds.append(event)
            player = nil
        }
        #expect(kinds.count == 1 && gone == nil)
        for await _ in all {}
    }

    @Test func `a seek is in the access log, with what it cost`() async throws {
        let player = try Player(
            [TestClips.item("h264-bf3.mp4")], timebase: .simulated(), resources: DecodingResources())
        await wait(player) { $0.isLikelyToKeepUp }
        try await player.seek(to: .time(Rational(57, 25)))
        let seeks = player.accessLog.entries.compactMap { entry -> AccessLog.Entry.Seek? in
            if case .seek(let seek) = entry.kind { seek } else { nil }
        }
        let seek = try #require(seeks.first)
        #expect(seeks.count == 1 && seek.requestedTime == Rational(57, 25))
        #expect(seek.requestedFrame == 57 && seek.actualFrame == 57 && seek.actualTime == Rational(57, 25))
        #expect(seek.decodedPictureCount > 0 && !seek.isCacheHit && !seek.isSuperseded)
        #expect(player.accessLog.counters.seekCount == 1 && player.accessLog.json.contains("\"seek\""))
    }
}
