package import ScrubBase

/// A player's behaviour, as a pure state machine. Commands, pictures that arrive and looks at the clock go in;
/// presentations and work for the decoding lanes come out.
///
/// Two lanes take turns: one decodes the current item, the other the beginning of the next, so that nothing is blank
/// between them. Due times follow from one anchor (``PaceAnchor``) in exact arithmetic. The owner keeps it behind a
/// lock, and after every call takes the ``effects`` and does them in order.
package struct PlayerMachine<Item: Hashable & Sendable, Image: Sendable>: Sendable {
    /// Counts since the beginning.
    package struct Counters: Sendable, Hashable {
        package var presented = 0
        /// Frames whose preview was shown at their time, because the exact picture was late.
        package var previews = 0
        /// Left out because their time had passed.
        package var late = 0
        /// Left out by beginning again further on.
        package var jumped = 0
        /// Left out by a stride.
        package var skippedBeforeDecoding = 0
        /// Due while no presenter took frames.
        package var unseen = 0
        package var stalls = 0
        /// Seeks that a newer one replaced before they began.
        package var coalescedSeeks = 0
        /// The latest that a frame was presented after its time, in nanoseconds.
        package var worstLateness: Int64 = 0
        /// The longest wait for an item's first frame after the time for it, in nanoseconds.
        package var worstTransition: Int64 = 0
    }

    struct Seek: Sendable {
        var number: Int
        var frame: Int
        var time: ExactTime?
    }

    package internal(set) var effects: [MachineEffect<Item>] = []
    package internal(set) var counters = Counters()
    package let policy: PacePolicy
    package var actionAtItemEnd = ActionAtItemEnd.advance
    /// More frames a second than this are not decoded; `nil` for all.
    package var maximumFrameRate: Rational?
    /// When previews stand for exact pictures that are late.
    package var previewUse = PreviewUse.never

    /// While memory is scarce two pictures are ahead at most. The next item is not decoded before the current one has
    /// no need of its decoder.
    package internal(set) var isMemoryScarce = false
    package internal(set) var wantsToPlay = false
    package internal(set) var rate = Rational.one
    package internal(set) var isScrubbing = false
    package internal(set) var hasEnded = false
    package internal(set) var isStalled = false

    var current: MachineRun<Item, Image>?
    var next: MachineRun<Item, Image>?
    var upcoming = MachineUpcoming<Item>.nothing
    /// There while the playhead moves.
    var anchor: PaceAnchor?
    /// The place of the playhead while it does not move, in the current item's time.
    var position = ExactTime(0)
    /// The time that was played before it, while it does not move.
    var played = ExactTime(0)
    /// The time at which the current item should have come, if its first picture was not there.
    var handOver: (moment: ExactTime, isLate: Bool)?
    var placeholder: FedPicture<Image>?
    var seekUnderway: Int?
    var seekQueued: Seek?
    var stalledSince: Int64?
    /// The current item is over, and the next one's times are not known yet.
    var waitsForUpcoming = false
    /// Whether an item has taken another one's place, and the owner was not asked yet for the item after it.
    var hasUnreportedAdvance = false
    var lastJump: Int64?
    var tickets = 0

    package init(policy: PacePolicy) { self.policy = policy }

    /// Takes the effects to carry out.
    package mutating func takeEffects() -> [MachineEffect<Item>] {
        defer { effects.removeAll() }
        hasUnreportedAdvance = false
        return effects
    }

    /// Which way it plays, or played before it stood still at a rate of 0.
    package internal(set) var direction = PlaybackDirection.forward

    /// Whether the playhead moves, or would if pictures came.
    var isMoving: Bool { anchor != nil }

    /// Whether nothing but pictures keeps the playhead from moving.
    var isToMove: Bool { wantsToPlay && rate.numerator != 0 && !isScrubbing && !hasEnded }

    /// Lets the playhead go, from where it is.
    mutating func startMoving(at moment: ExactTime) {
        guard let current, anchor == nil, isToMove, !isStalled, !current.awaitsFirst else { return }
        anchor = PaceAnchor(time: moment, mediaTime: position, rate: rate, played: played)
    }

    /// Stops the playhead where it is, on the frame that is shown.
    mutating func stopMoving(at now: Int64) {
        guard let anchor, let current else { return }
        stopMoving(on: clamped(anchor.mediaTime(at: now), to: current))
    }

    mutating func stopMoving(on mediaTime: ExactTime) {
        guard let anchor else { return }
        played = anchor.played(at: mediaTime)
        position = mediaTime
        self.anchor = nil
    }

    /// Returns a time of the medium while the shown frame is on screen.
    private func clamped(_ time: ExactTime, to run: MachineRun<Item, Image>) -> ExactTime {
        guard let shown = run.shownFrame else { return time }
        let start = run.times.exact(run.times.start(ofFrame: shown))
        return min(max(time, start), max(start, run.times.exact(run.times.end(ofFrame: shown))))
    }

    /// Returns the n for which every n-th frame is enough, at the present rate.
    func stride(for times: any FrameTimes) -> Int {
        guard let maximumFrameRate, maximumFrameRate > .zero, policy == .drop, rate.numerator != 0 else { return 1 }
        let end = times.end(ofFrame: times.frameCount - 1)
        // frames / seconds * |rate| / maximum
        guard let duration = Rational(checked: max(1, end), 1)?.multiplied(by: times.timeBase),
            let frames = Rational(checked: Int64(times.frameCount), 1)?.multiplied(by: rate.magnitude),
            let wanted = frames.divided(by: duration)?.divided(by: maximumFrameRate)
        else { return 1 }
        return max(1, Int(clamping: -Rational.floor(-Int128(wanted.numerator), Int128(wanted.denominator))))
    }
}

extension PlayerMachine {
    /// Its values at one moment.
    package struct Situation: Sendable {
        package var item: Item?
        /// The frame that is shown.
        package var frame: Int?
        /// Time of the item after its first frame.
        package var mediaTime: ExactTime
        package var isPlaying: Bool
        package var isStalled: Bool
        package var hasEnded: Bool
        /// The first picture after a seek or a start is not there yet.
        package var isWaitingForPicture: Bool
        package var bufferedFrames: Int
        /// Time of the item that waits to be presented.
        package var bufferedTime: ExactTime
        package var isLikelyToKeepUp: Bool
    }

    package func situation(at now: Int64) -> Situation {
        let time = anchor.map { anchor in
            current.map { clamped(anchor.mediaTime(at: now), to: $0) } ?? position
        }
        let likely = current.map { run in
            !isStalled && hasEnough(run)
        }
        return Situation(
            item: current?.item, frame: current?.shownFrame, mediaTime: time ?? position,
            isPlaying: wantsToPlay && rate.numerator != 0 && !hasEnded, isStalled: isStalled, hasEnded: hasEnded,
            isWaitingForPicture: current?.awaitsFirst ?? false, bufferedFrames: current?.queue.count ?? 0,
            bufferedTime: current?.bufferedTime ?? ExactTime(0), isLikelyToKeepUp: likely ?? false)
    }

    /// Enough pictures to go on after a stall: three, or 100 ms. A player that gave way goes on with the one that it
    /// has: its lane starts again when that is shown.
    func hasEnough(_ run: MachineRun<Item, Image>) -> Bool {
        if run.queue.count >= min(3, run.queueLimit) || run.isComplete { return true }
        // At a very slow rate 100 ms may round to no time of the medium at all.
        if run.queue.isEmpty { return false }
        if run.parkedFrame != nil { return true }
        return run.bufferedTime >= ExactTime(100_000_000).scaled(by: rate.magnitude)
    }
}
