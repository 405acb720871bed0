public import ScrubBase

/// A playhead that moves by a clock, as a player's transport does, without the player.
///
/// It has no timer. Its place, and whether it has arrived at the end, follow from the clock whenever it is asked,
/// exactly: times are ratios in seconds. They are rounded to nanoseconds only where they would not fit 64 bits.
///
/// Thread safety: safe; each call is one step under a lock of its own, which is not held while others run.
public final class ScrubTransport: Sendable {
    /// The state of the transport.
    public enum State: Hashable, Sendable {
        /// It stands still, because it was told to or at a rate of 0.
        case paused
        /// It moves.
        case playing
        /// It has arrived at the end, or at the beginning when it played backward.
        case ended
    }

    /// Place and state at one and the same moment.
    public struct Moment: Hashable, Sendable {
        /// Seconds, in 0...duration.
        public let time: Rational
        /// The state of the transport.
        public let state: State
    }

    /// Seconds from the beginning to the end.
    public let duration: Rational
    private let clock: any ScrubTransport.Clock
    private let timeline: Locked<TransportTimeline>

    /// Makes a transport that is paused at the beginning.
    ///
    /// - Parameters:
    ///   - duration: seconds, cut to 0...2^32: a file's header may say anything.
    ///   - clock: the time to use.
    public init(duration: Rational, clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()) {
        let timeline = TransportTimeline(duration: duration)
        self.duration = timeline.duration
        self.clock = clock
        self.timeline = Locked(timeline)
    }

    /// The place and the state now.
    public var now: Moment { read { timeline, now in timeline.moment(at: now) } }
    /// Seconds from the beginning, in 0...duration.
    public var currentTime: Rational { now.time }
    /// The current time as a fraction of the duration in 0...1; 0 for a medium without duration.
    public var fraction: Rational {
        let time = currentTime
        if let fraction = time.divided(by: duration) { return fraction }
        let whole = duration.scaledDown(1_000_000_000)
        guard whole > 0 else { return .zero }
        return Rational(Int64((time.scaledDown(1_000_000_000) << 40) / whole), 1 << 40)
    }
    /// The present state of the transport.
    public var state: State { now.state }
    /// Whether the time moves.
    public var isPlaying: Bool { state == .playing }

    /// Seconds of the medium in one second of the clock, 1 at first.
    ///
    /// Below 0 it plays backward. At 0 it stands still and counts as paused; another rate lets it go on if it was
    /// playing.
    public var rate: Rational {
        get { read { timeline, _ in timeline.rate } }
        set { change { timeline, now in timeline.setRate(newValue, at: now) } }
    }

    /// Whether playback goes on from the other end when it arrives at one.
    public var isLooping: Bool {
        get { read { timeline, _ in timeline.isLooping } }
        set { change { timeline, now in timeline.setLooping(newValue, at: now) } }
    }

    /// Plays from here, or from the other end after it has ended.
    public func play() { change { timeline, now in timeline.play(at: now) } }

    /// Stops here. A playback that has ended stays ended.
    public func pause() { change { timeline, now in timeline.pause(at: now) } }

    /// Goes to `time` in seconds, cut to 0...duration, and plays on if it is playing. A playback that had ended is
    /// paused there.
    public func seek(to time: Rational) { change { timeline, now in timeline.seek(to: time, at: now) } }

    /// Goes to a fraction of the duration, cut to 0...1.
    public func seek(toFraction fraction: Rational) {
        let fraction = fraction.clamped(to: .zero ... .one)
        if let time = fraction.multiplied(by: duration) { return seek(to: time) }
        // 2^32 seconds are below 2^62 ns; with 40 bits of the fraction that is within 128.
        let nanoseconds = (fraction.scaledDown(1 << 40) * duration.scaledDown(1_000_000_000)) >> 40
        seek(to: Rational(Int64(nanoseconds), 1_000_000_000))
    }

    /// Carries out a gesture's action.
    public func apply(_ action: ScrubTransport.Action) {
        switch action {
        case .pause: pause()
        case .resume: play()
        }
    }

    /// Does all that a gesture asks, in its order: the seek, then the action.
    public func apply(_ actions: ScrubGesture.Actions) {
        if let target = actions.target { seek(toFraction: target) }
        if let action = actions.transport { apply(action) }
    }

    // The clock is read under the lock: so two threads never see the time run backward.
    private func read<R>(_ body: (TransportTimeline, Int64) -> R) -> R {
        timeline.withLock { body($0, clock.nanoseconds) }
    }

    private func change(_ body: (inout TransportTimeline, Int64) -> Void) {
        timeline.withLock { body(&$0, clock.nanoseconds) }
    }
}
