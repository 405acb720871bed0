// What is decoded ahead while memory is scarce.
extension PlayerMachine {
    /// Says whether memory is scarce.
    ///
    /// Frees the pictures that are ready for the next item. Of the current item two pictures are ahead from now on.
    /// Those that are there beyond are shown first while it plays, and go at once while it stands, or if they must.
    ///
    /// - Parameter isCritical: whether pictures go that playing will have to decode again at once.
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

    /// Lets pictures go that wait for their time, because another player waits for memory: those of the next item, and
    /// of the current one all but the next. While it plays they are shown soon, and stay.
    ///
    /// - Parameter isTimeStanding: whether time stands while anyone waits, so that they are not shown soon.
    package mutating func giveWay(isTimeStanding: Bool) {
        guard canGiveWay(isTimeStanding: isTimeStanding) else { return }
        if canDropNext { dropNext() }
        letGoAhead(beyond: 1)
    }

    /// Whether there are such pictures.
    package func canGiveWay(isTimeStanding: Bool) -> Bool {
        // A player that has stalled waits itself.
        guard !isStalled, anchor == nil || isTimeStanding, let current else { return false }
        return current.queue.count > 1 || canDropNext
    }

    /// Whether the next item is not begun again at once.
    private var canDropNext: Bool {
        next != nil && !isNextAwaited && current?.isComplete == false
    }

    /// Whether the next item has its turn.
    private var isNextAwaited: Bool { handOver != nil || waitsForUpcoming }

    func queueLimit(of source: MachineItem<Item>) -> Int {
        isMemoryScarce ? min(2, source.queueLimit) : source.queueLimit
    }

    /// Drops the current item's pictures beyond the limit; they are decoded again when there is room for them.
    private mutating func letGoAhead(beyond limit: Int) {
        guard var run = current, run.queue.count > limit else { return }
        let following = run.queue[limit].frame
        run.queue.removeLast(run.queue.count - limit)
        // What the lane has under way is of later frames.
        tickets += 1
        run.ticket = tickets
        (run.parkedFrame, run.isLaneFull, run.error) = (following, true, nil)
        (run.isComplete, run.isLaneStopped, run.isStarved) = (false, true, false)
        current = run
        effects.append(.stopLane(run.lane))
    }
}
