extension Playlist {
    /// Shows other items now, and goes on with the current one where it was when they are over.
    ///
    /// What interrupts can be interrupted too. A list that has ended has ended again afterwards, unless something was
    /// put behind its end: that comes then. In one that has no current item yet, its first one begins.
    ///
    /// - Parameters:
    ///   - items: refused if empty, if one of them already exists or two have the same identity.
    ///   - place: where the current item goes on, given back in ``PlaylistTransition/place``. Not kept if no item is
    ///     current or the list has ended.
    @discardableResult
    public mutating func interrupt(with items: [Item], returningTo place: Place) -> Edit {
        guard !items.isEmpty, let entries = newEntries(items) else { return .refused }
        let from = top.current?.id
        if from != nil && !isEnded { top.place = place }
        levels.append(Level(entries: entries))
        top.begin(at: 0)
        return Edit(Transition(from: from, to: top.current?.id, reason: .automatic, place: nil))
    }

    /// Ends the innermost interruption, and goes on with what it interrupted.
    ///
    /// - Returns: what changed; `nil` when nothing interrupts.
    @discardableResult
    public mutating func skipInterruption() -> Transition? {
        guard isInterrupted else { return nil }
        return take(stepBelow(levels.count - 1, .forward), because: .skip)
    }
}
