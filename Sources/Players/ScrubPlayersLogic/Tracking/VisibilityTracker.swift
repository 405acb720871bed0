internal import ScrubBase
public import ScrubMediaLogic

/// Shows a player's controls when they are wanted, and hides them when they are in the way.
///
/// While the medium plays they go away after a delay that each interaction begins again; when it pauses they are there
/// at once. The value of ``isVisible`` follows from the clock. For ``values()`` to deliver changes, ``tick(now:)`` must
/// be called at ``nextDeadline``, which a player does for the trackers bound to it.
///
/// Thread safety: safe; no thread and no timer of its own.
public final class VisibilityTracker: Sendable {
    private struct State {
        var timer: VisibilityTracker.Timer
        var told: Bool
    }

    /// The time that controls stay while the medium plays.
    public let delay: Duration
    private let clock: any ScrubTransport.Clock
    private let state: Locked<State>
    private let latest: LatestValue<Bool>
    private let wakeUp = Locked<(@Sendable (Int64?) -> Void)?>(nil)

    /// Makes the tracker of a player that does not play yet.
    ///
    /// - Parameters:
    ///   - delay: the time that controls stay while the medium plays; 0 or less: they go away at once.
    ///   - isVisible: whether they are on screen at first.
    ///   - clock: the time to use.
    public init(
        delay: Duration = .seconds(3), isVisible: Bool = true,
        clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()
    ) {
        (self.delay, self.clock) = (delay, clock)
        state = Locked(State(timer: VisibilityTracker.Timer(delay: delay, isVisible: isVisible), told: isVisible))
        latest = LatestValue(isVisible)
    }

    /// Whether the controls are on screen now.
    public var isVisible: Bool {
        get { change { timer, _ in timer.isVisible } }
        set { change { timer, now in timer.set(newValue, at: now) } }
    }

    /// A person taps on the picture: hidden controls come, visible ones go.
    public func toggle() { change { timer, now in timer.toggle(at: now) } }

    /// A person acts on the controls: the delay begins again. Hidden controls stay hidden.
    public func reset() { change { timer, now in timer.reset(at: now) } }

    /// The player does something else now.
    public func playbackChanged(to state: PlaybackState) {
        change { timer, now in timer.playbackChanged(to: state, at: now) }
    }

    /// Returns the present value and each that comes; the newest one is kept for slow readers. It ends with the
    /// tracker.
    ///
    /// - Returns: a sequence of one's own at each call.
    public func values() -> AsyncStream<Bool> { latest.values() }

    /// The time on its clock.
    package var trackerTime: Int64 { clock.nanoseconds }

    /// The time of the next work for ``tick(now:)``, in nanoseconds of the clock; `nil`: not before something else
    /// happens.
    public var nextDeadline: Int64? { state.withLock { $0.timer.nextDeadline } }

    /// Advances the time. Calling it more often than needed does no harm.
    ///
    /// - Parameter now: the clock's nanoseconds.
    public func tick(now: Int64) { change(at: now) { _, _ in } }

    /// Has `changed` called after each change of ``nextDeadline``, outside of all locks.
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
            // With a delay of 0 they go away in the same breath.
            state.timer.advance(to: now)
            if state.timer.isVisible != state.told {
                state.told = state.timer.isVisible
                // In the order in which it happened; it runs no code of others.
                latest.send(state.told)
            }
            let after = state.timer.nextDeadline
            return (result, after == before ? .none : .some(after))
        }
        if let deadline, let wakeUp = wakeUp.withLock({ $0 }) { wakeUp(deadline) }
        return result
    }
}
