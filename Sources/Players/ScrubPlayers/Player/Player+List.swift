public import ScrubPlayersLogic

// The list may be changed at any time: the current item plays on, unless it is the one that goes.
extension Player {
    /// The way that the list goes on at its end, or after each item. Default: not.
    public var repeatMode: RepeatMode {
        get { core.state.withLock { $0.playlist.repeatMode } }
        set { change { $0.repeatMode = newValue } }
    }

    /// Adds an item at the end.
    ///
    /// - Returns: false when it is in the list already: the same medium again is another item
    ///   (``PlayerItem/copy()``).
    @discardableResult
    public func append(_ item: PlayerItem) -> Bool { edit(item) { $0.append(item, repeatCount: item.repeatCount) } }

    /// Adds an item after another one.
    ///
    /// - Returns: false when it is in the list already, or the other one is not.
    @discardableResult
    public func insert(_ item: PlayerItem, after other: PlayerItem.ID) -> Bool {
        edit(item) { $0.insert(item, after: other, repeatCount: item.repeatCount) }
    }

    /// Adds an item before another one.
    ///
    /// - Returns: false when it is in the list already, or the other one is not.
    @discardableResult
    public func insert(_ item: PlayerItem, before other: PlayerItem.ID) -> Bool {
        edit(item) { $0.insert(item, before: other, repeatCount: item.repeatCount) }
    }

    /// Takes an item out. If it is the current one, the next one that is left has its turn.
    ///
    /// - Returns: false when it is not in the list.
    @discardableResult
    public func remove(_ id: PlayerItem.ID) -> Bool { edit { $0.remove(id) } }

    /// Takes all items out.
    public func removeAllItems() { _ = edit { $0.removeAll() } }

    /// Moves an item before another one.
    ///
    /// - Returns: false when one of them is not in the list.
    @discardableResult
    public func move(_ id: PlayerItem.ID, before other: PlayerItem.ID) -> Bool { edit { $0.move(id, before: other) } }

    /// Moves an item after another one.
    ///
    /// - Returns: false when one of them is not in the list.
    @discardableResult
    public func move(_ id: PlayerItem.ID, after other: PlayerItem.ID) -> Bool { edit { $0.move(id, after: other) } }

    /// Puts an item in another one's place.
    ///
    /// - Returns: false when the old one is not in the list, or the new one already exists.
    @discardableResult
    public func replace(_ id: PlayerItem.ID, with item: PlayerItem) -> Bool {
        edit(item) { $0.replace(id, with: item, repeatCount: item.repeatCount) }
    }

    /// Sets the app's present knowledge of an item. It plays on; its trackers are told at once, or when its turn comes.
    ///
    /// - Returns: false when it is not in the list.
    @discardableResult
    public func setMetadata(_ metadata: ItemMetadata?, of id: PlayerItem.ID) -> Bool {
        core.perform { state, _ in
            guard var item = state.playlist[id] else { return false }
            item.metadata = metadata
            state.playlist.update(item)
            state.noteItems()
            if state.playlist.currentItem?.id == id { state.changes.insert(.currentItem) }
            return true
        }
    }

    /// Makes another list of it. The current item plays on where the new list has it. Else the first one after it that
    /// the new list has is next, else the new list's first.
    ///
    /// - Returns: false when an item is there twice.
    @discardableResult
    public func replaceItems(with items: [PlayerItem]) -> Bool {
        for item in items { item.media.useDecoders(of: core.resources.decoders) }
        return edit { $0.replaceAllAndCounts(with: items) }
    }

    /// Plays items now, and then goes on where it was: advertisements, announcements.
    ///
    /// - Parameters:
    ///   - items: the items to play.
    ///   - skip: whether a person may leave them before their end, by ``skipInterruption()`` or
    ///     ``advanceToNextItem()``. Naming an item to go to, or taking one out, is possible at any time.
    /// - Returns: false if one of them is in the list already, or if `items` is empty.
    @discardableResult
    public func interrupt(with items: [PlayerItem], skip: InterruptionSkip = .allowed) -> Bool {
        for item in items { item.media.useDecoders(of: core.resources.decoders) }
        return core.perform { state, now in
            let standing = state.standing(at: now)
            let edit = state.playlist.interrupt(with: items, returningTo: standing.position.time, skip: skip)
            if edit.isApplied { state.playlist.setRepeatCounts(items) }
            return apply(edit, standing, &state, at: now)
        }
    }

    /// Whether items interrupt the list's own.
    public var isInterrupted: Bool { core.state.withLock { $0.playlist.isInterrupted } }

    /// Whether ``skipInterruption()`` would leave now.
    public var canSkipInterruption: Bool {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.maySkipInterruption(at: now) }
    }

    /// Leaves all items that interrupt, the innermost ones of several interruptions, and goes on where they
    /// interrupted.
    ///
    /// - Returns: false when nothing interrupts, or when it may not be left yet.
    @discardableResult
    public func skipInterruption() -> Bool {
        core.perform { state, now in
            guard state.maySkipInterruption(at: now) else { return false }
            let standing = state.standing(at: now)
            guard let transition = state.playlist.skipInterruption() else { return false }
            follow(transition, .interruptionEnded, from: standing, &state, at: now)
            return true
        }
    }

    /// Goes to the next item.
    ///
    /// - Returns: false if no item follows, and while something interrupts that may not be left yet.
    @discardableResult
    public func advanceToNextItem() -> Bool {
        go(ifAllowed: { state, now in !state.playlist.isInterrupted || state.maySkipInterruption(at: now) }) {
            $0.advance(.skip, .forward)
        }
    }

    /// Goes to the previous item.
    ///
    /// - Returns: false if no item precedes it.
    @discardableResult
    public func returnToPreviousItem() -> Bool { go { $0.advance(.skip, .backward) } }

    /// Goes to an item of the list.
    ///
    /// - Returns: false when it is not there.
    @discardableResult
    public func setCurrentItem(_ id: PlayerItem.ID) -> Bool { go { $0.seek(to: id) } }

    private func change(_ body: (inout Playlist<PlayerItem, Rational>) -> Void) {
        core.perform { state, _ in
            body(&state.playlist)
            state.refreshUpcoming()
        }
    }

    private func edit(
        _ item: PlayerItem? = nil,
        _ body: (inout Playlist<PlayerItem, Rational>) -> PlaylistEdit<PlayerItem.ID, Rational>
    ) -> Bool {
        item?.media.useDecoders(of: core.resources.decoders)
        return core.perform { state, now in
            let wasEmpty = state.playlist.currentItem == nil
            let standing = state.standing(at: now)
            let edit = body(&state.playlist)
            let isApplied = apply(edit, standing, &state, at: now)
            // The first item of an empty list has its turn at once.
            if isApplied, wasEmpty, edit.transition == nil, state.playlist.currentItem != nil {
                state.setCurrent(place: nil, at: now)
            }
            return isApplied
        }
    }

    private func apply(
        _ edit: PlaylistEdit<PlayerItem.ID, Rational>, _ standing: PlayerState.Standing, _ state: inout PlayerState,
        at now: Int64
    ) -> Bool {
        guard edit.isApplied else { return false }
        if let transition = edit.transition {
            let reason: Player.ItemTransitionReason = transition.reason == .automatic ? .automatic : .playlistChanged
            follow(transition, reason, from: standing, &state, at: now)
        }
        state.forgetMissing()
        state.noteItems()
        state.refreshUpcoming()
        state.jobs.append(.tell([.playlistChanged(state.playlist.items.map(\.id))]))
        return true
    }

    func go(
        ifAllowed: (PlayerState, Int64) -> Bool = { _, _ in true },
        _ body: (inout Playlist<PlayerItem, Rational>) -> PlaylistTransition<PlayerItem.ID, Rational>?
    ) -> Bool {
        core.perform { state, now in
            let standing = state.standing(at: now)
            guard ifAllowed(state, now), let transition = body(&state.playlist) else { return false }
            follow(transition, .seek, from: standing, &state, at: now)
            return transition.to != nil
        }
    }

    /// Shows the present state of the list.
    private func follow(
        _ transition: PlaylistTransition<PlayerItem.ID, Rational>, _ reason: Player.ItemTransitionReason,
        from standing: PlayerState.Standing, _ state: inout PlayerState, at now: Int64
    ) {
        if transition.from != transition.to { state.noteLeaving(standing.position.item, at: standing.position.time) }
        state.error = nil
        state.setCurrent(place: transition.place, at: now)
        state.tellChange(
            from: standing, to: transition.to, reason, discontinuity(reason), isChosen: transition.reason == .seek,
            at: now)
    }

    private func discontinuity(_ reason: Player.ItemTransitionReason) -> Player.DiscontinuityReason {
        switch reason {
        case .automatic, .repeat: .automaticTransition
        case .seek: .skip
        case .playlistChanged: .remove
        case .failure: .internal
        case .interruptionBegan: .interruptionBegan
        case .interruptionEnded: .interruptionEnded
        }
    }
}

extension Playlist<PlayerItem, Rational> {
    fileprivate mutating func setRepeatCounts(_ items: [PlayerItem]) {
        for item in items { _ = setRepeatCount(item.repeatCount, of: item.id) }
    }

    fileprivate mutating func replaceAllAndCounts(with items: [PlayerItem]) -> Edit {
        let edit = replaceAll(with: items)
        if edit.isApplied { setRepeatCounts(items) }
        return edit
    }
}
