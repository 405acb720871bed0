internal import ScrubBase

/// A slider's value between a player and a person, as pure logic: moments and touches in, values and wishes out.
struct ProgressCore: Sendable {
    /// An order to the player; orders are carried out in sequence.
    enum Effect: Hashable, Sendable {
        case pause
        case play
        /// A seek to a fraction of the duration; its number is told by ``ProgressCore/sought(_:number:)`` with the same
        /// token.
        case seek(Rational, token: Int)
    }

    /// The holder of the value.
    private enum Holder: Hashable {
        case player
        /// A person, and the seek with this token has no number yet.
        case asked(token: Int)
        /// A person, until the seek with this number is over.
        case landing(number: Int)
    }

    let interval: Int64
    let behavior: ProgressTracker.SeekBehavior
    private(set) var value = ProgressTracker.Value()
    private(set) var isInteracting = false
    private var holder = Holder.player
    private var owesPlay = false
    /// The fraction that a person asked for in this interaction, and the part of it that was sought.
    private var wanted: Rational?
    private var sought: Rational?
    /// The fraction at which the interaction began.
    private var begin: Rational?
    private var token = 0
    /// A seek that waits until the duration is known.
    private var waiting: Rational?

    private var isBound = false
    private var isPlaying = false
    private var isBehind = false
    private var lastPublished: Int64?
    private(set) var nextDeadline: Int64?

    init(interval: Int64, behavior: ProgressTracker.SeekBehavior) {
        (self.interval, self.behavior) = (max(interval, 0), behavior)
    }

    /// The player is at `moment`.
    ///
    /// - Returns: the orders to the player. ``value`` has the value to tell.
    mutating func tick(_ moment: ProgressTracker.Moment, at now: Int64) -> [Effect] {
        isPlaying = moment.isPlaying
        if case .landing(let number) = holder, moment.seek >= number { holder = .player }
        if holder == .player && !isInteracting {
            let new = ProgressTracker.Value(time: moment.time, duration: moment.duration)
            isBehind = new != value || lastPublished == nil
            if isBehind, isFree(at: now) {
                value = new
                (isBehind, lastPublished) = (false, now)
            }
        } else if value.duration != moment.duration, isFree(at: now) {
            // The person's place is a fraction: a duration that is known later moves its time.
            value = ProgressTracker.Value(fraction: value.fraction, duration: moment.duration)
            lastPublished = now
        }
        var effects: [Effect] = []
        if let fraction = waiting, moment.duration > .zero { effects = seek(fraction, duration: moment.duration) }
        plan(at: now)
        return effects
    }

    /// The player is gone; the last told value stays.
    mutating func lostPlayer(at now: Int64) {
        (isBound, owesPlay, waiting, holder) = (false, false, nil, .player)
        plan(at: now)
    }

    /// A person takes the slider.
    mutating func beginInteraction(_ moment: ProgressTracker.Moment?, at now: Int64) -> [Effect] {
        guard !isInteracting else { return [] }
        isInteracting = true
        (wanted, sought) = (nil, nil)
        // A person's place that has not landed yet is where the next drag begins.
        if holder == .player, let moment { value = ProgressTracker.Value(time: moment.time, duration: moment.duration) }
        begin = value.fraction
        owesPlay = moment?.isPlaying ?? false
        plan(at: now)
        return owesPlay ? [.pause] : []
    }

    /// A person moves the slider. Without an interaction it is one of its own that pauses nothing.
    mutating func move(to fraction: Rational, duration: Rational, at now: Int64) -> [Effect] {
        let fraction = min(max(fraction, .zero), .one)
        value = ProgressTracker.Value(fraction: fraction, duration: duration)
        (lastPublished, isBehind) = (now, false)
        wanted = fraction
        defer { plan(at: now) }
        return isInteracting && behavior == .deferred ? [] : seek(fraction, duration: duration)
    }

    /// A person lets go.
    mutating func endInteraction(at now: Int64) -> [Effect] {
        guard isInteracting else { return [] }
        var effects: [Effect] = []
        if let wanted, sought != wanted { effects = seek(wanted, duration: value.duration) }
        return effects + finish(at: now)
    }

    /// The system took the finger away, or the person changed their mind: back to where it began.
    mutating func cancelInteraction(duration: Rational, at now: Int64) -> [Effect] {
        guard isInteracting else { return [] }
        var effects: [Effect] = []
        if let begin, wanted != nil {
            value = ProgressTracker.Value(fraction: begin, duration: duration)
            lastPublished = now
            if sought != nil { effects = seek(begin, duration: duration) }
        }
        return effects + finish(at: now)
    }

    /// Another player takes the place of the present one: that one goes on, the new one is held.
    mutating func bind(_ moment: ProgressTracker.Moment?, at now: Int64) -> (old: [Effect], new: [Effect]) {
        let old: [Effect] = owesPlay ? [.play] : []
        (isBound, holder, sought, waiting) = (moment != nil, .player, nil, nil)
        (isPlaying, lastPublished) = (moment?.isPlaying ?? false, nil)
        owesPlay = isInteracting && isPlaying
        if let moment {
            value =
                isInteracting
                ? ProgressTracker.Value(fraction: value.fraction, duration: moment.duration)
                : ProgressTracker.Value(time: moment.time, duration: moment.duration)
        } else if !isInteracting {
            value = ProgressTracker.Value()
        }
        // What a drag began with is a place of the other player.
        if isInteracting { begin = moment.map { ProgressTracker.Value(time: $0.time, duration: $0.duration).fraction } }
        var new: [Effect] = owesPlay ? [.pause] : []
        if isInteracting, behavior == .immediate, let moment, let wanted {
            new += seek(wanted, duration: moment.duration)
        }
        plan(at: now)
        return (old, new)
    }

    /// The seek with a token has a number; `nil`: there was no player to seek.
    mutating func sought(_ token: Int, number: Int?) {
        guard case .asked(token) = holder else { return }
        holder = number.map { .landing(number: $0) } ?? .player
    }

    /// Returns a place in something whose duration is not known is kept, not lost.
    private mutating func seek(_ fraction: Rational, duration: Rational) -> [Effect] {
        token += 1
        (holder, sought) = (.asked(token: token), fraction)
        waiting = duration > .zero ? nil : fraction
        return duration <= .zero ? [] : [.seek(fraction, token: token)]
    }

    private mutating func finish(at now: Int64) -> [Effect] {
        defer { plan(at: now) }
        defer { (isInteracting, owesPlay, wanted, sought, begin) = (false, false, nil, nil, nil) }
        return owesPlay ? [.play] : []
    }

    private func isFree(at now: Int64) -> Bool {
        guard let lastPublished else { return true }
        let (next, overflow) = lastPublished.addingReportingOverflow(interval)
        return !overflow && now >= next
    }

    /// Decides on the next look at the player.
    private mutating func plan(at now: Int64) {
        guard isBound, interval > 0, !isInteracting, isPlaying || isBehind || holder != .player else {
            nextDeadline = nil
            return
        }
        let base = lastPublished ?? now
        let next = base.addingReportingOverflow(interval)
        let later = now.addingReportingOverflow(interval)
        nextDeadline =
            !next.overflow && next.partialValue > now ? next.partialValue : (later.overflow ? .max : later.partialValue)
    }
}
