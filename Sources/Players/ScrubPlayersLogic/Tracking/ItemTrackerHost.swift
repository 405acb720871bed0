public import ScrubBase

/// The interface through which a player notifies the trackers of an item, whatever their types.
///
/// Thread safety: safe from any thread. Calls are carried out in order. A call from within a tracker is carried out
/// after the current call.
public protocol ItemTrackerDriver<Player, Metadata, Metric>: AnyObject, Sendable {
    /// The type of the item's player.
    associatedtype Player: TrackedPlayer
    /// The type of the item's metadata.
    associatedtype Metadata: Sendable
    /// The type of measurements made while the item plays.
    associatedtype Metric: Sendable

    /// Notifies the tracker that the item became current.
    func becomeCurrent(for player: Player, isTrackingEnabled: Bool, _ properties: PlaybackProperties)
    /// Notifies the tracker that the item is no longer current, with its last time.
    func resignCurrent(_ last: PlaybackProperties, at time: Rational)
    /// Notifies the tracker that tracking was switched on or off for all items of the player.
    func setTrackingEnabled(_ isTrackingEnabled: Bool)
    /// Notifies the tracker that the item's metadata arrived or changed.
    func updateMetadata(_ metadata: Metadata)
    /// Notifies the tracker that the player's state changed.
    func updateProperties(_ properties: PlaybackProperties)
    /// Records a measurement.
    func recordMetric(_ metric: Metric)
}

/// An object that manages the life cycle of one tracker.
///
/// A *turn* of an item lasts from when the item becomes current until it is no longer current.
///
/// Thread safety: safe from any thread. The host calls the tracker's methods one at a time, and holds no lock during a
/// call. Memory: the metrics of the current turn, at most `metricLimit`.
public final class ItemTrackerHost<Tracker: ItemTracker, Metadata: Sendable>: ItemTrackerDriver {
    /// The type of the item's player.
    public typealias Player = Tracker.Player
    /// The type of measurements made while the item plays.
    public typealias Metric = Tracker.Metric

    private enum Call: Sendable {
        case enable(Tracker.Player)
        case metadata(Tracker.Metadata)
        case properties(PlaybackProperties)
        case metric(Tracker.Metric)
        case disable(PlaybackProperties, at: Rational)
    }

    private struct State {
        weak var player: Tracker.Player?
        var isCurrent = false
        var isTrackingEnabled = false
        var isActive = true
        var isEnabled = false
        var properties = PlaybackProperties()
        /// A ring buffer: when it is full, the oldest is at `count % limit`.
        var metrics: [Tracker.Metric] = []
        var metricCount = 0
        var calls: [Call] = []
        var isCalling = false
    }

    /// Whether the tracker can be switched off.
    public let behavior: ItemTrackerBehavior
    private let tracker: Tracker
    private let metricLimit: Int
    private let map: @Sendable (Metadata) -> Tracker.Metadata
    private let state = Locked(State())

    /// Creates a tracker and its host.
    ///
    /// - Parameters:
    ///   - type: the tracker's type.
    ///   - configuration: the configuration that is passed to the tracker.
    ///   - behavior: whether the tracker can be switched off.
    ///   - metricLimit: the maximum number of metrics that are kept during a turn, for a tracker that is enabled later
    ///     in the turn. Beyond this number, the oldest metrics are dropped.
    ///   - metadata: a closure that returns the part of the item's metadata for the tracker.
    public init(
        _ type: Tracker.Type = Tracker.self, configuration: Tracker.Configuration,
        behavior: ItemTrackerBehavior = .optional,
        metricLimit: Int = 1000, metadata: @escaping @Sendable (Metadata) -> Tracker.Metadata
    ) {
        (self.behavior, self.metricLimit, map) = (behavior, max(metricLimit, 0), metadata)
        tracker = Tracker(configuration: configuration)
    }

    deinit {
        let last = state.withLock { $0.isEnabled ? ($0.properties, $0.player) : nil }
        if let last { tracker.disable(with: last.0, at: last.1?.currentTime ?? .zero) }
    }

    /// Whether the tracker is enabled.
    public var isEnabled: Bool { state.withLock { $0.isEnabled } }

    /// Whether this tracker is active, independently of the player's tracking. A tracker that is not active stays
    /// disabled, however often its item becomes current. This property has no effect on mandatory trackers, which are
    /// enabled whenever their item is current. Default true.
    public var isActive: Bool {
        get { state.withLock { $0.isActive } }
        set { changeSwitches { $0.isActive = newValue } }
    }

    /// Called when the item becomes current. If it is already current, its turn ends and another turn begins.
    public func becomeCurrent(for player: Player, isTrackingEnabled: Bool, _ properties: PlaybackProperties) {
        // Read outside the lock, like everything that belongs to the player.
        let time = playerTime
        change { state in
            if state.isCurrent { end(&state, at: time) }
            (state.player, state.isCurrent, state.isTrackingEnabled) = (player, true, isTrackingEnabled)
            state.properties = properties
            refresh(&state, at: time)
        }
    }

    /// Called when the item is no longer current.
    public func resignCurrent(_ last: PlaybackProperties, at time: Rational) {
        change { state in
            guard state.isCurrent else { return }
            state.properties = last
            end(&state, at: time)
        }
    }

    /// Called when tracking is switched on or off for all items of the player. A tracker that is enabled during a turn
    /// immediately receives the current properties and all metrics that were kept from the turn.
    public func setTrackingEnabled(_ isTrackingEnabled: Bool) {
        changeSwitches { $0.isTrackingEnabled = isTrackingEnabled }
    }

    /// Called when the item's metadata arrives or changes. The tracker receives the metadata even while it is disabled.
    public func updateMetadata(_ metadata: Metadata) {
        let own = map(metadata)
        change { $0.calls.append(.metadata(own)) }
    }

    /// Called when the player's state changes. Unchanged properties are not sent again.
    public func updateProperties(_ properties: PlaybackProperties) {
        change { state in
            guard state.isCurrent, properties != state.properties else { return }
            state.properties = properties
            if state.isEnabled { state.calls.append(.properties(properties)) }
        }
    }

    /// Records a measurement. Measurements are ignored while the item is not current.
    public func recordMetric(_ metric: Metric) {
        change { state in
            guard state.isCurrent else { return }
            if state.isEnabled { state.calls.append(.metric(metric)) }
            guard metricLimit > 0 else { return }
            if state.metrics.count < metricLimit {
                state.metrics.append(metric)
            } else {
                state.metrics[state.metricCount % metricLimit] = metric
            }
            state.metricCount += 1
        }
    }

    private func changeSwitches(_ body: (inout State) -> Void) {
        let time = playerTime
        change { state in
            body(&state)
            refresh(&state, at: time)
        }
    }

    private var playerTime: Rational { state.withLock { $0.player }?.currentTime ?? .zero }

    private func refresh(_ state: inout State, at time: Rational) {
        let isWanted =
            state.isCurrent && (behavior == .mandatory || state.isTrackingEnabled && state.isActive)
        if isWanted, !state.isEnabled, let player = state.player {
            state.isEnabled = true
            let oldest = state.metrics.isEmpty ? 0 : state.metricCount % state.metrics.count
            let metrics = state.metrics[oldest...] + state.metrics[..<oldest]
            state.calls += [.enable(player), .properties(state.properties)] + metrics.map { .metric($0) }
        } else if !isWanted, state.isEnabled {
            state.isEnabled = false
            state.calls.append(.disable(state.properties, at: time))
        }
    }

    private func end(_ state: inout State, at time: Rational) {
        state.isCurrent = false
        refresh(&state, at: time)
        (state.player, state.metrics, state.metricCount) = (nil, [], 0)
    }

    /// Changes the state, and makes the resulting calls. If another thread is already making calls, that thread makes
    /// these too.
    private func change(_ body: (inout State) -> Void) {
        var isMine = state.withLock { state in
            body(&state)
            defer { state.isCalling = true }
            return !state.isCalling
        }
        while isMine {
            let calls = state.withLock { state in
                defer { state.calls = [] }
                state.isCalling = !state.calls.isEmpty
                return state.calls
            }
            isMine = !calls.isEmpty
            for call in calls { make(call) }
        }
    }

    private func make(_ call: Call) {
        switch call {
        case .enable(let player): tracker.enable(for: player)
        case .metadata(let metadata): tracker.updateMetadata(metadata)
        case .properties(let properties): tracker.updateProperties(properties)
        case .metric(let metric): tracker.recordMetric(metric)
        case .disable(let last, let time): tracker.disable(with: last, at: time)
        }
    }
}
