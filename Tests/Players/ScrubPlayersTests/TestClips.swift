import Foundation
import ScrubMedia
import ScrubPlayers
import ScrubTestSupport

/// Clips of `testdata/`, opened without saving anything.
enum TestClips {
    static let folder = Repository.clips

    static func item(_ name: String, playCount: Int = 1) -> PlayerItem {
        PlayerItem(media(name), playCount: playCount)
    }

    static func media(_ name: String, identifier: String? = nil, poster: FramePicture? = nil) -> PlayerMedia {
        PlayerMedia(
            path: folder + "/" + name, identifier: identifier.map { PlayerMedia.Identifier($0) }, poster: poster,
            options: options)
    }

    static var options: VideoAsset.OpenOptions { VideoAsset.OpenOptions(cache: .none) }
}

/// Waits until a player has done something, by its events and not by the clock.
func wait(_ player: Player, until isDone: @escaping @Sendable (Player) -> Bool) async {
    let events = player.events()
    if isDone(player) { return }
    for await _ in events where isDone(player) { return }
}

/// The frames that came before a presenter, in order.
final class FrameLog: Sendable {
    struct Entry: Sendable, Equatable {
        var item: PlayerItem.ID
        var frame: Int
        var kind: PlayerFrame.Kind
        var time: Rational
        var hasPicture: Bool
    }

    private let entries = Locked<[Entry]>([])

    func note(_ frame: PlayerFrame) {
        entries.withLock {
            $0.append(
                Entry(
                    item: frame.item, frame: frame.frame.number, kind: frame.kind, time: frame.presentationTime,
                    hasPicture: frame.picture != nil))
        }
    }

    var all: [Entry] { entries.withLock { $0 } }
    var presented: [Entry] { all.filter { $0.kind == .presented } }

    func presenter() -> Presenter { Presenter { [self] in note($0) } }
}
