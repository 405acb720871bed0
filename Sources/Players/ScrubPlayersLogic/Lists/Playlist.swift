/// An ordered list of items, one of which is current. The list determines which item comes next.
///
/// Each identity occurs at most once in the list. To show a video in two places, add two items. To show an item several
/// times in a row, set its repeat count. The list can be edited at any time, and the current item continues undisturbed
/// unless the edit removes or replaces it. The next item is determined each time it is requested, so edits take effect
/// up to the end of the current item.
///
/// ``interrupt(with:returningTo:skip:)`` shows other items, such as an advertisement, in the middle of the current
/// item. These items form a list separate from ``items``, are removed when the interruption ends, and can be
/// interrupted too.
///
/// `Place` is the position at which an interrupted item resumes: a time in seconds as a `Rational`, or a frame number.
/// The list only stores the position and returns it.
///
/// Thread safety: a value type. Cost: lookups and edits take time proportional to the number of items.
public struct Playlist<Item: Identifiable & Sendable, Place: Sendable>: Sendable where Item.ID: Sendable {
    /// A change of the current item.
    public typealias Transition = PlaylistTransition<Item.ID, Place>
    /// The outcome of an edit.
    public typealias Edit = PlaylistEdit<Item.ID, Place>
    typealias Level = PlaylistLevel<Item, Place>

    /// What the list does at the end of an item. The mode does not apply to interruptions.
    public var repeatMode: RepeatMode
    /// The list itself, followed by each interruption of the level below.
    var levels: [Level]
    /// The identities of the items on all levels.
    var ids: Set<Item.ID>

    /// Creates a list whose first item is current.
    ///
    /// - Parameters:
    ///   - items: the items. If several items have the same identity, only the first of them is used.
    ///   - repeatMode: what the list does at the end of an item.
    public init(_ items: [Item] = [], repeatMode: RepeatMode = .off) {
        var ids: Set<Item.ID> = []
        let entries = items.filter { ids.insert($0.id).inserted }.map { Level.Entry(item: $0, repeatCount: 1) }
        self.repeatMode = repeatMode
        self.ids = ids
        levels = [Level(entries: entries)]
        if !entries.isEmpty { levels[0].begin(at: 0) }
    }

    var top: Level {
        get { levels[levels.count - 1] }
        set { levels[levels.count - 1] = newValue }
    }

    /// The items in order, excluding interrupting items.
    public var items: [Item] { levels[0].entries.map(\.item) }
    /// The number of items, excluding interrupting items.
    public var count: Int { levels[0].entries.count }
    /// Whether the list has no items, excluding interrupting items.
    public var isEmpty: Bool { levels[0].entries.isEmpty }
    /// Returns whether an item is in the list or in an interruption.
    public func contains(_ id: Item.ID) -> Bool { ids.contains(id) }
    /// The item with the given identity, in the list or in an interruption.
    public subscript(id: Item.ID) -> Item? { entry(id)?.item }

    /// The current item, which may be an interrupting item. When the list has ended, its last item is still current.
    /// The value is `nil` if no item has ever been current, or if the current item was removed and no item followed it.
    public var currentItem: Item? { top.current?.item }
    /// The current item's index in ``items``; `nil` during an interruption, or if no item is current.
    public var currentIndex: Int? { isInterrupted ? nil : levels[0].currentIndex }
    /// The number of times that the current item has been shown in a row, including this time; 0 if no item is current.
    public var currentRepetition: Int { top.pass }
    /// Whether the list has ended: an item played to its end or was removed, and no item followed it.
    public var isEnded: Bool { top.isEnded }

    /// Whether the current item belongs to an interruption.
    public var isInterrupted: Bool { levels.count > 1 }
    /// The number of nested interruptions in progress.
    public var interruptionDepth: Int { levels.count - 1 }
    /// The items of the innermost interruption, including those already shown.
    public var interruptingItems: [Item] { isInterrupted ? top.entries.map(\.item) : [] }
    /// The item of ``items`` that resumes when all interruptions end; `nil` if there is none.
    public var interruptedItem: Item? { isInterrupted ? levels[0].current?.item : nil }

    /// The item that follows when the current item ends, which is the same item if it repeats. `nil` if the list ends
    /// with the current item.
    ///
    /// Read this property again after each edit.
    public var next: Item? { nextTransition().flatMap { $0.to }.flatMap { self[$0] } }
    /// The item that a user reaches by skipping back; `nil` if there is none.
    public var previous: Item? {
        nextTransition(for: .skip, direction: .backward).flatMap { $0.to }.flatMap { self[$0] }
    }

    /// Returns the number of times that an item plays in a row, 1 or more; `nil` if the item does not exist.
    public func repeatCount(of id: Item.ID) -> Int? { entry(id)?.repeatCount }
    /// Returns the number of times that an item has begun, including repeats but not resumptions after an interruption.
    /// `nil` if the item does not exist.
    public func startCount(of id: Item.ID) -> Int? { entry(id)?.timesShown }
    /// Returns whether an item is marked as failed.
    public func hasFailed(_ id: Item.ID) -> Bool { entry(id)?.hasFailed ?? false }

    /// Returns the location of an item: its level, and its index there.
    func location(of id: Item.ID) -> (level: Int, index: Int)? {
        guard ids.contains(id) else { return nil }
        for level in levels.indices {
            if let index = levels[level].index(of: id) { return (level, index) }
        }
        return nil
    }

    func entry(_ id: Item.ID) -> Level.Entry? { location(of: id).map { levels[$0.level].entries[$0.index] } }
}

extension Playlist: Equatable where Item: Equatable, Place: Equatable {}
