import ScrubPlayers

func story() throws -> Player {
    let player = try Player([
        PlayerItem(path: "one.mp4"), PlayerItem(PlayerMedia(path: "two.mp4"), playCount: 2),
        PlayerItem(path: "three.mp4"),
    ])
    player.play()
    return player
}

func changing(_ player: Player, _ item: PlayerItem, _ advertisement: PlayerItem) {
    player.append(item)
    player.interrupt(with: [advertisement], skip: .after(5))
}

@MainActor final class StoryScreen {
    let player: Player
    var navigator = StoryNavigator()
    let close: () -> Void

    init(_ player: Player, close: @escaping () -> Void) { (self.player, self.close) = (player, close) }

    func tapped(x: Double, width: Double) {
        guard let action = player.storyAction(forTapAt: x, width: width, using: navigator) else { return }
        if action == .finish { close() } else { player.perform(action) }
    }
    func held() {
        if let action = navigator.holdBegan(isPlaying: player.isPlaying) { player.perform(action) }
    }
    func released() {
        for action in navigator.holdEnded() { player.perform(action) }
    }
    func skipTapped() {
        if player.canSkipInterruption { player.skipInterruption() }
    }

    var bar: [Double] {
        let bar = player.storySegments.map { segment in segment.fraction.doubleValue }
        return bar
    }
}

func following(_ player: Player) async {
    for await event in player.events([.itemTransition, .playlistEnded, .failed]) { print(event) }
}

struct Episode: Hashable, Sendable { var title: String }

final class Viewing: ItemTracker {
    init(configuration: Void) {}
    func enable(for player: Player) { print("begins at", player.currentTime) }
    func updateMetadata(_ metadata: Episode?) { print(metadata?.title ?? "untitled") }
    func recordMetric(_ event: Player.Event) {}
    func disable(with last: PlaybackProperties, at time: Rational) { print("left at", time) }
}

func episode(_ path: String, _ title: String) -> PlayerItem {
    let viewing = ItemTrackerHost<Viewing, PlayerItemMetadata>(configuration: ()) { $0.app?.value() }
    let item = PlayerItem(PlayerMedia(path: path), metadata: ItemMetadata(Episode(title: title)), trackers: [viewing])
    return item
}
