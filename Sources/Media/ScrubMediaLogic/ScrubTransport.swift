public import ScrubBase

/// A playhead driven by a clock, like a player's transport without the player.
///
/// It has no timer. Each call uses the clock to compute the exact position and whether the end has been reached. Times
/// are ratios in seconds, rounded to nanoseconds only if they would not fit in 64 bits.
///
/// Thread safety: safe from any thread. Each call is atomic under an internal lock, which is not held while calling
/// other code.
public final class ScrubTransport: Sendable {
    /// The state of the transport.
    public enum State: Hashable, Sendable {
        /// The playhead is not moving, because it was paused or the rate is 0.
        case paused
        /// The playhead is moving.
        case playing
        /// The playhead has reached the end, or the beginning when playing backward.
        case ended
    }

    /// A snapshot of the position and the state.
    public struct Moment: Hashable, Sendable {
        /// The position in seconds, in 0...duration.
        public let time: Rational
        /// The state of the transport.
        public let state: State
    }

    /// The duration in seconds.
    public let duration: Rational
    private let clock: any ScrubTransport.Clock
    private let timeline: Locked<TransportTimeline>

    /// Creates a transport that is paused at the beginning.
    ///
    /// - Parameters:
    ///   - duration: the duration in seconds, clamped to 0...2^32, because a file's header can contain any value.
    ///   - clock: the clock to use.
    public init(duration: Rational, clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()) {
        let timeline = TransportTimeline(duration: duration)
        self.duration = timeline.duration
        self.clock = clock
        self.timeline = Locked(timeline)
    }

    /// The current position and state.
    public var now: Moment { read { timeline, now in timeline.moment(at: now) } }
    /// The current time in seconds, in 0...duration.
    public var currentTime: Rational { now.time }
    /// The current time as a fraction of the duration in 0...1; 0 if the duration is 0.
    public var fraction: Rational {
        let time = currentTime
        if let fraction = time.divided(by: duration) { return fraction }
        let whole = duration.scaledDown(1_000_000_000)
        guard whole > 0 else { return .zero }
        return Rational(Int64((time.scaledDown(1_000_000_000) << 40) / whole), 1 << 40)
    }
    /// The current state.
    public var state: State { now.state }
    /// Whether the playhead is moving.
    public var isPlaying: Bool { state == .playing }

    /// Seconds of the medium per second of the clock. Initially 1.
    ///
    /// A negative rate plays backward. At 0, the playhead does not move and the state is ``State/paused``. Setting
    /// another rate resumes playback if the transport was playing before.
    public var rate: Rational {
        get { read { timeline, _ in timeline.rate } }
        set { change { timeline, now in timeline.setRate(newValue, at: now) } }
    }

    /// Whether playback continues from the opposite end when it reaches the end, or the beginning when playing
    /// backward.
    public var isLooping: Bool {
        get { read { timeline, _ in timeline.isLooping } }
        set { change { timeline, now in timeline.setLooping(newValue, at: now) } }
    }

    /// Plays from the current position, or from the opposite end if playback has ended.
    public func play() { change { timeline, now in timeline.play(at: now) } }

    /// Pauses at the current position. If playback has ended, the state stays ``State/ended``.
    public func pause() { change { timeline, now in timeline.pause(at: now) } }

    /// Seeks to `time` in seconds, clamped to 0...duration. If the transport is playing, it continues to play. If
    /// playback had ended, the transport is paused at the new position.
    public func seek(to time: Rational) { change { timeline, now in timeline.seek(to: time, at: now) } }

    /// Seeks to a fraction of the duration, clamped to 0...1.
    public func seek(toFraction fraction: Rational) {
        let fraction = fraction.clamped(to: .zero ... .one)
        if let time = fraction.multiplied(by: duration) { return seek(to: time) }
        // 2^32 seconds are below 2^62 ns; with 40 bits of the fraction that fits in 128.
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

    /// Carries out a gesture's actions in order: the seek, then the transport action.
    public func apply(_ actions: ScrubGesture.Actions) {
        if let target = actions.target { seek(toFraction: target) }
        if let action = actions.transport { apply(action) }
    }

    // The clock is read under the lock, so that two threads never see the time run backward.
    private func read<R>(_ body: (TransportTimeline, Int64) -> R) -> R {
        timeline.withLock { body($0, clock.nanoseconds) }
    }

    private func change(_ body: (inout TransportTimeline, Int64) -> Void) {
        timeline.withLock { body(&$0, clock.nanoseconds) }
    }
}
