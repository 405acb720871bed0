/// Items in an order, the current one among them, and which one comes next.
///
/// Each item is in the list once, by its identity. A film that is to be shown in two places is two items. An item that
/// is to be shown twice in a row has a repeat count. The list can be edited at any time; the current item goes on
/// undisturbed unless it is the one that is removed. Which item comes next is worked out whenever it is asked, so that
/// an edit is never too late.
///
/// ``interrupt(with:returningTo:skip:)`` puts items (an advertisement) between two moments of the current item. They
/// are a list of their own beside ``items``, are gone when they were shown, and can be interrupted too.
///
/// `Place` is where in an interrupted item playback goes on: a time in seconds as a `Rational`, a frame's number. The
/// list keeps it and gives it back.
///
/// Thread safety: a value. Cost: looking up an item and editing take time in proportion to the number of items.
public struct Playlist<Item: Identifiable & Sendable, Place: Sendable>: Sendable where Item.ID: Sendable {
    /// A change of the current item.
    public typealias Transition = PlaylistTransition<Item.ID, Place>
    /// The outcome of an edit.
    public typealias Edit = PlaylistEdit<Item.ID, Place>
    typealias Level = PlaylistLevel<Item, Place>

    /// The action at the end of an item. Interruptions are never repeated by it.
    public var repeatMode: RepeatMode
    /// The list itself, and above it each interruption of the one below.
    var levels: [Level]
    /// The identities of all levels.
    var ids: Set<Item.ID>

    /// Makes a list whose first item is current.
    ///
    /// - Parameters:
    ///   - items: of items with the same identity only the first one is taken.
    ///   - repeatMode: the action at the end of an item.
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

    /// The items in their order, without those that interrupt.
    public var items: [Item] { levels[0].entries.map(\.item) }
    /// The number of items, without those that interrupt.
    public var count: Int { levels[0].entries.count }
    /// Whether the list has no items, not counting those that interrupt.
    public var isEmpty: Bool { levels[0].entries.isEmpty }
    /// Whether an item is in the list or interrupts it.
    public func contains(_ id: Item.ID) -> Bool { ids.contains(id) }
    /// An item of the list, or one that interrupts it.
    public subscript(id: Item.ID) -> Item? { entry(id)?.item }

    /// The item that is shown, an interrupting one too. After the end it is still the last one; `nil` when there never
    /// was one, or when it was removed and none came after it.
    public var currentItem: Item? { top.current?.item }
    /// The current item's number in ``items``; `nil` while something interrupts, and without a current item.
    public var currentIndex: Int? { isInterrupted ? nil : levels[0].currentIndex }
    /// The number of times that the current item has been shown in a row, this time included; 0 if no item is current.
    public var currentPass: Int { top.pass }
    /// Whether the last item was shown to its end or removed, and nothing came after it.
    public var isEnded: Bool { top.isEnded }

    /// Whether the current item is one that interrupts.
    public var isInterrupted: Bool { levels.count > 1 }
    /// The number of interruptions under way, each within the one before.
    public var interruptionDepth: Int { levels.count - 1 }
    /// The items of the innermost interruption, those that were shown already too.
    public var interruptingItems: [Item] { isInterrupted ? top.entries.map(\.item) : [] }
    /// The item of ``items`` that goes on when all interruptions are over; `nil` when none waits.
    public var interruptedItem: Item? { isInterrupted ? levels[0].current?.item : nil }

    /// The item that comes when the current one was shown to its end: itself, when it is to be repeated. `nil` when the
    /// list ends then.
    ///
    /// To be asked again after each edit.
    public var next: Item? { upcoming().flatMap { $0.to }.flatMap { self[$0] } }
    /// The item that a person gets who skips backward; `nil` at the first one.
    public var previous: Item? { upcoming(.skip, .backward).flatMap { $0.to }.flatMap { self[$0] } }

    /// Returns the number of times that an item is shown in a row, 1 or more; `nil` if it is not there.
    public func repeatCount(of id: Item.ID) -> Int? { entry(id)?.repeatCount }
    /// Returns the number of times that an item has begun, repeats included; going on after an interruption does not
    /// count. `nil` if it is not there.
    public func timesShown(of id: Item.ID) -> Int? { entry(id)?.timesShown }
    /// Whether an item could not be shown.
    public func hasFailed(_ id: Item.ID) -> Bool { entry(id)?.hasFailed ?? false }

    /// Returns the place of an item: its list, and its number there.
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
