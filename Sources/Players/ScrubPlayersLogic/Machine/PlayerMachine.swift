package import ScrubBase

/// A player's behavior, as a pure state machine. Its inputs are commands, arriving pictures and clock readings; its
/// outputs are presentations and work for the decoding lanes.
///
/// Two lanes alternate: one decodes the current item, the other the beginning of the next, so that there is no gap. Due
/// times follow from one anchor (``TimebaseAnchor``) in exact arithmetic. The owner protects the machine with a lock,
/// and after every call takes the ``effects`` and carries them out in order.
package struct PlayerMachine<Item: Hashable & Sendable, Image: Sendable>: Sendable {
    /// Counts since the machine was created.
    package struct Counters: Sendable, Hashable {
        package var presented = 0
        /// Frames whose preview was shown on time because the exact picture was late.
        package var previews = 0
        /// Frames skipped because their time had passed.
        package var late = 0
        /// Frames skipped by restarting farther on.
        package var jumped = 0
        /// Frames skipped by a stride.
        package var skippedBeforeDecoding = 0
        /// Frames that were due while there was no presenter.
        package var unseen = 0
        package var stalls = 0
        /// Seeks that a newer one replaced before they started.
        package var coalescedSeeks = 0
        /// The maximum delay of a presented frame, in nanoseconds.
        package var worstLateness: Int64 = 0
        /// The maximum delay of an item's first frame, in nanoseconds.
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
    /// The maximum number of frames per second to decode; `nil` for all.
    package var maximumFrameRate: Rational?
    /// When previews stand in for late exact pictures.
    package var previewUse = PreviewUse.never

    /// Whether memory is scarce. While it is, at most two pictures are decoded ahead, and the next item is not decoded
    /// until the current one no longer needs its decoder.
    package internal(set) var isMemoryScarce = false
    package internal(set) var wantsToPlay = false
    package internal(set) var rate = Rational.one
    package internal(set) var isScrubbing = false
    package internal(set) var hasEnded = false
    package internal(set) var isStalled = false

    var current: PlaybackRun<Item, Image>?
    var next: PlaybackRun<Item, Image>?
    var upcoming = MachineUpcoming<Item>.nothing
    /// The anchor, which is set while the playhead moves.
    var anchor: TimebaseAnchor?
    /// The position of the playhead while it does not move, in the current item's time.
    var position = ExactTime(0)
    /// The playback time before that position, while the playhead does not move.
    var played = ExactTime(0)
    /// The time at which the current item should have begun, if its first picture was not available.
    var handOver: (moment: ExactTime, isLate: Bool)?
    var placeholder: FedPicture<Image>?
    var seekUnderway: Int?
    var seekQueued: Seek?
    var stalledSince: Int64?
    /// Whether the current item has ended while the next one's times are not known yet.
    var waitsForUpcoming = false
    /// Whether an item became current and the next one has not yet been requested from the owner.
    var hasUnreportedAdvance = false
    var lastJump: Int64?
    var tickets = 0

    package init(policy: PacePolicy) { self.policy = policy }

    /// Removes and returns the effects to carry out.
    package mutating func takeEffects() -> [MachineEffect<Item>] {
        defer { effects.removeAll() }
        hasUnreportedAdvance = false
        return effects
    }

    /// The playback direction, or the last one before the rate became 0.
    package internal(set) var direction = PlaybackDirection.forward

    /// Whether the playhead moves, or would if pictures were available.
    var isMoving: Bool { anchor != nil }

    /// Whether only missing pictures prevent the playhead from moving.
    var isToMove: Bool { wantsToPlay && rate.numerator != 0 && !isScrubbing && !hasEnded }

    /// Starts the playhead from its current position.
    mutating func startMoving(at moment: ExactTime) {
        guard let current, anchor == nil, isToMove, !isStalled, !current.awaitsFirst else { return }
        anchor = TimebaseAnchor(time: moment, mediaTime: position, rate: rate, played: played)
    }

    /// Stops the playhead at its current position, on the shown frame.
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

    /// Returns a time of the medium, clamped to when the shown frame is on screen.
    private func clamped(_ time: ExactTime, to run: PlaybackRun<Item, Image>) -> ExactTime {
        guard let shown = run.shownFrame else { return time }
        let start = run.times.exact(run.times.start(ofFrame: shown))
        return min(max(time, start), max(start, run.times.exact(run.times.end(ofFrame: shown))))
    }

    /// Returns the n for which every n-th frame is enough at the current rate.
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
    /// The machine's values at one moment.
    package struct Situation: Sendable {
        package var item: Item?
        /// The shown frame.
        package var frame: Int?
        /// The time in the item after its first frame.
        package var mediaTime: ExactTime
        package var isPlaying: Bool
        package var isStalled: Bool
        package var hasEnded: Bool
        /// Whether the first picture after a seek or a start is not available yet.
        package var isWaitingForPicture: Bool
        package var bufferedFrames: Int
        /// The duration of the item that is waiting to be presented.
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

    /// Returns whether there are enough pictures to resume after a stall: three, or 100 ms. A player that gave up
    /// memory resumes with the one that it has; its lane restarts when that is shown.
    func hasEnough(_ run: PlaybackRun<Item, Image>) -> Bool {
        if run.queue.count >= min(3, run.queueLimit) || run.isComplete { return true }
        // At a very slow rate, 100 ms may round to 0 in the medium's time.
        if run.queue.isEmpty { return false }
        if run.parkedFrame != nil { return true }
        return run.bufferedTime >= ExactTime(100_000_000).scaled(by: rate.magnitude)
    }
}
