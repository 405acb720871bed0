public import ScrubBase
public import ScrubMediaLogic

/// A tracker that follows a player's playhead at a given interval, and lets a slider move it.
///
/// Several trackers may follow one player, each at its own interval. While a user moves the slider, and until the
/// player has reached the slider's position, the tracker reports that position, so the slider never jumps back. The
/// tracker holds the player weakly.
///
/// ```swift
/// let progress = ProgressTracker(interval: .milliseconds(250))
/// try progress.bind(to: player)
/// for await value in progress.values() { slider.position = value.fraction }
/// ```
///
/// The tracker has no timer. The player that it is bound to calls ``tick(now:)`` at ``nextDeadline``, and whenever the
/// player's state changes.
///
/// Thread safety: safe from any thread. The tracker holds no locks while it calls the player.
public final class ProgressTracker: Sendable {
    /// When the playhead follows the slider.
    public enum SeekBehavior: Sendable, Hashable {
        /// Seeks with each movement.
        case immediate
        /// Seeks when the slider is released.
        case deferred
    }

    /// A position of the playhead.
    ///
    /// Thread safety: a value type.
    public struct Value: Sendable, Hashable {
        /// The position as a fraction of the duration, in 0...1; 0 if the duration is not known.
        public let fraction: Rational
        /// Seconds after the first frame.
        public let time: Rational
        /// The item's duration in seconds; 0 if it is not known.
        public let duration: Rational

        /// Creates a value at the beginning, with an unknown duration.
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

        /// Returns the quotient, exact if 64 bits suffice, and otherwise rounded down to 1/2^40.
        private static func quotient(_ time: Rational, _ duration: Rational) -> Rational {
            if let fraction = time.divided(by: duration) { return fraction }
            let whole = duration.scaledDown(1 << 20)
            return whole > 0 ? Rational(Int64(min((time.scaledDown(1 << 20) << 40) / whole, 1 << 40)), 1 << 40) : .zero
        }

        /// Returns the product, exact if 64 bits suffice, and otherwise rounded down to a nanosecond.
        private static func product(_ fraction: Rational, _ duration: Rational) -> Rational {
            if let time = fraction.multiplied(by: duration) { return time }
            let nanoseconds = fraction.scaledDown(1 << 30) * duration.scaledDown(1_000_000_000) >> 30
            return Int64(exactly: nanoseconds).flatMap { Rational(checked: $0, 1_000_000_000) } ?? duration
        }
    }

    private struct State {
        var core: ProgressCore
        weak var source: (any ProgressTracker.Source)?
        /// The number of players that it was bound to, so that late reports of an earlier one are ignored.
        var binding = 0
        var wakeUp: (@Sendable (Int64?) -> Void)?
    }

    /// The minimum time between two reported values.
    public let interval: Duration
    /// When the playhead follows the slider.
    public let seekBehavior: SeekBehavior
    private let clock: any ScrubTransport.Clock
    private let state: Locked<State>
    private let latest = LatestValue(Value())

    /// Creates a tracker that is not bound to a player.
    ///
    /// - Parameters:
    ///   - interval: the minimum time between two reported values; 0 or less means no limit. Values that a user sets
    ///     are reported immediately.
    ///   - seekBehavior: when the playhead follows the slider.
    ///   - clock: the clock to use.
    public init(
        interval: Duration, seekBehavior: SeekBehavior = .immediate,
        clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()
    ) {
        (self.interval, self.seekBehavior, self.clock) = (interval, seekBehavior, clock)
        state = Locked(State(core: ProgressCore(interval: interval.wholeNanoseconds, behavior: seekBehavior)))
    }

    /// The most recently reported value, which may be one that a user set.
    public var value: Value { state.withLock { $0.core.value } }

    /// The position as a fraction of the duration. Setting the fraction counts as a movement of the slider by a user.
    /// During an interaction, ``seekBehavior`` applies; otherwise, the player seeks immediately.
    ///
    /// A new value is clamped to 0...1.
    public var fraction: Rational {
        get { value.fraction }
        set {
            let duration = moment?.moment.duration
            perform { core, now in core.move(to: newValue, duration: duration ?? core.value.duration, at: now) }
        }
    }

    /// Seconds after the first frame. Setting the time works like setting ``fraction``; it has no effect if the
    /// duration is not known.
    public var time: Rational {
        get { value.time }
        set {
            guard let duration = moment?.moment.duration ?? value.duration as Rational?, duration > .zero else {
                return
            }
            fraction = Value(time: newValue, duration: duration).fraction
        }
    }

    /// Whether a user is dragging the slider.
    ///
    /// Setting this property to `true` pauses the player if it is playing. Setting it to `false` seeks to the slider's
    /// last position, unless that seek was already started, and resumes playback if it was paused for the drag. A
    /// player that was already paused stays paused.
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

    /// Cancels the drag. The player returns to the position at which the drag began, and resumes if it was paused for
    /// the drag.
    public func cancelInteraction() {
        let duration = moment?.moment.duration
        perform { core, now in core.cancelInteraction(duration: duration ?? core.value.duration, at: now) }
    }

    /// Follows a player until ``unbind()`` is called. Any previous player is no longer followed.
    ///
    /// If a user is dragging the slider, the previous player resumes if it was paused for the drag, and the new player
    /// is paused. The slider's fraction is kept, and applies to the new player.
    public func bind(to source: any ProgressTracker.Source) {
        if source !== state.withLock({ $0.source }) { follow(source) }
    }

    /// Stops following the player. The value becomes zero, with an unknown duration; during a drag, it stays at the
    /// slider's position. A player that was paused for the drag resumes.
    public func unbind() {
        follow(nil)
        // Its driver releases the player.
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

    /// Returns a sequence of the current value and all later values, in order. A slow reader misses values, but always
    /// gets the newest one. The sequence ends when the tracker is released, or when a task is cancelled while it waits
    /// for the next value.
    ///
    /// - Returns: a new sequence on each call.
    public func values() -> ProgressTracker.Values { ProgressTracker.Values(reader: latest.values()) }

    /// The time on its clock.
    package var trackerTime: Int64 { clock.nanoseconds }

    /// The time at which ``tick(now:)`` must be called next, in nanoseconds of the clock; `nil` if it need not be
    /// called until the player changes.
    public var nextDeadline: Int64? { state.withLock { $0.core.nextDeadline } }

    /// Updates the tracker from the player. Calling this method more often than needed is harmless.
    ///
    /// - Parameter now: the clock's time in nanoseconds.
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

    /// Calls `changed` after changes of ``nextDeadline``, without holding locks.
    package func onDeadlineChange(_ changed: (@Sendable (Int64?) -> Void)?) {
        state.withLock { $0.wakeUp = changed }
        changed?(nextDeadline)
    }

    /// The state of the player, with the number of its binding. The player is called outside the lock.
    private var moment: (moment: ProgressTracker.Moment, binding: Int)? {
        let (source, binding) = state.withLock { ($0.source, $0.binding) }
        return source.map { ($0.progressMoment, binding) }
    }

    /// Carries out orders.
    ///
    /// - Parameter binding: the number of the binding. The call has no effect if another player has replaced it.
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
            // In order of occurrence. It does not run callers' code.
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
                    $0.startSeek(to: Value(fraction: fraction, duration: $0.progressMoment.duration).time)
                }
                state.withLock { if $0.binding == binding { $0.core.sought(token, number: number) } }
            }
        }
    }
}
