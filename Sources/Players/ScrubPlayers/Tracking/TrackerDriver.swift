internal import ScrubPlayersLogic
internal import ScrubBase

/// A tracker that must be updated when a player changes and at its own times.
protocol TimedTracker: AnyObject, Sendable {
    /// The tracker's own clock.
    var trackerTime: Int64 { get }
    var nextDeadline: Int64? { get }
    func tick(now: Int64)
    func onDeadlineChange(_ changed: (@Sendable (Int64?) -> Void)?)
}

extension ProgressTracker: TimedTracker {}
extension VisibilityTracker: TimedTracker {}

/// Drives a tracker with a player's timebase, and updates it when the player changes.
///
/// The tracker retains the driver through its callback; the driver holds the tracker weakly.
final class TrackerDriver: TimebaseMember {
    private struct State {
        weak var tracker: (any TimedTracker)?
        var number: Int?
        var observation: Player.Observation?
    }

    private let state: Locked<State>
    private let timebase: Timebase

    init(_ tracker: any TimedTracker, timebase: Timebase) {
        self.timebase = timebase
        state = Locked(State(tracker: tracker))
    }

    /// Starts to follow a player.
    ///
    /// - Parameter changed: called on every change of the player.
    func start(_ player: Player, changed: @escaping @Sendable (Player.Event) -> Void) throws(ScrubError) {
        let number = try timebase.add(self)
        let observation = player.observe(.all) { [weak self] event in
            changed(event)
            self?.wake()
        }
        let tracker = state.withLock { state in
            (state.number, state.observation) = (number, observation)
            return state.tracker
        }
        tracker?.onDeadlineChange { [self] _ in wake() }
    }

    deinit {
        if let number = state.withLock({ $0.number }) { timebase.remove(number) }
    }

    private func wake() { if let number = state.withLock({ $0.number }) { timebase.wake(number) } }

    func tick(at now: Int64) -> MachineDeadline {
        guard let tracker = state.withLock({ $0.tracker }) else { return .idle }
        let own = tracker.trackerTime
        tracker.tick(now: own)
        guard let deadline = tracker.nextDeadline else { return .idle }
        let (distance, overflow) = deadline.subtractingReportingOverflow(own)
        let (time, isBeyond) = now.addingReportingOverflow(max(0, distance))
        return overflow || isBeyond ? .idle : .at(time)
    }
}

extension ProgressTracker {
    /// Follows a player, using its timebase. Values arrive at the tracker's interval during playback, and whenever the
    /// player changes.
    ///
    /// - Throws: `inputOutput` if the system cannot create a thread.
    public func bind(to player: Player) throws(ScrubError) {
        let driver = TrackerDriver(self, timebase: player.timebase)
        bind(to: player as any ProgressTracker.Source)
        try driver.start(player) { _ in }
    }
}

extension VisibilityTracker {
    /// Follows a player until ``unbind()`` is called. Controls are hidden during playback, and shown when playback
    /// pauses.
    ///
    /// - Throws: `inputOutput` if the system cannot create a thread.
    public func bind(to player: Player) throws(ScrubError) {
        let driver = TrackerDriver(self, timebase: player.timebase)
        try driver.start(player) { [weak self] event in
            if case .stateChanged(let state) = event { self?.playbackChanged(to: state) }
        }
        playbackChanged(to: player.state)
    }

    /// Stops following the player. Controls stay as they are until the user interacts with them.
    public func unbind() {
        onDeadlineChange(nil)
        playbackChanged(to: .idle)
    }
}

extension Player: ProgressTracker.Source {
    /// The position, the duration and the newest completed seek, captured at one moment.
    public var progressMoment: ProgressTracker.Moment {
        let now = core.timebase.nanoseconds
        return core.state.withLock { state in
            let duration = state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset.duration }
            return ProgressTracker.Moment(
                time: state.position(at: now).time, duration: duration ?? .zero, seek: state.endedSeek,
                isPlaying: state.machine.wantsToPlay && !state.machine.hasEnded)
        }
    }

    /// Starts a seek to a time in the current item, and returns without waiting for the seek to complete.
    ///
    /// - Returns: the seek's number, as from ``startSeek(to:)-(FramePosition)``.
    @discardableResult
    public func startSeek(to time: Rational) -> Int { startSeek(to: .time(time)) }
}
