#if CommandLine
internal import Scrub
internal import ScrubPlayers
internal import ScrubBase

/// Counts the frames that come to a sink, by their numbers and the clock, and hands them on.
///
/// Thread safety: the player calls it from one thread; the counts may be read from any.
final class PlayMeter: FrameSink {
    /// The counts of frames.
    struct Counts: Sendable {
        /// Frames whose time came.
        var presented = 0
        /// Frames that had already existed in one passage through an item.
        var repeated = 0
        /// Frames of which a preview came at their time.
        var previews = 0
        /// Frames, or previews of them, that came within 16.7 ms of their time.
        var inTime = 0
        /// Frames of a passage that never came.
        var skipped = 0
        /// Frames without a picture.
        var blank = 0
        /// Frames whose picture is not the very one.
        var damaged = 0
        /// Passages through items.
        var passages = 0
        /// From an item's last frame to the next one's first, less that frame's time on screen; in nanoseconds of the
        /// machine's clock.
        var worstTransition: Int64 = 0
        /// The greatest lateness of a frame, measured from the first one.
        var worstLateness: Int64 = 0
        /// Items of which something came.
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
        /// Whether of the last frame a preview is shown, which the picture may replace.
        var isPreview = false
    }

    fileprivate struct State {
        var counts = Counts()
        var passage: Passage?
        /// Items that cannot go on. Frames of theirs may come yet: the player knows before the last ones are written.
        var failed: Set<PlayerItem.ID> = []
        var isForward: Bool
        var speed: Rational
        /// The beginning of the first passage, if that is not the item's own beginning.
        var start: Int?
        /// The playhead was moved: the next frame does not follow the last one.
        var hasJumped = false
        /// The time at which the first frame would have come at the time 0 of playing.
        var origin: Int64?
        /// The player's clock stood still: the next frame is late, whatever that clock says.
        var hasStalled = false
        /// Playing was ended: frames that no longer come are not missing.
        var isEnded = false
        var isCancelled = false
        var inner: (any FrameSink)?
    }

    private let state: Locked<State>
    private let frameCount: @Sendable (PlayerItem.ID) -> Int?
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - start: the number of the frame that the first passage begins with; `nil` for the item's first in that
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

    func take(_ frame: PlayerFrame) throws {
        switch frame.kind {
        case .presented: note(frame)
        case .nearest: notePreview(frame)
        case .held, .poster: break
        }
        try state.withLock({ $0.inner })?.take(frame)
    }

    func finish() throws {
        let (inner, isWhole) = state.withLock { state -> ((any FrameSink)?, Bool) in
            if !state.isEnded { state.endPassage() }
            defer { state.inner = nil }
            return (state.inner, !state.isCancelled && state.counts.torn.isEmpty)
        }
        // A file that is not whole gets no name.
        guard isWhole else { throw CancellationError() }
        try inner?.finish()
    }

    /// Ends playing.
    ///
    /// - Parameter isWhole: whether the output has all that was wanted; else nothing gets its final name.
    func end(isWhole: Bool) { state.withLock { ($0.isEnded, $0.isCancelled) = (true, !isWhole) } }

    /// Notes that an item cannot go on.
    func fail(_ item: PlayerItem.ID) {
        state.withLock { state in
            state.failed.insert(item)
            if state.passage?.item == item { state.counts.torn.insert(item) }
        }
    }

    /// Notes that the playhead was moved, or its speed changed: the next frame does not follow the last one.
    func jump(rate: Rational) {
        state.withLock { state in
            (state.hasJumped, state.origin) = (true, nil)
            (state.isForward, state.speed) = (rate > .zero, rate.magnitude)
        }
    }

    /// Notes that the player's clock stood still: lateness is measured again.
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
        let period = (frame.frame.durationSeconds / max(speed.approximation, 1e-9) * 1e9).rounded()
        if let passage, passage.item == frame.item, !begins(number, after: passage) {
            let distance = isForward ? number - passage.last : passage.last - number
            if hasJumped {
                // Nothing is missing between.
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

    /// Counts a frame that is shown as its preview; none between it and the last one is there.
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
        guard let due = Int64(exactly: (playedTime.approximation * 1e9).rounded()) else { return }
        let (offset, overflow) = arrival.subtractingReportingOverflow(due)
        guard !overflow else { return }
        let lateness = max(0, offset - (origin ?? offset))
        if !hasStalled, lateness <= 16_700_000 { counts.inTime += 1 }
        (origin, hasStalled) = (min(origin ?? offset, offset), false)
        counts.worstLateness = max(counts.worstLateness, lateness)
    }
}
#endif
