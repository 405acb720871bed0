import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// Players that go at any moment leave nothing behind.
@Suite struct PlayerEndTests {
    private func player(_ census: Census, _ timebase: Timebase = .simulated(), _ names: String...) throws -> Player {
        let player = try Player(
            (names.isEmpty ? ["h264-bf3.mp4", "rotate-0.mp4"] : names).map { TestClips.item($0) }, timebase: timebase,
            resources: census.resources)
        census.note(player)
        return player
    }

    @Test func `dropped while loading, paused, playing, seeking and after the end`() async throws {
        for phase in 0..<6 {
            let census = Census(
                DecodingResources(decoders: DecoderPool(limit: 4), budget: ScrubBudget(byteLimit: 256 << 20)))
            do {
                let player = try player(census)
                let presenter = Presenter()
                census.note(presenter)
                player.attach(presenter)
                switch phase {
                case 0: break
                case 1: await wait(player) { $0.state == .paused }
                case 2:
                    player.play()
                    await until("it plays") { player.counters.presentedCount > 10 }
                case 3:
                    await wait(player) { $0.state == .paused }
                    for frame in 0..<5 { player.startSeek(to: .frame(frame * 13)) }
                case 4:
                    player.play()
                    await wait(player) { $0.state == .ended }
                default:
                    player.play()
                    player.beginScrubbing()
                    player.startSeek(to: .last)
                    player.rate = Rational(-1)
                }
            }
            await census.reachesZero()
        }
    }

    @Test func `forty players made and dropped at once, with subscribers`() async throws {
        let census = Census()
        for round in 0..<40 {
            let player = try player(census, round % 2 == 0 ? .simulated() : .realTime, "rotate-0.mp4")
            let events = player.events()
            let observation = player.observe { _ in }
            let task = Task { for await _ in events {} }
            player.play()
            if round % 3 == 0 { await Task.yield() }
            withExtendedLifetime(observation) {}
            #expect(player.core.hub.subscriberCount >= 1)
            _ = task
        }
        await census.reachesZero()
    }

    @Test func `streams and loops over them end with the player`() async throws {
        let census = Census()
        var player: Player? = try player(census)
        let events = player?.events(.all)
        let task = Task {
            var count = 0
            if let events { for await _ in events { count += 1 } }
            return count
        }
        player?.play()
        await Task.yield()
        player = nil
        _ = await task.value
        await census.reachesZero()
    }

    /// Keeps a player until its callback lets it go.
    private final class Keeper: Sendable {
        let player = Locked<Player?>(nil)
        let count = Locked(0)
        func drop() {
            let gone = player.withLock { player in
                defer { player = nil }
                return player
            }
            withExtendedLifetime(gone) {}
        }
    }

    @Test func `the last reference goes in a callback, on the timebase's thread or a lane's`() async throws {
        for place in 0..<4 {
            let census = Census()
            let keeper = Keeper()
            let presenter = Presenter { frame in
                guard place < 2 else { return }
                keeper.count.withLock { $0 += 1 }
                if keeper.count.withLock({ $0 == (place == 0 ? 1 : 20) }) { keeper.drop() }
            }
            var observation: Player.Observation?
            do {
                let player = try player(census)
                keeper.player.withLock { $0 = player }
                if place >= 2 {
                    observation = player.observe(place == 2 ? .buffering : .itemTransition) { _ in keeper.drop() }
                }
                player.attach(presenter)
                player.play()
            }
            await until("it is dropped") { keeper.player.withLock { $0 == nil } }
            await census.reachesZero()
            #expect(presenter.frame == nil && !presenter.isCurrent)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `the presenter's last reference goes in its own callback`() async throws {
        let census = Census()
        do {
            let player = try player(census)
            let kept = Locked<Presenter?>(nil)
            let told = Locked(0)
            let presenter = Presenter { _ in
                told.withLock { $0 += 1 }
                if told.withLock({ $0 == 5 }) {
                    let gone = kept.withLock { presenter in
                        defer { presenter = nil }
                        return presenter
                    }
                    withExtendedLifetime(gone) {}
                }
            }
            census.note(presenter)
            player.attach(presenter)
            kept.withLock { $0 = presenter }
            player.play()
            await until("it is told five times") { told.withLock { $0 >= 5 } }
        }
        await census.reachesZero()
    }

    @Test func `a callback that retains the player through its presenter makes no retain cycle`()
        async throws
    {
        let census = Census()
        do {
            let player = try player(census)
            let presenter = Presenter { _ in _ = player.currentFrameNumber }
            census.note(presenter)
            player.attach(presenter)
            player.play()
            await wait(player) { $0.state == .ended }
        }
        await census.reachesZero()
    }

    @Test func `callbacks may call everything`() async throws {
        let census = Census()
        do {
            let player = try player(census)
            let calls = Locked(0)
            let seed = SplitMix.seed()
            let random = Locked(SplitMix(seed))
            let observation = player.observe { [weak player] event in
                guard let player,
                    calls.withLock({
                        $0 += 1; return $0
                    }) < 200
                else { return }
                switch random.withLock({ $0.next() % 8 }) {
                case 0: player.pause()
                case 1: player.startSeek(to: .frame(3))
                case 2: player.rate = player.rate == .one ? Rational(2) : .one
                case 3: player.append(TestClips.item("h264-single.mp4"))
                case 4: player.attach(Presenter())
                case 5: player.advanceToNextItem()
                default: player.play()
                }
            }
            let presenter = Presenter { [weak player] _ in player?.play() }
            player.attach(presenter)
            player.play()
            await until("many calls") {
                player.play(); return calls.withLock { $0 >= 200 }
            }
            withExtendedLifetime((observation, presenter)) {}
        }
        await census.reachesZero()
    }

    @Test func `a sink ends with its player, and keeps what was presented`() async throws {
        let census = Census()
        let sink = CollectingSink(hashingPictures: false)
        do {
            var options = Player.Options()
            options.pacePolicy = .wait
            let output: SinkOutput
            do {
                let player = try Player(
                    [TestClips.item("h264-bf3.mp4")], options: options, timebase: .simulated(),
                    resources: census.resources)
                census.note(player)
                output = try SinkOutput(sink, of: player)
                census.note("output", output)
                player.play()
                await until("it writes") { sink.records.count > 20 }
            }
            try await output.waitUntilFinished()
            #expect(sink.isFinished)
            #expect(sink.records.count == output.counters.presentedCount)
            #expect(sink.records.map(\.frame) == Array(0..<sink.records.count))
        }
        await census.reachesZero()
    }

    @Test func `a transition that outlives its player does nothing`() async throws {
        let census = Census()
        let (one, two) = (Presenter(), Presenter())
        var transition: Presenter.Transition?
        do {
            let player = try player(census)
            player.attach(one)
            transition = player.beginTransition(to: two)
        }
        transition?.cancel()
        #expect(!one.isCurrent && !two.isCurrent)
        transition = nil
        await census.reachesZero()
    }
}
