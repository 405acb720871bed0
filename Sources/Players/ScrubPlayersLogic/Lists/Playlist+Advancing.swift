extension Playlist {
    /// The list's next step from the current item, before it goes there.
    struct Step {
        let level: Int
        let index: Int
        let kind: Kind

        enum Kind {
            case begin
            case `repeat`
            /// Goes on where it was interrupted.
            case `return`
            /// Comes back to a list that had ended before it was interrupted.
            case end
        }
    }

    /// Returns the result that ``advance(_:_:)`` would have now, without doing it: a player prepares for it.
    ///
    /// - Parameters:
    ///   - reason: why the current item is to be left.
    ///   - direction: backward when a person skips back, or at an item's beginning when it is played backward.
    /// - Returns: `nil` when nothing would change.
    public func upcoming(_ reason: PlaylistAdvance = .automatic, _ direction: PlaybackDirection = .forward)
        -> Transition?
    {
        var list = self
        return list.advance(reason, direction)
    }

    /// Leaves the current item for the one that comes next under the repeat mode, its repeat count and the
    /// interruptions.
    ///
    /// Items that failed are passed over. Skipping goes to a neighbour whatever is to be repeated, and does nothing if
    /// there isn't one. The neighbour of an interruption's last item is the interrupted one, its first item has none
    /// before it.
    ///
    /// - Parameters:
    ///   - reason: why the current item is to be left.
    ///   - direction: backward when a person skips back, or at an item's beginning when it is played backward.
    /// - Returns: the change, with `to` as `nil` if the list has ended by that; `nil` if nothing changed.
    @discardableResult
    public mutating func advance(
        _ reason: PlaylistAdvance = .automatic, _ direction: PlaybackDirection = .forward
    ) -> Transition? {
        let step = step(reason, direction)
        if step == nil && (reason == .skip || isEnded) { return nil }
        return take(step, because: reason == .skip ? .skip : .automatic)
    }

    /// Goes to an item, to its beginning, also when it is the current one or has failed before. Interruptions that it
    /// is not in are over.
    ///
    /// - Returns: the change; `nil` if there is no such item.
    @discardableResult
    public mutating func seek(to id: Item.ID) -> Transition? {
        guard let (level, index) = location(of: id) else { return nil }
        levels[level].entries[index].hasFailed = false
        return take(Step(level: level, index: index, kind: .begin), because: .seek)
    }

    /// Goes to the first item that has not failed, or to the last one to play backward, as playing does after the end.
    ///
    /// Interruptions are over.
    ///
    /// - Returns: the change; `nil` if there is no such item.
    @discardableResult
    public mutating func restart(_ direction: PlaybackDirection = .forward) -> Transition? {
        let indices = levels[0].entries.indices
        let isWhole = { (index: Int) in !levels[0].entries[index].hasFailed }
        let first = direction == .forward ? indices.first(where: isWhole) : indices.last(where: isWhole)
        guard let first else { return nil }
        return take(Step(level: 0, index: first, kind: .begin), because: .seek)
    }

    /// Goes on with the current item of a list that has ended, as after a seek back from the end.
    public mutating func reopen() {
        if top.currentIndex != nil { top.isEnded = false }
    }

    /// Notes that the current item cannot be shown, and goes on by a policy.
    ///
    /// A failed item is passed over from then on, in both directions, so that the list is gone round at most once when
    /// all fail. ``seek(to:)`` and ``clearFailures()`` give another chance.
    ///
    /// - Parameters:
    ///   - policy: the action then.
    ///   - direction: which way it was reached, so that skipping back past it does not lead forward again.
    /// - Returns: the change; `nil` if the list stays where it is.
    @discardableResult
    public mutating func failCurrent(
        _ policy: FailurePolicy = .advance, _ direction: PlaybackDirection = .forward
    ) -> Transition? {
        guard let index = top.currentIndex else { return nil }
        top.entries[index].hasFailed = true
        guard policy == .advance, !isEnded else { return nil }
        return take(step(.automatic, direction), because: .failed)
    }

    /// Notes that an item cannot be shown, and stays where the list is: for one that was prepared and whose turn has
    /// not come.
    ///
    /// It is passed over as after ``failCurrent(_:_:)``, so ``next`` is another one.
    ///
    /// - Returns: whether there is such an item.
    @discardableResult
    public mutating func markFailed(_ id: Item.ID) -> Bool {
        guard let (level, index) = location(of: id) else { return false }
        levels[level].entries[index].hasFailed = true
        return true
    }

    /// Forgets which items failed.
    public mutating func clearFailures() {
        for level in levels.indices {
            for index in levels[level].entries.indices { levels[level].entries[index].hasFailed = false }
        }
    }

    /// Returns the next step from here; `nil`: the list ends, or there is no neighbour to skip to.
    func step(_ reason: PlaylistAdvance, _ direction: PlaybackDirection) -> Step? {
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

    /// Returns the next step when the interruption `level` is over.
    ///
    /// A list that had ended goes on with the items that follow its end by now, and is not gone round again.
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
        // Arriving at itself again is a repetition, but not one of those that its repeat count asks for.
        return Step(level: level, index: index, kind: .begin)
    }

    /// Takes a step, and returns the change.
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
