public import ScrubBase

/// An object that follows one of a player's items, for statistics, a history or a log.
///
/// A tracker is created with its item. It receives the item's metadata when the metadata becomes available and after
/// each change, even while the tracker is disabled. The tracker is enabled when the item becomes current, and receives
/// properties and metrics until it is disabled. An optional tracker is enabled only while tracking is switched on. When
/// the tracker is disabled, it receives the last properties. It may be enabled again when the same item plays again, so
/// ``enable(for:)`` must start from scratch. A tracker is disabled before it is released with its item.
///
/// The playback time is not reported. Read the player's ``TrackedPlayer/currentTime`` when needed.
///
/// Thread safety: the methods are called one at a time and in order, on various threads. The caller holds no locks, so
/// the tracker may call the player.
public protocol ItemTracker: AnyObject, Sendable {
    /// The configuration passed to the initializer.
    associatedtype Configuration: Sendable = Void
    /// The metadata about the item that the tracker receives.
    associatedtype Metadata: Sendable = Void
    /// The type of measurements made while the item plays.
    associatedtype Metric: Sendable = Void
    /// The type of the item's player.
    associatedtype Player: TrackedPlayer

    /// Creates a tracker for one item. It is not enabled yet.
    init(configuration: Configuration)

    /// Called when the item becomes the current one of a player, or when tracking is switched on while it is current.
    /// Start without any state from an earlier period.
    ///
    /// - Parameter player: the player. Do not retain it.
    func enable(for player: Player)

    /// Called when the item's metadata arrives or changes, even while the tracker is disabled.
    func updateMetadata(_ metadata: Metadata)

    /// Called when the player's state changes. The first call comes directly after ``enable(for:)``.
    func updateProperties(_ properties: PlaybackProperties)

    /// Records a measurement. Measurements made since the item became current are passed on directly after
    /// ``enable(for:)``.
    func recordMetric(_ metric: Metric)

    /// Called when the item is no longer current, or tracking is switched off.
    ///
    /// - Parameters:
    ///   - last: the item's last properties.
    ///   - time: the item's last position, in seconds after its first frame. The player's own position may already be
    ///     different.
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
/// Thread safety: its members are called on any thread, by callers that hold no locks.
public protocol TrackedPlayer: AnyObject, Sendable {
    /// Seconds after the current item's first frame.
    var currentTime: Rational { get }
}

/// Whether an item tracker can be switched off.
public enum ItemTrackerBehavior: Sendable, Hashable, CaseIterable {
    /// The tracker always follows its item.
    case mandatory
    /// The tracker follows its item only while the player's tracking is switched on.
    case optional
}
