extension Playlist {
    /// Inserts an item before another item, which may belong to an interruption.
    ///
    /// - Parameters:
    ///   - item: the item. The edit is rejected if an item with the same identity already exists.
    ///   - id: the other item. The edit is rejected if it does not exist.
    ///   - repeatCount: the number of times that the item plays in a row. A number below 1 counts as 1.
    @discardableResult
    public mutating func insert(_ item: Item, before id: Item.ID, repeatCount: Int = 1) -> Edit {
        insert([item], location(of: id), repeatCount)
    }

    /// Inserts an item after another item, which may belong to an interruption.
    ///
    /// - Parameters:
    ///   - item: the item. The edit is rejected if an item with the same identity already exists.
    ///   - id: the other item. The edit is rejected if it does not exist.
    ///   - repeatCount: the number of times that the item plays in a row. A number below 1 counts as 1.
    @discardableResult
    public mutating func insert(_ item: Item, after id: Item.ID, repeatCount: Int = 1) -> Edit {
        insert([item], location(of: id).map { ($0.level, $0.index + 1) }, repeatCount)
    }

    /// Inserts an item into ``items`` at an index.
    ///
    /// - Parameters:
    ///   - item: the item. The edit is rejected if an item with the same identity already exists. The first item of an
    ///     empty list becomes current.
    ///   - index: an index in 0...``count``. The edit is rejected for any other index.
    ///   - repeatCount: the number of times that the item plays in a row. A number below 1 counts as 1.
    @discardableResult
    public mutating func insert(_ item: Item, at index: Int, repeatCount: Int = 1) -> Edit {
        insert([item], (0...count).contains(index) ? (0, index) : nil, repeatCount)
    }

    /// Inserts items into ``items`` at an index.
    ///
    /// - Parameters:
    ///   - items: the items. The edit is rejected if one of them already exists, or if two of them have the same
    ///     identity.
    ///   - index: an index in 0...``count``. The edit is rejected for any other index.
    @discardableResult
    public mutating func insert(contentsOf items: [Item], at index: Int) -> Edit {
        insert(items, (0...count).contains(index) ? (0, index) : nil, 1)
    }

    /// Appends an item to ``items``.
    ///
    /// - Parameters:
    ///   - item: the item. The edit is rejected if an item with the same identity already exists. The first item of an
    ///     empty list becomes current; otherwise, a list that has ended stays ended until it is advanced.
    ///   - repeatCount: the number of times that the item plays in a row. A number below 1 counts as 1.
    @discardableResult
    public mutating func append(_ item: Item, repeatCount: Int = 1) -> Edit { insert([item], (0, count), repeatCount) }

    /// Appends items to ``items``. The edit is rejected if one of them already exists, or if two of them have the same
    /// identity.
    @discardableResult
    public mutating func append(contentsOf items: [Item]) -> Edit { insert(items, (0, count), 1) }

    /// Removes an item. If it is current, the repeat mode determines which item becomes current next. If there is no
    /// next item, the list ends.
    @discardableResult
    public mutating func remove(_ id: Item.ID) -> Edit { remove([id]) }

    /// Removes several items in one edit. If the current item is among them, the repeat mode determines which of the
    /// remaining items becomes current next. If there is no next item, the list ends.
    ///
    /// An interruption ends when its last item is removed. If the interrupted item is removed, the item after it begins
    /// when the interruption ends.
    ///
    /// - Parameter gone: the items to remove. The edit is rejected if none of them exist.
    @discardableResult
    public mutating func remove(_ gone: Set<Item.ID>) -> Edit {
        guard !gone.isDisjoint(with: ids) else { return .refused }
        let from = top.current?.id
        ids.subtract(gone)
        for level in levels.indices { levels[level].remove(gone.contains) }
        return settle(from: from, because: .removed)
    }

    /// Removes all items, including those of interruptions. If an item was current, the list ends.
    @discardableResult
    public mutating func removeAll() -> Edit {
        let from = top.current?.id
        let hadEnded = isEnded
        (levels, ids) = ([Level(entries: [])], [])
        top.isEnded = hadEnded || from != nil
        return Edit(from.map { Transition(from: $0, to: nil, reason: .removed, place: nil) })
    }

    /// Moves an item to the position before another item in the same list. The current item stays current, even if it
    /// is the one that is moved.
    ///
    /// - Returns: the edit. It is rejected if one of the items does not exist, or if one is in ``items`` and the other
    ///   in an interruption.
    @discardableResult
    public mutating func move(_ id: Item.ID, before other: Item.ID) -> Edit {
        move(id, to: location(of: other), after: 0)
    }

    /// Moves an item to the position after another item in the same list. The current item stays current, even if it is
    /// the one that is moved.
    ///
    /// - Returns: the edit. It is rejected if one of the items does not exist, or if one is in ``items`` and the other
    ///   in an interruption.
    @discardableResult
    public mutating func move(_ id: Item.ID, after other: Item.ID) -> Edit {
        move(id, to: location(of: other), after: 1)
    }

    /// Moves an item to an index in its list. The current item does not change.
    ///
    /// - Returns: the edit. It is rejected if the item does not exist or the index is invalid.
    @discardableResult
    public mutating func move(_ id: Item.ID, to index: Int) -> Edit {
        guard let old = location(of: id), levels[old.level].entries.indices.contains(index) else { return .refused }
        levels[old.level].move(from: old.index, to: index)
        return Edit(nil)
    }

    /// Replaces an item with another item.
    ///
    /// If both have the same identity, only the value changes, and playback continues. Otherwise, the replacement
    /// counts as a new item. If it replaces the current item, it begins immediately. If it replaces the interrupted
    /// item, it begins when the interruption ends. A list that has ended stays ended.
    ///
    /// - Parameters:
    ///   - id: the item to replace. The edit is rejected if it does not exist.
    ///   - item: the new item. The edit is rejected if its identity belongs to a different item.
    ///   - repeatCount: the number of times that the item plays in a row; `nil` to keep the replaced item's count.
    @discardableResult
    public mutating func replace(_ id: Item.ID, with item: Item, repeatCount: Int? = nil) -> Edit {
        guard let (level, index) = location(of: id), item.id == id || !ids.contains(item.id) else { return .refused }
        let from = top.current?.id
        var entry = levels[level].entries[index]
        entry.item = item
        entry.repeatCount = max(repeatCount ?? entry.repeatCount, 1)
        if item.id != id {
            (entry.timesShown, entry.hasFailed) = (0, false)
            if levels[level].currentIndex == index { levels[level].leaveCurrent(for: index) }
            ids.remove(id)
            ids.insert(item.id)
        }
        levels[level].entries[index] = entry
        return settle(from: from, because: .playlistChanged)
    }

    /// Replaces all ``items``; interruptions continue.
    ///
    /// If the current item is among the new items, it continues. Otherwise, the list goes on to the first of the new
    /// items that followed it in the old list or, if there is no such item, to the first new item. During an
    /// interruption, the same rules determine which item follows when the interruption ends. Items that already existed
    /// keep their repeat counts and their history.
    ///
    /// - Parameter items: the new items. The edit is rejected if two of them have the same identity, or if one has the
    ///   identity of an interrupting item.
    @discardableResult
    public mutating func replaceAll(with items: [Item]) -> Edit {
        let newIDs = Set(items.map(\.id))
        let others = ids.subtracting(levels[0].entries.map(\.id))
        guard newIDs.count == items.count, newIDs.isDisjoint(with: others) else { return .refused }
        let from = top.current?.id
        let old = levels[0]
        // The remaining items, relative to the previous position.
        let rest = old.entries[old.position...].map(\.id)
        let common = rest.first { newIDs.contains($0) }
        let isKept = common != nil && common == old.current?.id

        let byID = Dictionary(old.entries.map { ($0.id, $0) }) { first, _ in first }
        levels[0].entries = items.map { item in
            var entry = byID[item.id] ?? Level.Entry(item: item, repeatCount: 1)
            entry.item = item
            return entry
        }
        let index = common.flatMap { levels[0].index(of: $0) } ?? 0
        if isKept { levels[0].cursor = .at(index) } else { levels[0].leaveCurrent(for: index) }
        // The end of an empty list is not the end of new items.
        if !isKept && !items.isEmpty { levels[0].isEnded = false }
        ids = others.union(newIDs)
        return settle(from: from, because: .playlistChanged)
    }

    /// Sets the number of times that an item plays in a row. A number below 1 counts as 1. The new number takes effect
    /// the next time that the item ends.
    ///
    /// - Returns: the edit. It is rejected if the item does not exist.
    @discardableResult
    public mutating func setRepeatCount(_ repeatCount: Int, of id: Item.ID) -> Edit {
        guard let (level, index) = location(of: id) else { return .refused }
        levels[level].entries[index].repeatCount = max(repeatCount, 1)
        return Edit(nil)
    }

    /// Replaces an item's value with a new value that has the same identity. The current item does not change.
    ///
    /// - Returns: the edit. It is rejected if the item does not exist.
    @discardableResult
    public mutating func update(_ item: Item) -> Edit {
        guard let (level, index) = location(of: item.id) else { return .refused }
        levels[level].entries[index].item = item
        return Edit(nil)
    }

    private mutating func insert(_ items: [Item], _ place: (level: Int, index: Int)?, _ repeatCount: Int) -> Edit {
        guard let place, let entries = newEntries(items, repeatCount: repeatCount) else { return .refused }
        let from = top.current?.id
        let wasEmpty = levels[place.level].entries.isEmpty
        levels[place.level].insert(entries, at: place.index)
        if wasEmpty && !entries.isEmpty { levels[place.level].isEnded = false }
        return settle(from: from, because: .playlistChanged)
    }

    /// Registers the identities of new items; `nil` if they cannot all be in the list.
    mutating func newEntries(_ items: [Item], repeatCount: Int = 1) -> [Level.Entry]? {
        let newIDs = Set(items.map(\.id))
        guard newIDs.count == items.count, newIDs.isDisjoint(with: ids) else { return nil }
        ids.formUnion(newIDs)
        return items.map { Level.Entry(item: $0, repeatCount: max(repeatCount, 1)) }
    }

    private mutating func move(_ id: Item.ID, to other: (level: Int, index: Int)?, after offset: Int) -> Edit {
        guard let old = location(of: id), let other, other.level == old.level else { return .refused }
        let index = other.index + offset - (old.index < other.index ? 1 : 0)
        // Moved next to itself, it stays where it is.
        if old.index != other.index { levels[old.level].move(from: old.index, to: index) }
        return Edit(nil)
    }

    /// Settles the list after an edit: if the shown item was removed, another one begins, and interruptions without
    /// items end.
    private mutating func settle(from: Item.ID?, because reason: PlaylistTransitionReason) -> Edit {
        for level in (1..<max(levels.count - 1, 1)).reversed() where levels[level].entries.isEmpty {
            levels.remove(at: level)
        }
        guard top.currentIndex == nil else { return Edit(nil) }
        let hadEnded = isEnded
        if from == nil && (hadEnded || top.entries.isEmpty) { return Edit(nil) }
        let next = hadEnded ? nil : step(.automatic, .forward)
        let transition = take(next, because: reason)
        return Edit(Transition(from: from, to: transition.to, reason: reason, place: transition.place))
    }
}

extension PlaylistEdit {
    static var refused: PlaylistEdit { PlaylistEdit(isApplied: false, transition: nil) }

    init(_ transition: PlaylistTransition<ID, Place>?) { self.init(isApplied: true, transition: transition) }
}
