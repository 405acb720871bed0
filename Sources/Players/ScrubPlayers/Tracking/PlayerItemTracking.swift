public import ScrubPlayersLogic
public import ScrubMedia

/// What trackers get to know of an item.
public struct PlayerItemMetadata: Sendable, Hashable {
    /// Which video it is.
    public let identifier: VideoIdentifier
    /// What errors call it: a path or a source's name.
    public let name: String
    /// Seconds; `nil` until it is loaded.
    public let duration: Rational?
    /// How many frames it has; `nil` until it is loaded.
    public let frameCount: Int?
}

/// A tracker of a player's items: ``ItemTrackerHost`` makes one of your own ``ItemTracker``, whose `Player` is
/// ``Player``, whose metadata are ``PlayerItemMetadata`` and whose metrics are ``PlayerEvent``.
public typealias PlayerItemTracker = any ItemTrackerDriver<Player, PlayerItemMetadata, PlayerEvent>

extension PlayerEvent {
    /// The item that the event is the end of.
    var itemOfEnd: PlayerItem.ID? {
        switch self {
        case .ended(let item), .failed(let item, _): item
        default: nil
        }
    }
}

/// Tells the trackers of the item that is current, and of those that were.
struct ItemTracking {
    private var current: (item: PlayerItem, properties: PlaybackProperties)?
    private var metadata: PlayerItemMetadata?

    /// Whether an item has trackers.
    var isTracking: Bool { current?.item.trackers.isEmpty == false }

    /// An item and how it plays, as of one step of the player.
    struct Moment {
        var item: PlayerItem?
        var properties = PlaybackProperties()
        var asset: VideoAsset?

        var hasTrackers: Bool { item?.trackers.isEmpty == false }
    }

    /// The item whose turn is over at that moment.
    func itemToLeave(for moment: Moment) -> PlayerItem.ID? {
        moment.item?.id == current?.item.id ? nil : current?.item.id
    }

    /// What has to be told: called outside of all locks.
    mutating func update(_ player: Player, _ moment: Moment) {
        let (item, properties, asset) = (moment.item, moment.properties, moment.asset)
        let isSame = item?.id == current?.item.id
        if !isSame, let old = current {
            for tracker in old.item.trackers { tracker.resignCurrent(old.properties) }
            (current, metadata) = (nil, nil)
        }
        guard let item, !item.trackers.isEmpty else {
            current = nil
            return
        }
        let news = PlayerItemMetadata(
            identifier: item.media.identifier, name: item.media.name, duration: asset?.duration,
            frameCount: asset?.frames.count)
        if !isSame {
            for tracker in item.trackers { tracker.becomeCurrent(for: player, isTrackingEnabled: true, properties) }
        } else if current?.properties != properties {
            for tracker in item.trackers { tracker.updateProperties(properties) }
        }
        if news != metadata {
            for tracker in item.trackers { tracker.updateMetadata(news) }
            metadata = news
        }
        current = (item, properties)
    }

    /// Tells an event; not the end of an item to another one's trackers.
    func record(_ event: PlayerEvent) {
        if let item = event.itemOfEnd, item != current?.item.id { return }
        for tracker in current?.item.trackers ?? [] { tracker.recordMetric(event) }
    }

    /// The player is gone.
    mutating func end() {
        guard let current else { return }
        for tracker in current.item.trackers { tracker.resignCurrent(current.properties) }
        self.current = nil
    }
}
