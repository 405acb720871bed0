import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// The players' reports about ends, jumps and interruptions, in order.
@Suite struct PlayerEventTests {
    /// Hears events, and knows items by letters.
    private final class Listener: Sendable {
        let lines = Locked<[String]>([])
        private let names: [PlayerItem.ID: String]
        private let observation = Locked<Player.Observation?>(nil)

        init(_ player: Player, _ items: [PlayerItem]) {
            names = Dictionary(
                uniqueKeysWithValues: items.enumerated().map { ($1.id, String(UnicodeScalar(UInt8(97 + $0)))) })
            let heard = player.observe(
                [.itemTransition, .positionDiscontinuity, .itemEnded, .playlistEnded]
            ) { [weak self] in self?.note($0) }
            observation.withLock { $0 = heard }
        }

        private func name(_ item: PlayerItem.ID?) -> String { item.flatMap { names[$0] } ?? "-" }

        private func note(_ event: Player.Event) {
            let line: String? =
                switch event {
                case .itemTransition(let from, let to, let reason): "\(name(from))>\(name(to)) \(reason)"
                case .positionDiscontinuity(let from, let to, let reason):
                    "\(name(from))\(from.time)>\(name(to))\(to.time) \(reason)"
                case .itemEnded(let item): "end \(name(item))"
                case .playlistEnded: "over"
                default: nil
                }
            if let line { lines.withLock { $0.append(line) } }
        }

        private func name(_ position: Player.Position) -> String { name(position.item) + "@" }

        /// Returns the events since the last time, once they are so many lines: another thread may be telling them.
        func read(_ count: Int) async -> [String] {
            await until("\(count) of \(lines.withLock { $0 })", { lines.withLock { $0.count >= count } })
            return read()
        }

        /// Returns the events since the last time.
        func read() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private func player(
        _ items: [PlayerItem], _ timebase: Timebase = .simulated(), _ options: Player.Options = .init()
    ) throws -> Player {
        try Player(items, options: options, timebase: timebase, resources: DecodingResources())
    }

    @Test func `an item's end and the list's end are told apart`() async throws {
        let items = [TestClips.item("rotate-0.mp4", playCount: 2), TestClips.item("h264-single.mp4")]
        let player = try player(items)
        let listener = Listener(player, items)
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        let first = await listener.read(8)
        #expect(
            first == [
                "end a", "a@8/25>a@0/1 automaticTransition", "a>a repeat",
                "end a", "a@8/25>b@0/1 automaticTransition", "a>b automatic", "end b", "over",
            ])
        // It begins and ends again.
        player.play()
        await wait(player) { $0.state != .ended }
        await wait(player) { $0.state == .ended }
        let again = await listener.read(10)
        #expect(again.prefix(2) == ["b@1/25>a@0/1 skip", "b>a seek"] && again.last == "over")
        // A list is over when its last item is taken out, too.
        player.pause()
        player.setCurrentItem(items[1].id)
        player.remove(items[1].id)
        #expect(player.state == .ended)
        let removed = await listener.read(5)
        #expect(removed.last == "over", "\(removed)")
    }

    @Test func `at a pause an item has ended and the list has not`() async throws {
        var options = Player.Options()
        options.actionAtItemEnd = .pause
        let items = [TestClips.item("rotate-0.mp4")]
        let player = try player(items, .simulated(), options)
        let listener = Listener(player, items)
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        let told = await listener.read(1)
        #expect(told == ["end a"])
    }

    @Test func `an interruption is told when it begins and when it is over`() async throws {
        let clock = Timebase.manual()
        let (film, ad) = (TestClips.item("h264-bf3.mp4"), TestClips.item("rotate-0.mp4"))
        let player = try player([film], clock)
        let listener = Listener(player, [film, ad])
        let presenter = Presenter()
        player.attach(presenter)
        await wait(player) { $0.isLikelyToKeepUp }
        player.play()
        await clock.advance(by: .milliseconds(410))
        #expect(player.interrupt(with: [ad]) && player.isInterrupted)
        let began = await listener.read(2)
        #expect(began == ["a@41/100>b@0/1 interruptionBegan", "a>b interruptionBegan"])
        await clock.advance(by: .milliseconds(400))
        #expect(!player.isInterrupted && player.currentItem?.id == film.id)
        let ended = await listener.read(3)
        #expect(ended == ["end b", "b@8/25>a@2/5 interruptionEnded", "b>a interruptionEnded"])
    }

    @Test(arguments: [InterruptionSkipPolicy.allowed, .after(Rational(1, 5)), .forbidden])
    func `an interruption is left if it may be left`(skip: InterruptionSkipPolicy) async throws {
        let clock = Timebase.manual()
        let film = TestClips.item("h264-bf3.mp4")
        let ads = ["rotate-0.mp4", "rotate-90.mp4"].map { TestClips.item($0) }
        let player = try player([film, TestClips.item("h264-single.mp4")], clock)
        let listener = Listener(player, [film] + ads)
        let presenter = Presenter()
        player.attach(presenter)
        await wait(player) { $0.isLikelyToKeepUp }
        player.play()
        await clock.advance(by: .milliseconds(400))
        #expect(!player.canSkipInterruption && !player.skipInterruption())
        player.interrupt(with: ads, skip: skip)
        await clock.advance(by: .milliseconds(100))
        _ = await listener.read(2)
        #expect(player.canSkipInterruption == (skip == .allowed))
        if skip != .allowed {
            #expect(!player.skipInterruption() && !player.advanceToNextItem() && player.isInterrupted)
            #expect(!player.perform(StoryNavigator.Action.next) && listener.read() == [])
            await clock.advance(by: .milliseconds(120))
        }
        #expect(player.canSkipInterruption == (skip != .forbidden))
        #expect(player.skipInterruption() == (skip != .forbidden))
        if skip == .forbidden {
            // A call that names the item is not a person's skip.
            #expect(player.isInterrupted && player.setCurrentItem(film.id))
            let told = await listener.read(2)
            #expect(told.last == "b>a seek")
        } else {
            let told = await listener.read(2)
            #expect(told.last == "b>a interruptionEnded")
            #expect(player.currentTime == Rational(2, 5), "it goes on where it was")
        }
        #expect(!player.isInterrupted && player.currentItem?.id == film.id)
        await clock.advance(by: .milliseconds(40))
        #expect(player.currentItem?.id == film.id && presenter.frame?.item == film.id)
    }

    @Test func `a seek after the end does not resume until it is told to play`() async throws {
        for way in 0..<4 {
            var options = Player.Options()
            options.actionAtItemEnd = way == 3 ? .pause : .advance
            let player = try player([TestClips.item("rotate-0.mp4")], .simulated(), options)
            let log = FrameLog()
            let presenter = log.presenter()
            player.attach(presenter)
            player.play()
            await wait(player) { $0.state == .ended }
            switch way {
            case 0, 3: #expect(try await player.seek(to: .frame(3)) == .landed)
            case 1:
                let number = player.startSeek(to: .frame(3))
                await until("it lands") { player.landedSeekNumber >= number }
            default:
                player.step(by: -4)
                await wait(player) { $0.currentFrameNumber == 3 }
            }
            #expect(player.state == .paused && !player.isPlaying && player.currentFrameNumber == 3, "way \(way)")
            await until("frame 3 is told") { log.presented.last?.frame == 3 }
            player.play()
            await wait(player) { $0.state == .ended }
            await until("the last one is told") { log.presented.last?.frame == 7 }
            #expect(log.presented.suffix(5).map(\.frame) == [3, 4, 5, 6, 7], "way \(way)")
        }
    }

    /// For a member that cannot play there is an error, and the others do not begin without it.
    @Test func `a group with a member that cannot play throws its error`() async throws {
        let timebase = Timebase.simulated()
        let whole = try player([TestClips.item("rotate-0.mp4")], timebase)
        let broken = try player([PlayerItem(path: "/nowhere.mp4")], timebase)
        for players in [[whole, broken], [broken, whole], [broken]] {
            await #expect { try await PlayerGroup(players).play() } throws: { error in
                (error as? ScrubError)?.code == .noInput
            }
            #expect(!whole.isPlaying)
        }
        try await PlayerGroup([whole]).play()
        // The timebase's thread begins, and simulated time may be over already.
        await wait(whole) { $0.isPlaying || $0.state == .ended }
    }

    @Test func `a group that has ended stands where it was sought`() async throws {
        let timebase = Timebase.simulated()
        let players = try (0..<2).map { _ in try player([TestClips.item("rotate-0.mp4")], timebase) }
        let presenters = players.map { player in
            let presenter = Presenter()
            player.attach(presenter)
            return presenter
        }
        let group = PlayerGroup(players)
        try await group.play()
        for player in players { await wait(player) { $0.state == .ended } }
        try await group.seek(to: .frame(2))
        #expect(players.allSatisfy { $0.state == .paused && $0.currentFrameNumber == 2 })
        try await group.play()
        for player in players { await wait(player) { $0.state == .ended } }
        withExtendedLifetime(presenters) {}
    }
}
