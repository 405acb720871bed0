import Observation
import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// Properties for observers: set before events report them, and no change is missed.
@Suite struct PlayerPropertyTests {
    /// Looks at a value, and again each time it is told that it changes.
    private final class Watcher<Value: Equatable & Sendable>: Sendable {
        private let player: Player
        private let value: @Sendable (Player) -> Value
        private let seen = Locked<[Value]>([])
        init(_ player: Player, _ value: @escaping @Sendable (Player) -> Value) {
            (self.player, self.value) = (player, value)
            look()
        }
        var last: Value? { seen.withLock { $0.last } }
        private func look() {
            let now = withObservationTracking {
                value(player)
            } onChange: { [weak self] in
                self?.look()
            }
            seen.withLock { $0.append(now) }
        }
    }

    @Test func `watchers end with the value that is there`() async throws {
        let player = try Player(
            [TestClips.item("rotate-0.mp4")], timebase: .simulated(), resources: DecodingResources())
        let states = Watcher(player) { $0.state }
        let rates = Watcher(player) { $0.rate }
        let items = Watcher(player) { $0.items.map(\.id) }
        let current = Watcher(player) { $0.currentItem?.id }
        let keeping = Watcher(player) { $0.isLikelyToKeepUp }
        let presenter = Presenter()
        player.attach(presenter)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<50 {
                        switch (worker + round) % 5 {
                        case 0: player.rate = Rational(Int64(round % 3 + 1))
                        case 1: player.append(TestClips.item("h264-single.mp4"))
                        case 2: player.togglePlayPause()
                        case 3: player.advanceToNextItem()
                        default: if player.items.count > 3 { player.remove(player.items[1].id) }
                        }
                    }
                }
            }
        }
        player.rate = Rational(5)
        player.play()
        await wait(player) { $0.state == .ended }
        await until("each knows the last value") {
            states.last == player.state && rates.last == player.rate && items.last == player.items.map(\.id)
                && current.last == player.currentItem?.id && keeping.last == player.isLikelyToKeepUp
        }
        #expect(rates.last == Rational(5) && states.last == .ended)
        withExtendedLifetime(presenter) {}
    }

    @Test func `an event finds what it tells`() async throws {
        let items = [
            TestClips.item("rotate-0.mp4"), TestClips.item("nothing-there.mp4"), TestClips.item("h264-single.mp4"),
        ]
        let player = try Player(items, timebase: .simulated(), resources: DecodingResources())
        let wrong = Locked<[String]>([])
        let observation = player.observe { [weak player] event in
            guard let player else { return }
            // Nothing else happens at the same time, so what is told is what is there.
            switch event {
            case .stateChanged(.ended) where player.state != .ended: wrong.withLock { $0.append("ended") }
            case .itemTransition(_, let to, _) where player.currentItem?.id != to: wrong.withLock { $0.append("item") }
            case .playlistChanged(let list) where player.items.map(\.id) != list: wrong.withLock { $0.append("list") }
            default: break
            }
        }
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        player.append(TestClips.item("rotate-0.mp4"))
        #expect(wrong.withLock { $0 } == [])
        withExtendedLifetime((observation, presenter)) {}
    }
}
