public import ScrubPlayersLogic
public import ScrubMedia

/// The facts that trackers get to know of an item.
public struct PlayerItemMetadata: Sendable, Hashable {
    /// Which video it is.
    public let identifier: PlayerMedia.Identifier
    /// The name that errors use: a path or a source's name.
    public let name: String
    /// Seconds; `nil` until it is loaded.
    public let duration: Rational?
    /// The number of frames; `nil` until it is loaded.
    public let frameCount: Int?
    /// The facts that the app knows of it: ``PlayerItem/metadata``.
    public let app: ItemMetadata?
}

/// A tracker of a player's items. ``ItemTrackerHost`` makes one of your own ``ItemTracker``, whose `Player` is
/// ``Player``, whose metadata are ``PlayerItemMetadata`` and whose metrics are ``Player/Event``.
public typealias PlayerItemTracker = any ItemTrackerDriver<Player, PlayerItemMetadata, Player.Event>

extension Player.Event {
    /// The item that the event is the end of.
    var itemOfEnd: PlayerItem.ID? {
        switch self {
        case .itemEnded(let item), .failed(let item, _): item
        default: nil
        }
    }
}

/// Tells the trackers of the item that is current, and of those that were.
struct ItemTracking {
    private var current: Moment?
    private var metadata: PlayerItemMetadata?

    /// Whether an item has trackers.
    var isTracking: Bool { current?.hasTrackers == true }

    /// An item and how it plays, as of one step of the player.
    struct Moment {
        var item: PlayerItem?
        var properties = PlaybackProperties()
        var time = Rational.zero
        var asset: VideoAsset?
        var isTrackingEnabled = true
        /// The times at which items were left since the moment before.
        var leaveTimes: [PlayerItem.ID: Rational] = [:]

        var hasTrackers: Bool { item?.trackers.isEmpty == false }
    }

    /// Returns the item whose turn is over at that moment.
    func itemToLeave(for moment: Moment) -> PlayerItem.ID? {
        moment.item?.id == current?.item?.id ? nil : current?.item?.id
    }

    /// Tells the trackers the news; called outside of all locks.
    mutating func update(_ player: Player, _ moment: Moment) {
        let (item, properties, asset) = (moment.item, moment.properties, moment.asset)
        let isSame = item?.id == current?.item?.id
        if !isSame, let old = current, let left = old.item {
            end(at: moment.leaveTimes[left.id] ?? old.time)
            metadata = nil
        }
        guard let item, !item.trackers.isEmpty else {
            current = nil
            return
        }
        let news = PlayerItemMetadata(
            identifier: item.media.identifier, name: item.media.name, duration: asset?.duration,
            frameCount: asset?.frames.count, app: item.metadata)
        if !isSame {
            for tracker in item.trackers {
                tracker.becomeCurrent(for: player, isTrackingEnabled: moment.isTrackingEnabled, properties)
            }
        } else {
            if current?.properties != properties {
                for tracker in item.trackers { tracker.updateProperties(properties) }
            }
            if current?.isTrackingEnabled != moment.isTrackingEnabled {
                for tracker in item.trackers { tracker.setTrackingEnabled(moment.isTrackingEnabled) }
            }
        }
        if news != metadata {
            for tracker in item.trackers { tracker.updateMetadata(news) }
            metadata = news
        }
        current = moment
    }

    /// Tells an event; not the end of an item to another one's trackers.
    func record(_ event: Player.Event) {
        if let item = event.itemOfEnd, item != current?.item?.id { return }
        for tracker in current?.item?.trackers ?? [] { tracker.recordMetric(event) }
    }

    /// The current item's turn is over, or the player is gone.
    mutating func end(at time: Rational) {
        guard let current else { return }
        for tracker in current.item?.trackers ?? [] { tracker.resignCurrent(current.properties, at: time) }
        self.current = nil
    }
}
