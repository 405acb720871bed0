extension Playlist {
    /// Puts an item before another one, which may be one that interrupts.
    ///
    /// - Parameters:
    ///   - item: refused when one with its identity already exists.
    ///   - id: refused when it is not there.
    ///   - repeatCount: the number of times that it is shown in a row; less than 1 counts as 1.
    @discardableResult
    public mutating func insert(_ item: Item, before id: Item.ID, repeatCount: Int = 1) -> Edit {
        insert([item], location(of: id), repeatCount)
    }

    /// Puts an item after another one, which may be one that interrupts.
    ///
    /// - Parameters:
    ///   - item: refused when one with its identity already exists.
    ///   - id: refused when it is not there.
    ///   - repeatCount: the number of times that it is shown in a row; less than 1 counts as 1.
    @discardableResult
    public mutating func insert(_ item: Item, after id: Item.ID, repeatCount: Int = 1) -> Edit {
        insert([item], location(of: id).map { ($0.level, $0.index + 1) }, repeatCount)
    }

    /// Puts an item into ``items`` so that it has this number.
    ///
    /// - Parameters:
    ///   - item: refused when one with its identity already exists. The first one of an empty list becomes current.
    ///   - index: in 0...``count``; refused otherwise.
    ///   - repeatCount: the number of times that it is shown in a row; less than 1 counts as 1.
    @discardableResult
    public mutating func insert(_ item: Item, at index: Int, repeatCount: Int = 1) -> Edit {
        insert([item], (0...count).contains(index) ? (0, index) : nil, repeatCount)
    }

    /// Puts items into ``items`` so that the first of them has this number.
    ///
    /// - Parameters:
    ///   - items: all refused when one already exists or two have the same identity.
    ///   - index: in 0...``count``; refused otherwise.
    @discardableResult
    public mutating func insert(contentsOf items: [Item], at index: Int) -> Edit {
        insert(items, (0...count).contains(index) ? (0, index) : nil, 1)
    }

    /// Puts an item at the end of ``items``.
    ///
    /// - Parameters:
    ///   - item: refused when one with its identity already exists. The first one of an empty list becomes current; a
    ///     list that has ended otherwise stays so until it is advanced.
    ///   - repeatCount: the number of times that it is shown in a row; less than 1 counts as 1.
    @discardableResult
    public mutating func append(_ item: Item, repeatCount: Int = 1) -> Edit { insert([item], (0, count), repeatCount) }

    /// Puts items at the end of ``items``: all refused when one already exists or two have the same identity.
    @discardableResult
    public mutating func append(contentsOf items: [Item]) -> Edit { insert(items, (0, count), 1) }

    /// Takes an item out. If it is current, the next one in the order comes, under the repeat mode; without one the
    /// list has ended.
    @discardableResult
    public mutating func remove(_ id: Item.ID) -> Edit { remove([id]) }

    /// Takes items out at once. If the current one is among them, the next one that stays comes, under the repeat mode;
    /// without one the list has ended.
    ///
    /// An interruption without items is over. An interrupted item that is removed does not come back: the one after it
    /// does.
    ///
    /// - Parameter gone: refused when none of them is there.
    @discardableResult
    public mutating func remove(_ gone: Set<Item.ID>) -> Edit {
        guard !gone.isDisjoint(with: ids) else { return .refused }
        let from = top.current?.id
        ids.subtract(gone)
        for level in levels.indices { levels[level].remove(gone.contains) }
        return settle(from: from, because: .removed)
    }

    /// Takes all items out, also those that interrupt. The list has ended if one was current.
    @discardableResult
    public mutating func removeAll() -> Edit {
        let from = top.current?.id
        let hadEnded = isEnded
        (levels, ids) = ([Level(entries: [])], [])
        top.isEnded = hadEnded || from != nil
        return Edit(from.map { Transition(from: $0, to: nil, reason: .removed, place: nil) })
    }

    /// Moves an item before another one of the same list. The current item stays the same, also if it is the one that
    /// moves.
    ///
    /// - Returns: refused when one of them is not there, or when one is in ``items`` and the other in an interruption.
    @discardableResult
    public mutating func move(_ id: Item.ID, before other: Item.ID) -> Edit {
        move(id, to: location(of: other), after: 0)
    }

    /// Moves an item after another one of the same list. The current item stays the same, also if it is the one that
    /// moves.
    ///
    /// - Returns: refused when one of them is not there, or when one is in ``items`` and the other in an interruption.
    @discardableResult
    public mutating func move(_ id: Item.ID, after other: Item.ID) -> Edit {
        move(id, to: location(of: other), after: 1)
    }

    /// Moves an item so that it has this number in its list afterwards. The current item stays the same.
    ///
    /// - Returns: refused when the item or the number is not there.
    @discardableResult
    public mutating func move(_ id: Item.ID, to index: Int) -> Edit {
        guard let old = location(of: id), levels[old.level].entries.indices.contains(index) else { return .refused }
        levels[old.level].move(from: old.index, to: index)
        return Edit(nil)
    }

    /// Puts an item in the place of another one.
    ///
    /// With the same identity only the value changes, and nothing is disturbed. Another one is a new item. It begins at
    /// once when it takes the current one's place. If it takes the interrupted one's, it begins when the interruption
    /// is over. A list that has ended stays so.
    ///
    /// - Parameters:
    ///   - id: refused when it is not there.
    ///   - item: refused when it already exists, in another place.
    ///   - repeatCount: the number of times that it is shown in a row; `nil`: as often as the other one.
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

    /// Puts other items in the place of all ``items``; interruptions go on.
    ///
    /// The current item goes on when it is among them; else the first one among them that came after it begins, else
    /// their first one. While something interrupts, the same holds for the interrupted item, which is to be shown when
    /// that is over. Items that were there keep their repeat counts and their history.
    ///
    /// - Parameter items: refused when two have the same identity, or one has that of an item that interrupts.
    @discardableResult
    public mutating func replaceAll(with items: [Item]) -> Edit {
        let newIDs = Set(items.map(\.id))
        let others = ids.subtracting(levels[0].entries.map(\.id))
        guard newIDs.count == items.count, newIDs.isDisjoint(with: others) else { return .refused }
        let from = top.current?.id
        let old = levels[0]
        // What is there still, seen from where the list was.
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

    /// Sets how often an item is shown in a row; less than 1 counts as 1. It holds from the end that comes next.
    ///
    /// - Returns: refused when the item is not there.
    @discardableResult
    public mutating func setRepeatCount(_ repeatCount: Int, of id: Item.ID) -> Edit {
        guard let (level, index) = location(of: id) else { return .refused }
        levels[level].entries[index].repeatCount = max(repeatCount, 1)
        return Edit(nil)
    }

    /// Puts a new value of an item in its place: the same identity with something else in it. The current item stays.
    ///
    /// - Returns: refused when the item is not there.
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

    /// Takes up the identities of new items; `nil` when they can't all be in the list.
    mutating func newEntries(_ items: [Item], repeatCount: Int = 1) -> [Level.Entry]? {
        let newIDs = Set(items.map(\.id))
        guard newIDs.count == items.count, newIDs.isDisjoint(with: ids) else { return nil }
        ids.formUnion(newIDs)
        return items.map { Level.Entry(item: $0, repeatCount: max(repeatCount, 1)) }
    }

    private mutating func move(_ id: Item.ID, to other: (level: Int, index: Int)?, after offset: Int) -> Edit {
        guard let old = location(of: id), let other, other.level == old.level else { return .refused }
        let index = other.index + offset - (old.index < other.index ? 1 : 0)
        // Beside itself is where it is.
        if old.index != other.index { levels[old.level].move(from: old.index, to: index) }
        return Edit(nil)
    }

    /// Settles the list after an edit: something is shown again if the shown item is gone, and interruptions without
    /// items are over.
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
