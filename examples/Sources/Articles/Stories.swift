import ScrubPlayers

func story() throws -> Player {
    let player = try Player([
        PlayerItem(path: "one.mp4"), PlayerItem(Media(path: "two.mp4"), repeatCount: 2), PlayerItem(path: "three.mp4"),
    ])
    player.play()
    return player
}

func changing(_ player: Player, _ item: PlayerItem, _ advertisement: PlayerItem) {
    player.append(item)
    player.interrupt(with: [advertisement])
}

@MainActor final class StoryScreen {
    let player: Player
    var navigator = StoryNavigator()
    let close: () -> Void

    init(_ player: Player, close: @escaping () -> Void) { (self.player, self.close) = (player, close) }

    func tapped(x: Double, width: Double) {
        guard let action = player.storyAction(forTapAt: x, width: width, navigator) else { return }
        if action == .finish { close() } else { player.perform(action) }
    }
    func held() {
        if let action = navigator.holdBegan(isPlaying: player.isPlaying) { player.perform(action) }
    }
    func released() {
        for action in navigator.holdEnded() { player.perform(action) }
    }

    var bar: [Double] {
        let bar = player.storySegments.map { segment in segment.fraction.approximation }
        return bar
    }
}

func following(_ player: Player) async {
    for await event in player.events([.itemTransition, .playlistEnded, .failed]) { print(event) }
}
