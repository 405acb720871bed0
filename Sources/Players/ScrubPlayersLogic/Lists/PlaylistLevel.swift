/// One of the lists in a playlist: its own, or the items of an interruption.
struct PlaylistLevel<Item: Identifiable & Sendable, Place: Sendable>: Sendable where Item.ID: Sendable {
    /// An item of the list with its history.
    struct Entry: Sendable {
        var item: Item
        /// The number of times that it plays in a row, 1 or more.
        var repeatCount: Int
        /// The number of times that it has begun.
        var timesShown = 0
        var hasFailed = false

        var id: Item.ID { item.id }
    }

    /// A position in the list.
    enum Cursor: Sendable, Hashable {
        case at(Int)
        /// Between two items, before the one with this index: the item that was there was removed.
        case gap(Int)
    }

    var entries: [Entry]
    var cursor = Cursor.gap(0)
    /// The number of the current showing in a row, from 1.
    var pass = 0
    /// The position at which the current item resumes after its interruption; `nil` while there is no interruption.
    var place: Place?
    /// For an interruption: whether a user may skip it before its end.
    var skip = InterruptionSkipPolicy.allowed
    /// Whether its last item was shown to its end.
    var isEnded = false

    init(entries: [Entry]) { self.entries = entries }

    var currentIndex: Int? {
        if case .at(let index) = cursor { index } else { nil }
    }
    /// The index of the current item, or of the one after the gap.
    var position: Int {
        switch cursor {
        case .at(let index), .gap(let index): index
        }
    }
    var current: Entry? { currentIndex.map { entries[$0] } }

    func index(of id: Item.ID) -> Int? { entries.firstIndex { $0.id == id } }

    /// Returns the nearest item in a direction that has not failed. With `wraps`, the search continues from the other
    /// end, up to the current item itself.
    func neighbour(_ direction: PlaybackDirection, wraps: Bool) -> Int? {
        let (before, after): (Int, Int) =
            switch cursor {
            case .at(let index): (index, index + 1)
            case .gap(let index): (index, index)
            }
        let isWhole = { (index: Int) in !entries[index].hasFailed }
        switch direction {
        case .forward:
            return (after..<entries.count).first(where: isWhole) ?? (wraps ? (0..<after).first(where: isWhole) : nil)
        case .backward:
            return (0..<before).last(where: isWhole)
                ?? (wraps ? (before..<entries.count).last(where: isWhole) : nil)
        }
    }

    /// Makes an item current, from its beginning.
    mutating func begin(at index: Int) {
        cursor = .at(index)
        pass = 1
        entries[index].timesShown += 1
        (place, isEnded) = (nil, false)
    }

    /// Repeats the current item.
    mutating func `repeat`(at index: Int) {
        let pass = pass
        begin(at: index)
        self.pass = pass == .max ? pass : pass + 1
    }

    /// Inserts entries before `index`, or at the end. The current item stays current; at a gap, they are inserted after
    /// it.
    mutating func insert(_ new: [Entry], at index: Int) {
        entries.insert(contentsOf: new, at: index)
        switch cursor {
        case .at(let current) where index <= current: cursor = .at(current + new.count)
        case .gap(let gap) where index < gap: cursor = .gap(gap + new.count)
        default: break
        }
    }

    /// Removes entries. If the current one is removed, its position becomes a gap.
    mutating func remove(_ isGone: (Item.ID) -> Bool) {
        func remaining(before index: Int) -> Int { entries[..<index].count { !isGone($0.id) } }
        switch cursor {
        case .gap(let gap): cursor = .gap(remaining(before: gap))
        case .at(let current) where isGone(entries[current].id): leaveCurrent(for: remaining(before: current))
        case .at(let current): cursor = .at(remaining(before: current))
        }
        entries.removeAll { isGone($0.id) }
    }

    /// Moves an entry to an index. The current item stays current.
    mutating func move(from old: Int, to index: Int) {
        let isCurrent = cursor == .at(old)
        let entry = entries.remove(at: old)
        switch cursor {
        case .at(let current) where old < current: cursor = .at(current - 1)
        case .gap(let gap) where old < gap: cursor = .gap(gap - 1)
        default: break
        }
        insert([entry], at: index)
        if isCurrent { cursor = .at(index) }
    }

    /// Leaves the current item, which is being removed. The next one is the one after the gap.
    mutating func leaveCurrent(for gap: Int) {
        cursor = .gap(gap)
        (pass, place) = (0, nil)
    }
}

extension PlaylistLevel.Entry: Equatable where Item: Equatable {}
extension PlaylistLevel: Equatable where Item: Equatable, Place: Equatable {}
