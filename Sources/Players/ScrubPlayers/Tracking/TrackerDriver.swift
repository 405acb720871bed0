internal import ScrubPlayersLogic
internal import ScrubBase

/// A tracker that wants to be looked at when a player changes and at times of its own.
protocol TimedTracker: AnyObject, Sendable {
    /// The tracker's own clock.
    var trackerTime: Int64 { get }
    var nextDeadline: Int64? { get }
    func tick(now: Int64)
    func onDeadlineChange(_ changed: (@Sendable (Int64?) -> Void)?)
}

extension ProgressTracker: TimedTracker {}
extension VisibilityTracker: TimedTracker {}

/// Drives a tracker by a player's timebase, and has it look at the player when something changes there.
///
/// The tracker keeps it, by the callback that it is given; it holds the tracker weakly.
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

    /// - Parameter changed: called at every change of the player.
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
    /// Follows a player, by its timebase: values come at the tracker's interval while it plays, and when something
    /// changes.
    ///
    /// - Throws: `inputOutput` when the system has no thread left.
    public func bind(to player: Player) throws(ScrubError) {
        let driver = TrackerDriver(self, timebase: player.timebase)
        bind(to: player as any ProgressTracker.Source)
        try driver.start(player) { _ in }
    }
}

extension VisibilityTracker {
    /// Follows a player from now on, until ``unbind()``: controls go away while it plays, and come when it pauses.
    ///
    /// - Throws: `inputOutput` when the system has no thread left.
    public func bind(to player: Player) throws(ScrubError) {
        let driver = TrackerDriver(self, timebase: player.timebase)
        try driver.start(player) { [weak self] event in
            if case .stateChanged(let state) = event { self?.playbackChanged(to: state) }
        }
        playbackChanged(to: player.state)
    }

    /// Follows no player from now on: controls stay as they are until they are touched.
    public func unbind() {
        onDeadlineChange(nil)
        playbackChanged(to: .idle)
    }
}

extension Player: ProgressTracker.Source {
    /// Place, duration and the newest seek that is over, at one moment.
    public var progressMoment: ProgressTracker.Moment {
        let now = core.timebase.nanoseconds
        return core.state.withLock { state in
            let duration = state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset.duration }
            return ProgressTracker.Moment(
                time: state.position(at: now).time, duration: duration ?? .zero, seek: state.endedSeek,
                isPlaying: state.machine.wantsToPlay && !state.machine.hasEnded)
        }
    }

    /// Goes to a time of the current item without waiting for it.
    public func beginSeek(to time: Rational) -> Int { startSeek(to: .time(time)) }
}
