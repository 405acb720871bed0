public import ScrubPlayersLogic

// The list may be changed at any time. The current item continues to play unless it is removed.
extension Player {
    /// Whether the current item or the whole list repeats. By default, neither does.
    public var repeatMode: RepeatMode {
        get { core.state.withLock { $0.playlist.repeatMode } }
        set { change { $0.repeatMode = newValue } }
    }

    /// Adds an item at the end.
    ///
    /// - Returns: false if the item is already in the list. To add the same medium again, append a
    ///   ``PlayerItem/copy()``.
    @discardableResult
    public func append(_ item: PlayerItem) -> Bool { edit(item) { $0.append(item, repeatCount: item.playCount) } }

    /// Adds an item after another one.
    ///
    /// - Returns: false if the item is already in the list, or the other one is not.
    @discardableResult
    public func insert(_ item: PlayerItem, after other: PlayerItem.ID) -> Bool {
        edit(item) { $0.insert(item, after: other, repeatCount: item.playCount) }
    }

    /// Adds an item before another one.
    ///
    /// - Returns: false if the item is already in the list, or the other one is not.
    @discardableResult
    public func insert(_ item: PlayerItem, before other: PlayerItem.ID) -> Bool {
        edit(item) { $0.insert(item, before: other, repeatCount: item.playCount) }
    }

    /// Removes an item. If it is the current item, the next remaining item becomes current.
    ///
    /// - Returns: false if the item is not in the list.
    @discardableResult
    public func remove(_ id: PlayerItem.ID) -> Bool { edit { $0.remove(id) } }

    /// Removes all items.
    public func removeAllItems() { _ = edit { $0.removeAll() } }

    /// Moves an item before another one.
    ///
    /// - Returns: false if one of them is not in the list.
    @discardableResult
    public func move(_ id: PlayerItem.ID, before other: PlayerItem.ID) -> Bool { edit { $0.move(id, before: other) } }

    /// Moves an item after another one.
    ///
    /// - Returns: false if one of them is not in the list.
    @discardableResult
    public func move(_ id: PlayerItem.ID, after other: PlayerItem.ID) -> Bool { edit { $0.move(id, after: other) } }

    /// Replaces an item with another one.
    ///
    /// - Returns: false if the old item is not in the list, or the new item already is.
    @discardableResult
    public func replace(_ id: PlayerItem.ID, with item: PlayerItem) -> Bool {
        edit(item) { $0.replace(id, with: item, repeatCount: item.playCount) }
    }

    /// Sets the app's metadata of an item without interrupting playback. The item's trackers receive the metadata
    /// immediately if the item is current, and otherwise when it becomes current.
    ///
    /// - Returns: false if the item is not in the list.
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

    /// Replaces the list. The current item continues to play if the new list contains it. Otherwise, the player
    /// continues with the first later item of the old list that is also in the new list. If there is no such item, it
    /// continues with the first item of the new list.
    ///
    /// - Returns: false if an item occurs twice in the new list, or is part of an interruption.
    @discardableResult
    public func replaceItems(with items: [PlayerItem]) -> Bool {
        for item in items { item.media.useDecoders(of: core.resources.decoderPool) }
        return edit { $0.replaceAllAndCounts(with: items) }
    }

    /// Plays items immediately, and then resumes the current item where it was interrupted. This is intended for
    /// advertisements and announcements.
    ///
    /// - Parameters:
    ///   - items: the items to play.
    ///   - skip: whether and when a user may skip them with ``skipInterruption()`` or ``advanceToNextItem()``. Going to
    ///     a specific item and removing an item are always possible.
    /// - Returns: false if `items` is empty or contains an item twice, or if one of the items is already in the list.
    @discardableResult
    public func interrupt(with items: [PlayerItem], skip: InterruptionSkipPolicy = .allowed) -> Bool {
        for item in items { item.media.useDecoders(of: core.resources.decoderPool) }
        return core.perform { state, now in
            let standing = state.standing(at: now)
            let edit = state.playlist.interrupt(with: items, returningTo: standing.position.time, skip: skip)
            if edit.isApplied { state.playlist.setRepeatCounts(items) }
            return apply(edit, standing, &state, at: now)
        }
    }

    /// Whether an interruption is playing instead of ``items``.
    public var isInterrupted: Bool { core.state.withLock { $0.playlist.isInterrupted } }

    /// Whether ``skipInterruption()`` would have an effect now.
    public var canSkipInterruption: Bool {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.maySkipInterruption(at: now) }
    }

    /// Skips the remaining items of the innermost interruption, and resumes the interrupted item where it was
    /// interrupted.
    ///
    /// - Returns: false if there is no interruption, or if it may not be skipped yet.
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
    /// - Returns: false if no item follows, or if an interruption that may not be skipped yet is playing.
    @discardableResult
    public func advanceToNextItem() -> Bool {
        go(ifAllowed: { state, now in !state.playlist.isInterrupted || state.maySkipInterruption(at: now) }) {
            $0.advance(.skip, direction: .forward)
        }
    }

    /// Goes to the previous item.
    ///
    /// - Returns: false if no item precedes the current one.
    @discardableResult
    public func returnToPreviousItem() -> Bool { go { $0.advance(.skip, direction: .backward) } }

    /// Goes to an item in the list.
    ///
    /// - Returns: false if the item is not in the list.
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
        item?.media.useDecoders(of: core.resources.decoderPool)
        return core.perform { state, now in
            let wasEmpty = state.playlist.currentItem == nil
            let standing = state.standing(at: now)
            let edit = body(&state.playlist)
            let isApplied = apply(edit, standing, &state, at: now)
            // The first item that is added to an empty list becomes current immediately.
            if isApplied, wasEmpty, edit.transition == nil, state.playlist.currentItem != nil {
                state.setCurrent(place: nil, at: now)
            }
            return isApplied
        }
    }

    private func apply(
        _ edit: PlaylistEdit<PlayerItem.ID, Rational>, _ standing: PlayerState.PriorPosition,
        _ state: inout PlayerState,
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

    /// Adopts the current state of the list.
    private func follow(
        _ transition: PlaylistTransition<PlayerItem.ID, Rational>, _ reason: Player.ItemTransitionReason,
        from standing: PlayerState.PriorPosition, _ state: inout PlayerState, at now: Int64
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
        for item in items { _ = setRepeatCount(item.playCount, of: item.id) }
    }

    fileprivate mutating func replaceAllAndCounts(with items: [PlayerItem]) -> Edit {
        let edit = replaceAll(with: items)
        if edit.isApplied { setRepeatCounts(items) }
        return edit
    }
}
