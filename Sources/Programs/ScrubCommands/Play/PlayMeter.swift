#if CommandLine
internal import Scrub
internal import ScrubPlayers
internal import ScrubBase

/// Counts the frames that arrive at a sink, by number and clock, and passes them on.
///
/// Thread safety: the player calls it from one thread; the counts may be read from any.
final class PlayMeter: FrameSink {
    /// The counts of frames.
    struct Counts: Sendable {
        /// Presented frames.
        var presented = 0
        /// Frames that had already been presented in the same passage through an item.
        var repeated = 0
        /// Frames whose preview was shown at their time.
        var previews = 0
        /// Frames, or their previews, that arrived within 16.7 ms of their time.
        var inTime = 0
        /// Frames of a passage that never arrived.
        var skipped = 0
        /// Frames without a picture.
        var blank = 0
        /// Frames whose picture is not the exact one.
        var damaged = 0
        /// Passages through items.
        var passages = 0
        /// The time from an item's last frame to the next item's first, minus the last frame's time on screen, in
        /// nanoseconds of the machine's clock.
        var worstTransition: Int64 = 0
        /// The maximum lateness of a frame, measured from the first one.
        var worstLateness: Int64 = 0
        /// Items with at least one frame.
        var items: Set<PlayerItem.ID> = []
        /// Items that ended before their last frame.
        var torn: Set<PlayerItem.ID> = []
    }

    /// A passage through an item.
    fileprivate struct Passage {
        let item: PlayerItem.ID
        /// The number of frames; `nil` if it is unknown.
        let frameCount: Int?
        var last: Int
        var arrival: Int64
        /// The duration of the last frame on screen.
        var period: Int64
        /// Whether the last frame is shown as a preview, which the picture may replace.
        var isPreview = false
    }

    fileprivate struct State {
        var counts = Counts()
        var passage: Passage?
        /// Items that cannot continue. More of their frames may still arrive: the player knows before the last ones are
        /// written.
        var failed: Set<PlayerItem.ID> = []
        var isForward: Bool
        var speed: Rational
        /// The start of the first passage, if it is not the item's own start.
        var start: Int?
        /// The playhead was moved: the next frame does not follow the last one.
        var hasJumped = false
        /// The time at which a frame with playback time 0 would have arrived.
        var origin: Int64?
        /// The player's clock stopped: the next frame is late, whatever that clock says.
        var hasStalled = false
        /// Playback was ended: frames that do not arrive any more are not missing.
        var isEnded = false
        var isCancelled = false
        var inner: (any FrameSink)?
    }

    private let state: Locked<State>
    private let frameCount: @Sendable (PlayerItem.ID) -> Int?
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - start: the frame number at which the first passage begins; `nil` for the item's first frame in that
    ///     direction.
    ///   - frameCount: returns the number of an item's frames.
    ///   - now: the clock, in nanoseconds.
    init(
        _ inner: any FrameSink, rate: Rational, start: Int?, frameCount: @escaping @Sendable (PlayerItem.ID) -> Int?,
        now: @escaping @Sendable () -> Int64
    ) {
        state = Locked(State(isForward: rate > .zero, speed: rate.magnitude, start: start, inner: inner))
        (self.frameCount, self.now) = (frameCount, now)
    }

    var counts: Counts { state.withLock { $0.counts } }
    var showsPreviews: Bool { state.withLock { $0.inner?.showsPreviews ?? false } }

    func receive(_ frame: PlayerFrame) throws {
        switch frame.kind {
        case .presented: note(frame)
        case .nearest: notePreview(frame)
        case .held, .poster: break
        }
        try state.withLock({ $0.inner })?.receive(frame)
    }

    func finish() throws {
        let (inner, isWhole) = state.withLock { state -> ((any FrameSink)?, Bool) in
            if !state.isEnded { state.endPassage() }
            defer { state.inner = nil }
            return (state.inner, !state.isCancelled && state.counts.torn.isEmpty)
        }
        // An incomplete file does not get its name.
        guard isWhole else { throw CancellationError() }
        try inner?.finish()
    }

    /// Ends playback.
    ///
    /// - Parameter isWhole: whether the output is complete; otherwise, no file gets its final name.
    func end(isWhole: Bool) { state.withLock { ($0.isEnded, $0.isCancelled) = (true, !isWhole) } }

    /// Records that an item cannot continue.
    func fail(_ item: PlayerItem.ID) {
        state.withLock { state in
            state.failed.insert(item)
            if state.passage?.item == item { state.counts.torn.insert(item) }
        }
    }

    /// Records that the playhead was moved, or its speed changed: the next frame does not follow the last one.
    func jump(rate: Rational) {
        state.withLock { state in
            (state.hasJumped, state.origin) = (true, nil)
            (state.isForward, state.speed) = (rate > .zero, rate.magnitude)
        }
    }

    /// Records that the player's clock stopped: lateness is measured again.
    func stall() { state.withLock { ($0.origin, $0.hasStalled) = (nil, true) } }

    private func notePreview(_ frame: PlayerFrame) {
        let arrival = now()
        state.withLock { $0.notePreview(frame, at: arrival) }
    }

    private func note(_ frame: PlayerFrame) {
        let arrival = now()
        let count = frameCount(frame.item)
        state.withLock { $0.note(frame, at: arrival, frameCount: count) }
    }
}

extension PlayMeter.State {
    fileprivate mutating func note(_ frame: PlayerFrame, at arrival: Int64, frameCount: Int?) {
        let number = frame.frame.number
        counts.presented += 1
        counts.items.insert(frame.item)
        if failed.contains(frame.item) { counts.torn.insert(frame.item) }
        if frame.picture == nil { counts.blank += 1 } else if frame.verdict != .exact { counts.damaged += 1 }
        let replacesPreview = passage.map { $0.isPreview && $0.item == frame.item && $0.last == number } ?? false
        let period = (frame.frame.durationSeconds / max(speed.doubleValue, 1e-9) * 1e9).rounded()
        if let passage, passage.item == frame.item, !begins(number, after: passage) {
            let distance = isForward ? number - passage.last : passage.last - number
            if hasJumped {
                // Nothing is missing in between.
            } else if distance > 0 {
                counts.skipped += distance - 1
            } else if !replacesPreview {
                counts.repeated += 1
            }
            self.passage?.last = number
            self.passage?.isPreview = false
        } else {
            if let passage, !hasJumped, !failed.contains(passage.item) {
                counts.worstTransition = max(counts.worstTransition, arrival - passage.arrival - passage.period)
            }
            endPassage()
            counts.passages += 1
            passage = .init(item: frame.item, frameCount: frameCount, last: number, arrival: arrival, period: 0)
            if !hasJumped { counts.skipped += distanceFromBeginning(number, frameCount) }
            start = nil
        }
        passage?.arrival = arrival
        passage?.period = Int64(exactly: period) ?? 0
        hasJumped = false
        if !replacesPreview { noteLateness(frame.presentationTime, at: arrival) }
    }

    /// Counts a frame that is shown as its preview; there are none between it and the last one.
    fileprivate mutating func notePreview(_ frame: PlayerFrame, at arrival: Int64) {
        counts.previews += 1
        noteLateness(frame.presentationTime, at: arrival)
        let number = frame.frame.number
        guard let passage, passage.item == frame.item, !hasJumped else { return }
        let distance = isForward ? number - passage.last : passage.last - number
        counts.skipped += max(0, distance - 1)
        self.passage?.last = number
        self.passage?.isPreview = true
    }

    /// Whether a frame begins the same item again.
    private func begins(_ number: Int, after passage: PlayMeter.Passage) -> Bool {
        guard !hasJumped, let count = passage.frameCount else { return false }
        return isForward ? passage.last == count - 1 && number == 0 : passage.last == 0 && number == count - 1
    }

    private func distanceFromBeginning(_ number: Int, _ frameCount: Int?) -> Int {
        if isForward { return max(0, number - (start ?? 0)) }
        guard let first = start ?? frameCount.map({ $0 - 1 }) else { return 0 }
        return max(0, first - number)
    }

    /// Counts the missing frames at a passage's end.
    fileprivate mutating func endPassage() {
        guard !hasJumped, let passage, let count = passage.frameCount else { return }
        counts.skipped += max(0, isForward ? count - 1 - passage.last : passage.last)
    }

    private mutating func noteLateness(_ playedTime: Rational, at arrival: Int64) {
        guard let due = Int64(exactly: (playedTime.doubleValue * 1e9).rounded()) else { return }
        let (offset, overflow) = arrival.subtractingReportingOverflow(due)
        guard !overflow else { return }
        let lateness = max(0, offset - (origin ?? offset))
        if !hasStalled, lateness <= 16_700_000 { counts.inTime += 1 }
        (origin, hasStalled) = (min(origin ?? offset, offset), false)
        counts.worstLateness = max(counts.worstLateness, lateness)
    }
}
#endif
