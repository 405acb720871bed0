internal import ScrubBase

/// A slider's value between a player and a user, as pure logic: its inputs are moments and touches, its outputs values
/// and orders.
struct ProgressCore: Sendable {
    /// An order to the player. Orders are carried out in sequence.
    enum Effect: Hashable, Sendable {
        case pause
        case play
        /// A seek to a fraction of the duration. Its number is passed to ``ProgressCore/sought(_:number:)`` with the
        /// same token.
        case seek(Rational, token: Int)
    }

    /// Who holds the value.
    private enum Holder: Hashable {
        case player
        /// A user, and the seek with this token has no number yet.
        case asked(token: Int)
        /// A user, until the seek with this number is complete.
        case landing(number: Int)
    }

    let interval: Int64
    let behavior: ProgressTracker.SeekBehavior
    private(set) var value = ProgressTracker.Value()
    private(set) var isInteracting = false
    private var holder = Holder.player
    private var owesPlay = false
    /// The fraction that a user requested in this interaction, and the last one that was sought.
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

    /// Handles the player's state at `moment`.
    ///
    /// - Returns: the orders to the player. ``value`` has the value to report.
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
            // The user's position is a fraction: its time changes when the duration becomes known.
            value = ProgressTracker.Value(fraction: value.fraction, duration: moment.duration)
            lastPublished = now
        }
        var effects: [Effect] = []
        if let fraction = waiting, moment.duration > .zero { effects = seek(fraction, duration: moment.duration) }
        plan(at: now)
        return effects
    }

    /// Handles the release of the player. The last reported value stays.
    mutating func lostPlayer(at now: Int64) {
        (isBound, owesPlay, waiting, holder) = (false, false, nil, .player)
        plan(at: now)
    }

    /// Handles the start of a slider interaction.
    mutating func beginInteraction(_ moment: ProgressTracker.Moment?, at now: Int64) -> [Effect] {
        guard !isInteracting else { return [] }
        isInteracting = true
        (wanted, sought) = (nil, nil)
        // The next drag begins at the user's position, even if it has not landed yet.
        if holder == .player, let moment { value = ProgressTracker.Value(time: moment.time, duration: moment.duration) }
        begin = value.fraction
        owesPlay = moment?.isPlaying ?? false
        plan(at: now)
        return owesPlay ? [.pause] : []
    }

    /// Handles a movement of the slider. Without an interaction, the movement is a separate one that does not pause the
    /// player.
    mutating func move(to fraction: Rational, duration: Rational, at now: Int64) -> [Effect] {
        let fraction = min(max(fraction, .zero), .one)
        value = ProgressTracker.Value(fraction: fraction, duration: duration)
        (lastPublished, isBehind) = (now, false)
        wanted = fraction
        defer { plan(at: now) }
        return isInteracting && behavior == .deferred ? [] : seek(fraction, duration: duration)
    }

    /// Handles the end of a slider interaction.
    mutating func endInteraction(at now: Int64) -> [Effect] {
        guard isInteracting else { return [] }
        var effects: [Effect] = []
        if let wanted, sought != wanted { effects = seek(wanted, duration: value.duration) }
        return effects + finish(at: now)
    }

    /// Handles an interaction that the system or the user cancelled: the value returns to where it began.
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

    /// Replaces the player: the previous one resumes, the new one is paused.
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
        // The drag's starting position belongs to the other player.
        if isInteracting { begin = moment.map { ProgressTracker.Value(time: $0.time, duration: $0.duration).fraction } }
        var new: [Effect] = owesPlay ? [.pause] : []
        if isInteracting, behavior == .immediate, let moment, let wanted {
            new += seek(wanted, duration: moment.duration)
        }
        plan(at: now)
        return (old, new)
    }

    /// Sets the number of the seek with a token; `nil` if there was no player to seek.
    mutating func sought(_ token: Int, number: Int?) {
        guard case .asked(token) = holder else { return }
        holder = number.map { .landing(number: $0) } ?? .player
    }

    /// Returns the orders for a seek. If the duration is not known yet, the position is kept.
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

    /// Schedules the next update from the player.
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
