public import ScrubBase

/// Follows an item of a player for statistics, a history, a log.
///
/// Its life: it is made with the item, and gets metadata whenever these come, also while it is disabled. It is enabled
/// when the item becomes the current one (and trackers are switched on, if it is optional), and then gets properties
/// and metrics. It is disabled with the last properties, and may be enabled again when the same item plays again, so
/// ``enable(for:)`` begins from nothing. It goes away with its item, disabled before.
///
/// Time is asked for and not told: ``TrackedPlayer/currentTime`` of the player, whenever it is needed.
///
/// Thread safety: its methods are called one at a time, in order, on changing threads, outside of all locks. It may
/// call the player.
public protocol ItemTracker: AnyObject, Sendable {
    /// The configuration with which it is made.
    associatedtype Configuration: Sendable = Void
    /// The facts about the item that it wants beside its playing.
    associatedtype Metadata: Sendable = Void
    /// The measurements while the item plays.
    associatedtype Metric: Sendable = Void
    /// The player of the item.
    associatedtype Player: TrackedPlayer

    /// Makes a tracker for one item. It is not enabled yet.
    init(configuration: Configuration)

    /// The item becomes the current one of a player, or tracking is switched on while it is. Nothing of an earlier time
    /// is left.
    ///
    /// - Parameter player: not to be held strongly.
    func enable(for player: Player)

    /// The item's metadata have come or changed; also while it is disabled.
    func updateMetadata(_ metadata: Metadata)

    /// The player's state has changed. The first ones come right after ``enable(for:)``.
    func updateProperties(_ properties: PlaybackProperties)

    /// Records a measurement; all that were made since the item became current come right after ``enable(for:)``.
    func recordMetric(_ metric: Metric)

    /// The item is no longer the current one, or tracking is switched off.
    ///
    /// - Parameters:
    ///   - last: its last properties.
    ///   - time: its last place, in seconds after the item's first frame. The player may be elsewhere by now.
    func disable(with last: PlaybackProperties, at time: Rational)
}

extension ItemTracker {
    /// Does nothing.
    public func updateMetadata(_ metadata: Metadata) {}
    /// Does nothing.
    public func updateProperties(_ properties: PlaybackProperties) {}
    /// Does nothing.
    public func recordMetric(_ metric: Metric) {}
}

/// A player whose items are followed by trackers.
///
/// Thread safety: asked from any thread, outside of all locks.
public protocol TrackedPlayer: AnyObject, Sendable {
    /// Seconds after the current item's first frame.
    var currentTime: Rational { get }
}

/// Whether an item tracker can be switched off.
public enum ItemTrackerBehavior: Sendable, Hashable, CaseIterable {
    /// It follows its item always.
    case mandatory
    /// It does so only while the player's tracking is switched on.
    case optional
}
