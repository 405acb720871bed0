import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// Seeds part 2: the walk over three screens.
@Suite struct ThreeScreenTests {
    @Test func `feed, full screen, detail and back show every frame once, in order, on one screen`() async throws {
        let census = Census()
        do {
            // 30 frames a second, 7 seconds.
            let item = TestClips.item("demo.mp4")
            let timebase = Timebase.manual()
            let player = try Player([item], timebase: timebase, resources: census.resources)
            census.note(player)
            let shown = Locked<[(screen: String, frame: PlayerFrame)]>([])
            func screen(_ name: String) -> Presenter {
                let presenter = Presenter { frame in shown.withLock { $0.append((name, frame)) } }
                census.note(presenter)
                return presenter
            }
            let feed = screen("feed")
            player.attach(feed)
            await wait(player) { $0.state == .paused }
            player.play()
            await timebase.advance(by: .milliseconds(500))
            var full: Presenter? = screen("full")
            if let full {
                // A finger drags the full screen in, lets go half-way, and drags again.
                let transition = player.beginTransition(to: full)
                #expect(full.frame?.kind == .held && full.frame?.frame.number == player.currentFrameNumber)
                #expect(feed.frame == nil && !feed.isCurrent)
                await timebase.advance(by: .milliseconds(330))
                transition.cancel()
                #expect(feed.isCurrent && full.frame == nil)
                #expect(feed.frame?.frame.number == player.currentFrameNumber && feed.frame?.kind == .held)
                await timebase.advance(by: .milliseconds(170))
                let second = player.beginTransition(to: full)
                await timebase.advance(by: .milliseconds(250))
                second.finish()
                second.cancel()
                #expect(full.isCurrent)
            }
            await timebase.advance(by: .milliseconds(400))
            let detail = screen("detail")
            player.attach(detail)
            // Old ones that resign or go change nothing.
            full?.resign()
            full = nil
            await timebase.advance(by: .milliseconds(700))
            player.attach(feed)
            await timebase.advance(by: .seconds(5))
            #expect(player.state == .ended)
            let all = shown.withLock { $0 }
            let presented = all.filter { $0.frame.kind == .presented }
            #expect(presented.map(\.frame.frame.number) == Array(0..<210))
            #expect(presented.map(\.frame.sequenceNumber) == Array(0..<210))
            for (name, presenter) in [("feed", feed), ("detail", detail)] {
                #expect(presenter.counters.presentedCount == presented.count { $0.screen == name })
            }
            var order: [String] = []
            for (screen, _) in presented where screen != order.last { order.append(screen) }
            #expect(order == ["feed", "full", "feed", "full", "detail", "feed"])
            // The one that takes over holds the frame before the first that it presents.
            for (before, after) in zip(all, all.dropFirst()) where after.frame.kind == .held {
                #expect(after.frame.frame.number == before.frame.frame.number && after.screen != before.screen)
            }
            #expect(player.counters.presentedCount == 210 && player.counters.dropped.totalCount == 0)
        }
        await census.reachesZero()
    }

    @Test func `four threads that claim, resign, go and turn leave each frame to one presenter`() async throws {
        let seed = SplitMix.seed()
        let census = Census()
        do {
            var options = Player.Options()
            options.pacePolicy = .wait
            let items = [TestClips.item("h264-bf3.mp4"), TestClips.item("rotate-0.mp4", playCount: 3)]
            let player = try Player(items, options: options, timebase: .simulated(), resources: census.resources)
            census.note(player)
            player.repeatMode = .all
            let shown = Locked<[(presenter: Int, frame: PlayerFrame)]>([])
            let slots = Locked<[PresenterSlot<PlayerFrame>]>([])
            @Sendable func make(_ name: Int) -> Presenter {
                let presenter = Presenter { frame in
                    guard frame.kind == .presented else { return }
                    shown.withLock { $0.append((name, frame)) }
                }
                slots.withLock { $0.append(presenter.slot) }
                census.note(presenter)
                return presenter
            }
            player.play()
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        var random = SplitMix(seed &+ UInt64(worker))
                        var presenters = (0..<3).map { make(worker * 1000 + $0) }
                        var transition: Presenter.Transition?
                        for round in 0..<150 {
                            let place = Int(random.next() % 3)
                            switch random.next() % 12 {
                            case 0, 1, 2: player.attach(presenters[place])
                            case 3: presenters[place].resign()
                            case 4: presenters[place] = make(worker * 1000 + 3 + round)
                            case 5: transition = player.beginTransition(to: presenters[place])
                            case 6: transition?.cancel()
                            case 7: transition?.finish()
                            case 8 where round % 5 == 0: player.startSeek(to: .frame(Int(random.next() % 8)))
                            case 9 where round % 5 == 0: player.rate = Rational(random.next() % 3 == 0 ? -1 : 2)
                            case 10: player.togglePlayPause()
                            default:
                                player.play()
                                let before = player.counters.presentedCount
                                for _ in 0..<5000 where player.counters.presentedCount < before + 2 {
                                    await Task.yield()
                                }
                            }
                            let current = presenters.count { $0.isCurrent }
                            if current > 1 { Issue.record("seed \(seed): \(current) present at once") }
                        }
                    }
                }
            }
            player.pause()
            let last = Presenter()
            player.attach(last)
            await until("the last one presents or waits") {
                player.core.state.withLock { !$0.isDraining && $0.jobs.isEmpty }
            }
            let all = shown.withLock { $0 }
            // Each number once, and in order.
            let numbers = all.map(\.frame.sequenceNumber)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
            #expect(all.count <= player.counters.presentedCount, "seed \(seed)")
            // The presenters' counts add up, removed ones included.
            let sum = slots.withLock { slots in
                slots.reduce(last.counters.presentedCount) { $0 + $1.counters.presentedCount }
            }
            #expect(sum == player.counters.presentedCount, "seed \(seed)")
            #expect(slots.withLock { slots in slots.count { $0.isCurrent || $0.frame != nil } } == 0, "seed \(seed)")
            // How many it were follows from how the threads got on; that it were some, that something was tested.
            #expect(sum > 10 && player.counters.dropped.totalCount == 0, "seed \(seed)")
        }
        await census.reachesZero()
    }
}
