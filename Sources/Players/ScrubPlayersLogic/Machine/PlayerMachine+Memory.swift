// Decoding ahead while memory is scarce.
extension PlayerMachine {
    /// Sets whether memory is scarce.
    ///
    /// It frees the pictures prepared for the next item. From now on, only two pictures of the current item are decoded
    /// ahead. Pictures beyond that are shown first during playback, and are dropped at once while paused or if
    /// required.
    ///
    /// - Parameter isCritical: whether to drop pictures that playback will immediately have to decode again.
    package mutating func setMemoryScarce(_ isScarce: Bool, isCritical: Bool = false) {
        isMemoryScarce = isScarce
        for run in [current, next].compactMap({ $0 }) {
            let limit = queueLimit(of: run.source)
            if run.ticket == current?.ticket { current?.queueLimit = limit } else { next?.queueLimit = limit }
        }
        guard isScarce else { return resumeIfRoom() }
        if !isNextAwaited { dropNext() }
        if isCritical || anchor == nil, let current { letGoAhead(beyond: current.queueLimit) }
    }

    /// Drops pictures whose time has not come, because another player is waiting for memory: those of the next item,
    /// and of the current one all but the next. During playback they are shown soon, and stay.
    ///
    /// - Parameter isTimeStanding: whether time stops while any player waits, so that they are not shown soon.
    package mutating func giveWay(isTimeStanding: Bool) {
        guard canGiveWay(isTimeStanding: isTimeStanding) else { return }
        if canDropNext { dropNext() }
        letGoAhead(beyond: 1)
    }

    /// Returns whether there are such pictures.
    package func canGiveWay(isTimeStanding: Bool) -> Bool {
        // A stalled player is itself waiting.
        guard !isStalled, anchor == nil || isTimeStanding, let current else { return false }
        return current.queue.count > 1 || canDropNext
    }

    /// Whether the next item would not be started again at once.
    private var canDropNext: Bool {
        next != nil && !isNextAwaited && current?.isComplete == false
    }

    /// Whether the next item's turn has come.
    private var isNextAwaited: Bool { handOver != nil || waitsForUpcoming }

    func queueLimit(of source: MachineItem<Item>) -> Int {
        isMemoryScarce ? min(2, source.queueLimit) : source.queueLimit
    }

    /// Drops the current item's pictures beyond the limit. They are decoded again when there is room.
    private mutating func letGoAhead(beyond limit: Int) {
        guard var run = current, run.queue.count > limit else { return }
        let following = run.queue[limit].frame
        run.queue.removeLast(run.queue.count - limit)
        // The lane's work in progress belongs to later frames.
        tickets += 1
        run.ticket = tickets
        (run.parkedFrame, run.isLaneFull, run.error) = (following, true, nil)
        (run.isComplete, run.isLaneStopped, run.isStarved) = (false, true, false)
        current = run
        effects.append(.stopLane(run.lane))
    }
}
