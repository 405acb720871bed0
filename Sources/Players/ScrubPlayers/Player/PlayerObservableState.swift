internal import Observation
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// A player's state as observers see it, with the observers.
final class PlayerObservableState: Sendable {
    struct Values: Sendable {
        var items: [PlayerItem] = []
        var currentItem: PlayerItem?
        var state = PlaybackState.idle
        var rate = Rational.one
        var isLikelyToKeepUp = false
        var error: ScrubError?
        var isTrackingEnabled = true
    }

    /// The set of values that have changed.
    struct Changes: OptionSet, Sendable {
        let rawValue: UInt8
        static let items = Changes(rawValue: 1)
        static let currentItem = Changes(rawValue: 2)
        static let state = Changes(rawValue: 4)
        static let rate = Changes(rawValue: 8)
        static let isLikelyToKeepUp = Changes(rawValue: 16)
        static let error = Changes(rawValue: 32)
        static let isTrackingEnabled = Changes(rawValue: 64)
    }

    let registrar = ObservationRegistrar()
    /// A weak reference to the player, for its key paths. The player owns this object.
    private struct Owner { weak var player: Player? }
    private let owner = Locked(Owner())

    /// The player, while it exists.
    var player: Player? { owner.withLock { $0.player } }

    func setOwner(_ player: Player) { owner.withLock { $0.player = player } }

    /// Notifies observers of changed values. The values are already set, under the player's lock. A change is reported
    /// after it is made, so that an observer that reads in between does not miss it.
    func tell(_ changes: Changes) {
        guard !changes.isEmpty, let player = owner.withLock({ $0.player }) else { return }
        func tell<Value>(_ change: Changes, _ path: KeyPath<Player, Value>) {
            if changes.contains(change) { registrar.withMutation(of: player, keyPath: path) {} }
        }
        tell(.items, \.items)
        tell(.currentItem, \.currentItem)
        tell(.rate, \.rate)
        tell(.isLikelyToKeepUp, \.isLikelyToKeepUp)
        tell(.error, \.error)
        tell(.isTrackingEnabled, \.isTrackingEnabled)
        tell(.state, \.state)
    }
}
