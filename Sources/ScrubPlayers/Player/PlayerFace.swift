internal import Observation
internal import Playback
internal import ScrubBase
internal import ScrubMedia

/// What a player shows to observers: values that change in one step each, and who looks at them.
final class PlayerFace: Sendable {
    struct Values: Sendable {
        var items: [PlayerItem] = []
        var currentItem: PlayerItem?
        var state = PlaybackState.idle
        var rate = Rational.one
        var isPlaying = false
        var isLikelyToKeepUp = false
        var bufferedDuration = Rational.zero
        var error: ScrubError?

        init() {}

        init(_ state: PlayerState, at now: Int64) {
            let situation = state.machine.situation(at: now)
            items = state.playlist.items
            currentItem = state.playlist.currentItem
            self.state = state.playbackState(at: now)
            rate = state.machine.rate
            isPlaying = state.machine.wantsToPlay
            isLikelyToKeepUp = situation.isLikelyToKeepUp
            bufferedDuration = situation.bufferedTime.seconds
            error = state.error
        }
    }

    let values = Locked(Values())
    let registrar = ObservationRegistrar()
    /// The player, for its key paths. Weak: it owns this.
    private struct Owner { weak var player: Player? }
    private let owner = Locked(Owner())

    func setOwner(_ player: Player) { owner.withLock { $0.player = player } }

    /// Takes new values in, and tells who looks at those that changed.
    func update(_ new: Values) {
        guard let player = owner.withLock({ $0.player }) else {
            values.withLock { $0 = new }
            return
        }
        let old = values.withLock { $0 }
        change(\.items, old.items.map(\.id) != new.items.map(\.id), player) { $0.items = new.items }
        change(\.currentItem, old.currentItem?.id != new.currentItem?.id, player) { $0.currentItem = new.currentItem }
        change(\.rate, old.rate != new.rate, player) { $0.rate = new.rate }
        change(\.isLikelyToKeepUp, old.isLikelyToKeepUp != new.isLikelyToKeepUp, player) {
            $0.isLikelyToKeepUp = new.isLikelyToKeepUp
        }
        change(\.error, old.error != new.error, player) { $0.error = new.error }
        change(\.state, old.state != new.state, player) { $0.state = new.state }
        values.withLock {
            $0.isPlaying = new.isPlaying
            $0.bufferedDuration = new.bufferedDuration
        }
    }

    private func change<Value>(
        _ path: KeyPath<Player, Value>, _ isNew: Bool, _ player: Player, _ set: @Sendable (inout Values) -> Void
    ) {
        guard isNew else { return }
        registrar.withMutation(of: player, keyPath: path) { values.withLock { set(&$0) } }
    }
}
