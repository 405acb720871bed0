public import ScrubBase
public import ScrubMediaLogic

/// Follows a player's playhead at a rate of its own, and lets a slider move it.
///
/// Several trackers may follow one player, each at its rate. While a person moves the slider the person's value holds,
/// and after that until the player has arrived there: the slider never jumps back. The player is held weakly.
///
/// ```swift
/// let progress = ProgressTracker(interval: .milliseconds(250))
/// try progress.bind(to: player)
/// for await value in progress.values() { slider.position = value.fraction }
/// ```
///
/// It has no timer: the player that it is bound to calls ``tick(now:)`` at ``nextDeadline`` and when something else has
/// changed.
///
/// Thread safety: safe. The player is called outside of its locks.
public final class ProgressTracker: Sendable {
    /// The moment at which a moved slider moves the playhead.
    public enum SeekBehavior: Sendable, Hashable {
        /// With each movement.
        case immediate
        /// Seeks when the slider is let go.
        case deferred
    }

    /// A place of the playhead.
    ///
    /// Thread safety: a value.
    public struct Value: Sendable, Hashable {
        /// The place as a fraction of the duration, in 0...1; 0 when that is not known.
        public let fraction: Rational
        /// Seconds after the first frame.
        public let time: Rational
        /// Seconds that the item lasts; 0 when that is not known.
        public let duration: Rational

        /// The beginning of something whose duration is not known.
        init() { (fraction, time, duration) = (.zero, .zero, .zero) }

        init(time: Rational, duration: Rational) {
            let duration = max(duration, .zero)
            self.duration = duration
            self.time = duration > .zero ? min(max(time, .zero), duration) : max(time, .zero)
            fraction = duration > .zero ? Self.quotient(self.time, duration) : .zero
        }

        init(fraction: Rational, duration: Rational) {
            self.fraction = fraction
            self.duration = max(duration, .zero)
            time = Self.product(fraction, self.duration)
        }

        /// Exact where 64 bits suffice, else rounded down to 1/2^40.
        private static func quotient(_ time: Rational, _ duration: Rational) -> Rational {
            if let fraction = time.divided(by: duration) { return fraction }
            let whole = duration.scaledDown(1 << 20)
            return whole > 0 ? Rational(Int64(min((time.scaledDown(1 << 20) << 40) / whole, 1 << 40)), 1 << 40) : .zero
        }

        /// Exact where 64 bits suffice, else rounded down to a nanosecond.
        private static func product(_ fraction: Rational, _ duration: Rational) -> Rational {
            if let time = fraction.multiplied(by: duration) { return time }
            let nanoseconds = fraction.scaledDown(1 << 30) * duration.scaledDown(1_000_000_000) >> 30
            return Int64(exactly: nanoseconds).flatMap { Rational(checked: $0, 1_000_000_000) } ?? duration
        }
    }

    private struct State {
        var core: ProgressCore
        weak var source: (any ProgressTracker.Source)?
        /// Counts the players that it was bound to: late words of an earlier one are not taken.
        var binding = 0
        var wakeUp: (@Sendable (Int64?) -> Void)?
    }

    /// The least time between two values that it tells.
    public let interval: Duration
    /// The moment at which a moved slider moves the playhead.
    public let seekBehavior: SeekBehavior
    private let clock: any ScrubTransport.Clock
    private let state: Locked<State>
    private let latest = LatestValue(Value())

    /// Makes a tracker that is bound to nothing.
    ///
    /// - Parameters:
    ///   - interval: the least time between two values that it tells; a person's own are told at once. 0 or less: no
    ///     such limit.
    ///   - seekBehavior: the moment at which a moved slider moves the playhead.
    ///   - clock: the time to use.
    public init(
        interval: Duration, seekBehavior: SeekBehavior = .immediate,
        clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()
    ) {
        (self.interval, self.seekBehavior, self.clock) = (interval, seekBehavior, clock)
        state = Locked(State(core: ProgressCore(interval: interval.wholeNanoseconds, behavior: seekBehavior)))
    }

    /// The value that was told last, or the person's.
    public var value: Value { state.withLock { $0.core.value } }

    /// The place as a fraction of the duration. Setting it is the person's movement: within an interaction as
    /// ``seekBehavior`` says, without one the player seeks at once.
    ///
    /// A value that is set is cut to 0...1.
    public var fraction: Rational {
        get { value.fraction }
        set {
            let duration = moment?.moment.duration
            perform { core, now in core.move(to: newValue, duration: duration ?? core.value.duration, at: now) }
        }
    }

    /// Seconds after the first frame. Setting them is as setting ``fraction``; without a known duration it does
    /// nothing.
    public var time: Rational {
        get { value.time }
        set {
            guard let duration = moment?.moment.duration ?? value.duration as Rational?, duration > .zero else {
                return
            }
            fraction = Value(time: newValue, duration: duration).fraction
        }
    }

    /// Whether a person has the slider in hand.
    ///
    /// At `true` the player is paused if it plays. At `false` it seeks to the last place that it was not sent to yet,
    /// and goes on if it was paused for this. A player that was paused before stays paused.
    public var isInteracting: Bool {
        get { state.withLock { $0.core.isInteracting } }
        set {
            if newValue {
                let moment = moment?.moment
                perform { core, now in core.beginInteraction(moment, at: now) }
            } else {
                perform { core, now in core.endInteraction(at: now) }
            }
        }
    }

    /// Lets the slider go without having moved it: the player returns to where it was, and goes on if it was paused for
    /// this.
    public func cancelInteraction() {
        let duration = moment?.moment.duration
        perform { core, now in core.cancelInteraction(duration: duration ?? core.value.duration, at: now) }
    }

    /// Follows another player from now on, until ``unbind()``.
    ///
    /// While a person has the slider in hand, the player before goes on if it was paused for that, and the new one is
    /// paused. The person's fraction holds for the new one.
    public func bind(to source: any ProgressTracker.Source) {
        if source !== state.withLock({ $0.source }) { follow(source) }
    }

    /// Follows no player from now on: the value is that of nothing, or the person's while it has the slider in hand. A
    /// player that was paused for that goes on.
    public func unbind() {
        follow(nil)
        // What drove it releases the player.
        onDeadlineChange(nil)
    }

    private func follow(_ source: (any ProgressTracker.Source)?) {
        let moment = source?.progressMoment
        let (old, effects, binding, deadline) = state.withLock { state in
            let old = state.source
            let effects = state.core.bind(moment, at: clock.nanoseconds)
            state.binding += 1
            state.source = source
            latest.send(state.core.value)
            return (old, effects, state.binding, state.wakeUp.map { ($0, state.core.nextDeadline) })
        }
        run(effects.old, on: old, binding: nil)
        run(effects.new, on: source, binding: binding)
        deadline?.0(deadline?.1)
        tick(now: clock.nanoseconds)
    }

    /// Returns the present value and each that comes; the newest one is kept for slow readers. It ends with the
    /// tracker.
    ///
    /// - Returns: a sequence of one's own at each call.
    public func values() -> AsyncStream<Value> { latest.values() }

    /// The time on its clock.
    package var trackerTime: Int64 { clock.nanoseconds }

    /// The time of the next work for ``tick(now:)``, in nanoseconds of the clock; `nil`: not before the player changes.
    public var nextDeadline: Int64? { state.withLock { $0.core.nextDeadline } }

    /// Looks at the player. Calling it more often than needed does no harm.
    ///
    /// - Parameter now: the clock's nanoseconds.
    public func tick(now: Int64) {
        guard let (moment, binding) = moment else {
            return perform { core, now in
                core.lostPlayer(at: now)
                return []
            }
        }
        perform(at: now, binding: binding) { core, now in
            core.tick(moment, at: now)
        }
    }

    /// Has `changed` called after changes of ``nextDeadline``, outside of all locks.
    package func onDeadlineChange(_ changed: (@Sendable (Int64?) -> Void)?) {
        state.withLock { $0.wakeUp = changed }
        changed?(nextDeadline)
    }

    /// The state of the player, and its identity. The player is asked outside of the lock.
    private var moment: (moment: ProgressTracker.Moment, binding: Int)? {
        let (source, binding) = state.withLock { ($0.source, $0.binding) }
        return source.map { ($0.progressMoment, binding) }
    }

    /// - Parameter binding: nothing happens when another player has taken its place.
    private func perform(
        at now: Int64? = nil, binding: Int? = nil, _ body: (inout ProgressCore, Int64) -> [ProgressCore.Effect]
    ) {
        let (source, effects, current, deadline) = state.withLock {
            state -> (
                (any ProgressTracker.Source)?, [ProgressCore.Effect], Int, (@Sendable (Int64?) -> Void, Int64?)?
            ) in
            guard binding == nil || binding == state.binding else { return (nil, [], 0, nil) }
            let before = (state.core.nextDeadline, state.core.value)
            let effects = body(&state.core, now ?? clock.nanoseconds)
            // In the order in which it happened; it runs no code of others.
            if state.core.value != before.1 { latest.send(state.core.value) }
            let after = state.core.nextDeadline
            return (
                state.source, effects, state.binding, after == before.0 ? nil : state.wakeUp.map { ($0, after) }
            )
        }
        run(effects, on: source, binding: current)
        deadline?.0(deadline?.1)
    }

    private func run(_ effects: [ProgressCore.Effect], on source: (any ProgressTracker.Source)?, binding: Int?) {
        for effect in effects {
            switch effect {
            case .pause: source?.pause()
            case .play: source?.play()
            case .seek(let fraction, let token):
                let number = source.map {
                    $0.beginSeek(to: Value(fraction: fraction, duration: $0.progressMoment.duration).time)
                }
                state.withLock { if $0.binding == binding { $0.core.sought(token, number: number) } }
            }
        }
    }
}
