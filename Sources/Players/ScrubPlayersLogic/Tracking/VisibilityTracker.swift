internal import ScrubBase
public import ScrubMediaLogic

/// A tracker that shows a player's controls when they are needed, and hides them otherwise.
///
/// During playback, controls are hidden after a delay, which each interaction restarts. When playback pauses, they are
/// shown immediately. ``isVisible`` is computed from the clock whenever it is read. For ``values()`` to deliver
/// changes, ``tick(now:)`` must be called at ``nextDeadline``; a player does this for the trackers that are bound to
/// it.
///
/// Thread safety: safe from any thread. The tracker has no thread or timer.
public final class VisibilityTracker: Sendable {
    private struct State {
        var timer: VisibilityTracker.Timer
        var told: Bool
    }

    /// The time after which controls are hidden during playback.
    public let delay: Duration
    private let clock: any ScrubTransport.Clock
    private let state: Locked<State>
    private let latest: LatestValue<Bool>
    private let wakeUp = Locked<(@Sendable (Int64?) -> Void)?>(nil)

    /// Creates a tracker for a player that is not playing yet.
    ///
    /// - Parameters:
    ///   - delay: the time after which controls are hidden during playback; 0 or less hides them immediately.
    ///   - isVisible: whether the controls are initially on screen.
    ///   - clock: the clock to use.
    public init(
        delay: Duration = .seconds(3), isVisible: Bool = true,
        clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()
    ) {
        (self.delay, self.clock) = (delay, clock)
        state = Locked(State(timer: VisibilityTracker.Timer(delay: delay, isVisible: isVisible), told: isVisible))
        latest = LatestValue(isVisible)
    }

    /// Whether the controls are on screen.
    public var isVisible: Bool {
        get { change { timer, _ in timer.isVisible } }
        set { change { timer, now in timer.set(newValue, at: now) } }
    }

    /// Handles a user's tap on the picture by showing hidden controls or hiding visible ones.
    public func toggle() { change { timer, now in timer.toggle(at: now) } }

    /// Handles a user's interaction with the controls by restarting the delay. Hidden controls stay hidden.
    public func reset() { change { timer, now in timer.reset(at: now) } }

    /// Handles a change of the player's state.
    public func playbackChanged(to state: PlaybackState) {
        change { timer, now in timer.playbackChanged(to: state, at: now) }
    }

    /// Returns a sequence of values that indicate whether controls are visible, now and after each change. A slow
    /// reader misses values, but always gets the newest one. The sequence ends when the tracker is released, or when a
    /// task is cancelled while it waits for the next value.
    ///
    /// - Returns: a new sequence on each call.
    public func values() -> VisibilityTracker.Values { VisibilityTracker.Values(reader: latest.values()) }

    /// The time on its clock.
    package var trackerTime: Int64 { clock.nanoseconds }

    /// The time at which ``tick(now:)`` must be called next, in nanoseconds of the clock; `nil` if it need not be
    /// called until another event occurs.
    public var nextDeadline: Int64? { state.withLock { $0.timer.nextDeadline } }

    /// Advances the tracker's time. Calling this method more often than needed is harmless.
    ///
    /// - Parameter now: the clock's time in nanoseconds.
    public func tick(now: Int64) { change(at: now) { _, _ in } }

    /// Calls `changed` after each change of ``nextDeadline``, without holding locks.
    package func onDeadlineChange(_ changed: (@Sendable (Int64?) -> Void)?) {
        wakeUp.withLock { $0 = changed }
        changed?(nextDeadline)
    }

    @discardableResult
    private func change<R: Sendable>(at now: Int64? = nil, _ body: (inout VisibilityTracker.Timer, Int64) -> R) -> R {
        let (result, deadline): (R, Int64??) = state.withLock { state in
            let now = now ?? clock.nanoseconds
            let before = state.timer.nextDeadline
            state.timer.advance(to: now)
            let result = body(&state.timer, now)
            // With a delay of 0, they are hidden at once.
            state.timer.advance(to: now)
            if state.timer.isVisible != state.told {
                state.told = state.timer.isVisible
                // In order of occurrence. It does not run callers' code.
                latest.send(state.told)
            }
            let after = state.timer.nextDeadline
            return (result, after == before ? .none : .some(after))
        }
        if let deadline, let wakeUp = wakeUp.withLock({ $0 }) { wakeUp(deadline) }
        return result
    }
}
