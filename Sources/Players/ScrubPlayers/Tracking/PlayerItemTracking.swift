public import ScrubPlayersLogic
public import ScrubMedia

/// An item's metadata, as its trackers receive it.
public struct PlayerItemMetadata: Sendable, Hashable {
    /// The video's identifier.
    public let identifier: PlayerMedia.Identifier
    /// The name used in errors: a path or a source's name.
    public let name: String
    /// The duration in seconds; `nil` until it is loaded.
    public let duration: Rational?
    /// The number of frames; `nil` until it is loaded.
    public let frameCount: Int?
    /// The app's own metadata about the item: ``PlayerItem/metadata``.
    public let app: ItemMetadata?
}

/// A tracker for a player's items. To create one, pass the type of your ``ItemTracker`` to an ``ItemTrackerHost``. The
/// tracker's player type must be ``Player``, and its metric type ``Player/Event``. The host's metadata type must be
/// ``PlayerItemMetadata``.
public typealias PlayerItemTracker = any ItemTrackerDriver<Player, PlayerItemMetadata, Player.Event>

extension Player.Event {
    /// The item whose end the event reports.
    var itemOfEnd: PlayerItem.ID? {
        switch self {
        case .itemEnded(let item), .failed(let item, _): item
        default: nil
        }
    }
}

/// Notifies the trackers of the current item and of earlier ones.
struct ItemTracking {
    private var current: Moment?
    private var metadata: PlayerItemMetadata?

    /// Whether the current item has trackers.
    var isTracking: Bool { current?.hasTrackers == true }

    /// An item and its playback state, captured in one step of the player.
    struct Moment {
        var item: PlayerItem?
        var properties = PlaybackProperties()
        var time = Rational.zero
        var asset: VideoAsset?
        var isTrackingEnabled = true
        /// The times at which items were left since the previous moment.
        var leaveTimes: [PlayerItem.ID: Rational] = [:]

        var hasTrackers: Bool { item?.trackers.isEmpty == false }
    }

    /// Returns the item whose turn has ended at that moment.
    func itemToLeave(for moment: Moment) -> PlayerItem.ID? {
        moment.item?.id == current?.item?.id ? nil : current?.item?.id
    }

    /// Notifies the trackers; called without holding locks.
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

    /// Reports an event. The end of an item is not reported to another item's trackers.
    func record(_ event: Player.Event) {
        if let item = event.itemOfEnd, item != current?.item?.id { return }
        for tracker in current?.item?.trackers ?? [] { tracker.recordMetric(event) }
    }

    /// Ends the current item's turn, or everything when the player was released.
    mutating func end(at time: Rational) {
        guard let current else { return }
        for tracker in current.item?.trackers ?? [] { tracker.resignCurrent(current.properties, at: time) }
        self.current = nil
    }
}
