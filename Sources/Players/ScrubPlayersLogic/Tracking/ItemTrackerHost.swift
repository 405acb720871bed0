public import ScrubBase

/// A player's messages to the trackers of an item, whatever they are.
///
/// Thread safety: safe. Calls are carried out in the order in which they came; one from within a tracker after the
/// present one.
public protocol ItemTrackerDriver<Player, Metadata, Metric>: AnyObject, Sendable {
    /// The player of the item.
    associatedtype Player: TrackedPlayer
    /// The item's metadata.
    associatedtype Metadata: Sendable
    /// The measurements while it plays.
    associatedtype Metric: Sendable

    /// The item became the current one.
    func becomeCurrent(for player: Player, isTrackingEnabled: Bool, _ properties: PlaybackProperties)
    /// The item stopped being the current one, at a time of it.
    func resignCurrent(_ last: PlaybackProperties, at time: Rational)
    /// Tracking was switched on or off for all items of the player.
    func setTrackingEnabled(_ isTrackingEnabled: Bool)
    /// The item's metadata came or changed.
    func updateMetadata(_ metadata: Metadata)
    /// The player's state changed.
    func updateProperties(_ properties: PlaybackProperties)
    /// Records a measurement.
    func recordMetric(_ metric: Metric)
}

/// Leads one tracker through its life.
///
/// Thread safety: safe; the tracker is called outside of its lock, one call at a time. Memory: the metrics of one turn
/// of the item, at most `metricLimit`.
public final class ItemTrackerHost<Tracker: ItemTracker, Metadata: Sendable>: ItemTrackerDriver {
    /// The player of the item.
    public typealias Player = Tracker.Player
    /// The measurements while it plays.
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
        var isSwitchedOn = true
        var isEnabled = false
        var properties = PlaybackProperties()
        /// A ring: the oldest is at `count % limit` when it is full.
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

    /// Makes a tracker and its host.
    ///
    /// - Parameters:
    ///   - type: the tracker's.
    ///   - configuration: the configuration with which it is made.
    ///   - behavior: whether it can be switched off.
    ///   - metricLimit: the number of metrics of one turn that are kept for a tracker that is switched on late; the
    ///     oldest go first.
    ///   - metadata: the part of the item's metadata that the tracker gets.
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

    /// The tracker's own switch, beside the player's for all. A tracker that is switched off here stays off, however
    /// often its item becomes the current one. A mandatory tracker is enabled all the same. Default true.
    public var isSwitchedOn: Bool {
        get { state.withLock { $0.isSwitchedOn } }
        set { changeSwitches { $0.isSwitchedOn = newValue } }
    }

    /// The item became the current one. If it was already, its turn ends and another one begins.
    public func becomeCurrent(for player: Player, isTrackingEnabled: Bool, _ properties: PlaybackProperties) {
        // Asked outside of the lock, as all that is the player's.
        let time = playerTime
        change { state in
            if state.isCurrent { end(&state, at: time) }
            (state.player, state.isCurrent, state.isTrackingEnabled) = (player, true, isTrackingEnabled)
            state.properties = properties
            refresh(&state, at: time)
        }
    }

    /// The item stopped being the current one.
    public func resignCurrent(_ last: PlaybackProperties, at time: Rational) {
        change { state in
            guard state.isCurrent else { return }
            state.properties = last
            end(&state, at: time)
        }
    }

    /// Tracking was switched on or off for all items of the player, which tells it and remembers it. A tracker that is
    /// enabled late gets the present properties and all metrics of this turn at once.
    public func setTrackingEnabled(_ isTrackingEnabled: Bool) {
        changeSwitches { $0.isTrackingEnabled = isTrackingEnabled }
    }

    /// The item's metadata came or changed. The tracker gets them in any state.
    public func updateMetadata(_ metadata: Metadata) {
        let own = map(metadata)
        change { $0.calls.append(.metadata(own)) }
    }

    /// The player's state changed. Properties that are the same are not told again.
    public func updateProperties(_ properties: PlaybackProperties) {
        change { state in
            guard state.isCurrent, properties != state.properties else { return }
            state.properties = properties
            if state.isEnabled { state.calls.append(.properties(properties)) }
        }
    }

    /// Records a measurement; ignored while the item is not the current one.
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
            state.isCurrent && (behavior == .mandatory || state.isTrackingEnabled && state.isSwitchedOn)
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

    /// Changes the state, and makes the calls that follow unless another thread is already doing so, which makes them
    /// then.
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
