extension Playlist {
    /// The list's next step from the current item, before it is taken.
    struct Step {
        let level: Int
        let index: Int
        let kind: Kind

        enum Kind {
            case begin
            case `repeat`
            /// Resumes where the item was interrupted.
            case `return`
            /// Returns to a list that had ended before it was interrupted.
            case end
        }
    }

    /// Returns the transition that ``advance(_:direction:)`` would currently make, without making it, so that a player
    /// can prepare for it.
    ///
    /// - Parameters:
    ///   - reason: the reason for leaving the current item.
    ///   - direction: `.backward` if a user skips back, or if backward playback has reached the item's beginning;
    ///     otherwise `.forward`.
    /// - Returns: the transition; `nil` if nothing would change.
    public func nextTransition(
        for reason: PlaylistAdvanceReason = .automatic, direction: PlaybackDirection = .forward
    ) -> Transition? {
        var list = self
        return list.advance(reason, direction: direction)
    }

    /// Leaves the current item for the next one, according to the repeat mode, the item's repeat count and
    /// interruptions.
    ///
    /// Failed items are skipped. A user's skip goes to the adjacent item regardless of repeats, and has no effect if
    /// there is no such item. When the last item of an interruption ends, the interrupted item follows. The first item
    /// of an interruption has no previous item.
    ///
    /// - Parameters:
    ///   - reason: the reason for leaving the current item.
    ///   - direction: `.backward` if a user skips back, or if backward playback has reached the item's beginning;
    ///     otherwise `.forward`.
    /// - Returns: the transition; `nil` if nothing changed. Its `to` is `nil` if the list has ended.
    @discardableResult
    public mutating func advance(
        _ reason: PlaylistAdvanceReason = .automatic, direction: PlaybackDirection = .forward
    ) -> Transition? {
        let step = step(reason, direction)
        if step == nil && (reason == .skip || isEnded) { return nil }
        return take(step, because: reason == .skip ? .skip : .automatic)
    }

    /// Goes to the beginning of an item, even if it is already current or has failed. If the item is in a list that is
    /// currently interrupted, all interruptions of that list end.
    ///
    /// - Returns: the transition; `nil` if there is no such item.
    @discardableResult
    public mutating func seek(to id: Item.ID) -> Transition? {
        guard let (level, index) = location(of: id) else { return nil }
        levels[level].entries[index].hasFailed = false
        return take(Step(level: level, index: index, kind: .begin), because: .seek)
    }

    /// Goes to the first item that has not failed or, when playing backward, to the last one. Players do this when
    /// playback is started after the list has ended.
    ///
    /// Interruptions end.
    ///
    /// - Returns: the transition; `nil` if there is no such item.
    @discardableResult
    public mutating func restart(_ direction: PlaybackDirection = .forward) -> Transition? {
        let indices = levels[0].entries.indices
        let isWhole = { (index: Int) in !levels[0].entries[index].hasFailed }
        let first = direction == .forward ? indices.first(where: isWhole) : indices.last(where: isWhole)
        guard let first else { return nil }
        return take(Step(level: 0, index: first, kind: .begin), because: .seek)
    }

    /// Reopens a list that has ended, so that its current item continues, for example after a seek back from the end.
    public mutating func reopen() {
        if top.currentIndex != nil { top.isEnded = false }
    }

    /// Marks the current item as failed, and continues according to a policy.
    ///
    /// A failed item is skipped from then on, in both directions, so that the list is traversed at most once if all
    /// items fail. ``seek(to:)`` and ``clearFailures()`` allow another attempt.
    ///
    /// - Parameters:
    ///   - policy: the action to take.
    ///   - direction: the direction in which the item was reached. The list continues in that direction, so a user who
    ///     skips back is not sent forward again.
    /// - Returns: the transition; `nil` if the current item stays the same.
    @discardableResult
    public mutating func markCurrentFailed(
        policy: FailurePolicy = .advance, direction: PlaybackDirection = .forward
    ) -> Transition? {
        guard let index = top.currentIndex else { return nil }
        top.entries[index].hasFailed = true
        guard policy == .advance, !isEnded else { return nil }
        return take(step(.automatic, direction), because: .failed)
    }

    /// Marks an item as failed without changing the current item. Use this for an item that was prepared but is not
    /// current yet.
    ///
    /// The item is skipped, as after ``markCurrentFailed(policy:direction:)``, so ``next`` is a different item.
    ///
    /// - Returns: whether the item exists.
    @discardableResult
    public mutating func markFailed(_ id: Item.ID) -> Bool {
        guard let (level, index) = location(of: id) else { return false }
        levels[level].entries[index].hasFailed = true
        return true
    }

    /// Clears all failure marks.
    public mutating func clearFailures() {
        for level in levels.indices {
            for index in levels[level].entries.indices { levels[level].entries[index].hasFailed = false }
        }
    }

    /// Returns the next step; `nil` if the list ends, or if there is no adjacent item to skip to.
    func step(_ reason: PlaylistAdvanceReason, _ direction: PlaybackDirection) -> Step? {
        let last = levels.count - 1
        if reason == .automatic, let index = top.currentIndex, !top.entries[index].hasFailed {
            let isRepeating = last == 0 && repeatMode == .one
            if isRepeating || (!isEnded && top.pass < top.entries[index].repeatCount) {
                return Step(level: last, index: index, kind: .repeat)
            }
        }
        if let step = neighbour(in: last, direction) { return step }
        return reason == .skip && direction == .backward ? nil : stepBelow(last, direction)
    }

    /// Returns the next step when the interruption `level` ends.
    ///
    /// A list that had ended continues with the items appended since, and does not start over.
    func stepBelow(_ level: Int, _ direction: PlaybackDirection) -> Step? {
        for below in (0..<level).reversed() {
            if levels[below].isEnded {
                guard let index = levels[below].neighbour(direction, wraps: false) else {
                    return Step(level: below, index: 0, kind: .end)
                }
                return Step(level: below, index: index, kind: .begin)
            }
            if let index = levels[below].currentIndex, !levels[below].entries[index].hasFailed {
                return Step(level: below, index: index, kind: .return)
            }
            if let step = neighbour(in: below, .forward) { return step }
        }
        return nil
    }

    private func neighbour(in level: Int, _ direction: PlaybackDirection) -> Step? {
        let wraps = level == 0 && repeatMode == .all
        guard let index = levels[level].neighbour(direction, wraps: wraps) else { return nil }
        // Returning to the same item is a repetition, but not one that its repeat count asks for.
        return Step(level: level, index: index, kind: .begin)
    }

    /// Takes a step, and returns the transition.
    mutating func take(_ step: Step?, because reason: PlaylistTransitionReason) -> Transition {
        let from = top.current?.id
        let level = step?.level ?? 0
        drop(above: level)
        guard let step, step.kind != .end else {
            top.isEnded = true
            return Transition(from: from, to: nil, reason: reason, place: nil)
        }
        var place: Place?
        switch step.kind {
        case .begin: top.begin(at: step.index)
        case .repeat: top.repeat(at: step.index)
        case .return, .end: swap(&place, &top.place)
        }
        let to = top.current?.id
        let isRepeat = reason == .automatic && from == to
        return Transition(from: from, to: to, reason: isRepeat ? .repeat : reason, place: place)
    }

    /// Ends the interruptions above a level.
    private mutating func drop(above level: Int) {
        while levels.count > level + 1 {
            for entry in levels.removeLast().entries { ids.remove(entry.id) }
        }
    }
}
