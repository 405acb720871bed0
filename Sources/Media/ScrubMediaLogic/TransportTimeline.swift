internal import ScrubBase

/// The position of a playhead at a moment, as pure arithmetic: it left `anchor` at `anchorNanoseconds`.
struct TransportTimeline: Sendable {
    /// The duration in seconds, in 0...2^32, so that every time on the line fits 64 bits in nanoseconds.
    let duration: Rational
    private(set) var rate = Rational.one
    private(set) var isLooping = false
    private var state = ScrubTransport.State.paused
    private var anchor = Rational.zero
    private var anchorNanoseconds: Int64 = 0

    private static let perSecond: Int64 = 1_000_000_000
    private var line: ClosedRange<Rational> { .zero...duration }

    init(duration: Rational) { self.duration = duration.clamped(to: .zero...Rational(1 << 32)) }

    func moment(at now: Int64) -> ScrubTransport.Moment {
        guard state == .playing, rate != .zero else {
            // A rate of 0 pauses without ending playback.
            return ScrubTransport.Moment(time: anchor, state: state == .playing ? .paused : state)
        }
        // A clock may start below 0, and a bad one may run backward.
        let elapsed = min(max(Int128(now) - Int128(anchorNanoseconds), 0), Int128(Int64.max))
        let time = exactTime(after: elapsed) ?? coarseTime(after: elapsed)
        if isLooping { return ScrubTransport.Moment(time: time, state: .playing) }
        let isOver = rate > .zero ? time >= duration : time <= .zero
        return ScrubTransport.Moment(time: time.clamped(to: line), state: isOver ? .ended : .playing)
    }

    mutating func play(at now: Int64) {
        let moment = settle(at: now)
        if moment.state == .ended { anchor = rate < .zero ? duration : .zero }
        state = .playing
    }

    mutating func pause(at now: Int64) {
        let moment = settle(at: now)
        state = moment.state == .ended ? .ended : .paused
    }

    mutating func seek(to time: Rational, at now: Int64) {
        settle(at: now)
        if state == .ended { state = .paused }
        anchor = time.clamped(to: line)
    }

    mutating func setRate(_ rate: Rational, at now: Int64) {
        settle(at: now)
        self.rate = rate
    }

    mutating func setLooping(_ isLooping: Bool, at now: Int64) {
        settle(at: now)
        self.isLooping = isLooping
    }

    /// Makes `now` the new reference moment, before a change.
    @discardableResult private mutating func settle(at now: Int64) -> ScrubTransport.Moment {
        let moment = moment(at: now)
        (anchor, anchorNanoseconds) = (moment.time, now)
        // Playback at a rate of 0 is reported as paused but not forgotten.
        if moment.state == .ended { state = .ended }
        return moment
    }

    /// Returns the time on the unbounded line, wrapped when looping, or `nil` if it has too many digits.
    private func exactTime(after elapsed: Int128) -> Rational? {
        let gone = Rational(
            reducing: elapsed * Int128(rate.numerator), Int128(Self.perSecond) * Int128(rate.denominator))
        guard let time = gone?.adding(anchor) else { return nil }
        guard isLooping else { return time }
        guard duration > .zero else { return .zero }
        let divisor = Int128(duration.numerator) * Int128(time.denominator)
        let rest = Self.remainder(Int128(time.numerator) * Int128(duration.denominator), divisor)
        return Rational(reducing: rest, Int128(time.denominator) * Int128(duration.denominator))
    }

    /// Returns the same in whole nanoseconds, clamped to the line when not looping.
    private func coarseTime(after elapsed: Int128) -> Rational {
        let gone = Rational.floor(elapsed * Int128(rate.numerator), Int128(rate.denominator))
        let sum = anchor.scaledDown(Self.perSecond) + gone
        let whole = duration.scaledDown(Self.perSecond)
        if isLooping {
            return whole > 0 ? Rational(Int64(Self.remainder(sum, whole)), Self.perSecond) : .zero
        }
        if sum >= whole && rate > .zero { return duration }
        return Rational(Int64(min(max(sum, 0), whole)), Self.perSecond)
    }

    /// Returns the non-negative remainder.
    private static func remainder(_ value: Int128, _ divisor: Int128) -> Int128 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
