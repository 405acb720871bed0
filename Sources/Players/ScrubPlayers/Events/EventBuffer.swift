/// A buffer of events that a subscriber has not read yet.
///
/// For kinds that report a state, only the newest event is kept, and dropped frames are summed up. For all other kinds,
/// the oldest events are dropped if there are too many, and their number is reported instead.
struct EventBuffer {
    private let kinds: Player.Event.Kinds
    private let limit: Int
    private var events: [Player.Event] = []
    /// The number of ``events`` to which the limit applies.
    private var limitedCount = 0
    private var lostCount = 0

    /// Creates an empty buffer.
    ///
    /// - Parameter limit: the maximum number of events of kinds that are not replaced, 1 or more.
    init(_ kinds: Player.Event.Kinds, limit: Int) { (self.kinds, self.limit) = (kinds, max(1, limit)) }

    var count: Int { events.count + (lostCount > 0 ? 1 : 0) }

    /// Appends an event if its kind was requested.
    mutating func append(_ event: Player.Event) {
        guard kinds.contains(event.kind) else { return }
        guard EventBuffer.isLimited(event) else { return replace(event) }
        if limitedCount >= limit, let oldest = events.firstIndex(where: EventBuffer.isLimited) {
            events.remove(at: oldest)
            limitedCount -= 1
            lostCount += 1
        }
        events.append(event)
        limitedCount += 1
    }

    /// Removes and returns the oldest event.
    mutating func popFirst() -> Player.Event? {
        if lostCount > 0 {
            defer { lostCount = 0 }
            return .overflow(count: lostCount)
        }
        guard !events.isEmpty else { return nil }
        if EventBuffer.isLimited(events[0]) { limitedCount -= 1 }
        return events.removeFirst()
    }

    /// Replaces the event of the same kind, and moves it to the end.
    private mutating func replace(_ event: Player.Event) {
        var event = event
        if let old = events.firstIndex(where: { $0.kind == event.kind }) {
            if case .framesDropped(let before) = events[old], case .framesDropped(let now) = event {
                event = .framesDropped(before + now)
            }
            events.remove(at: old)
        }
        events.append(event)
    }

    private static func isLimited(_ event: Player.Event) -> Bool {
        event.kind.isDisjoint(with: Player.Event.Kinds.newestOnly.union(.framesDropped))
    }
}
