/// Events that a subscriber has not read yet.
///
/// Of kinds that tell a state only the newest stays, and dropped frames are summed up. Of all others the oldest go when
/// there are too many: their number is told in their place.
struct EventBuffer {
    private let kinds: Player.Event.Kinds
    private let limit: Int
    private var events: [Player.Event] = []
    /// Of ``events``, those that the limit is for.
    private var limitedCount = 0
    private var lostCount = 0

    /// - Parameter limit: the most events of kinds that are not replaced, 1 or more.
    init(_ kinds: Player.Event.Kinds, limit: Int) { (self.kinds, self.limit) = (kinds, max(1, limit)) }

    var count: Int { events.count + (lostCount > 0 ? 1 : 0) }

    /// Takes an event down, if it is of a kind that is asked for.
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

    /// Returns the oldest event.
    mutating func popFirst() -> Player.Event? {
        if lostCount > 0 {
            defer { lostCount = 0 }
            return .overflow(count: lostCount)
        }
        guard !events.isEmpty else { return nil }
        if EventBuffer.isLimited(events[0]) { limitedCount -= 1 }
        return events.removeFirst()
    }

    /// Puts an event at the end in place of the one of its kind.
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
