internal import ScrubBase

/// Sends a player's events to its subscribers.
///
/// Each subscriber has a buffer of its own and hears everything that it asked for, in the one order in which it was
/// sent. The hub belongs to its player: when that goes, streams end after the events in their buffers. No subscriber
/// keeps it alive.
///
/// Thread safety: safe from any thread. Memory: for each subscriber at most ``bufferLimit`` events, and one more for
/// each kind that replaces its own.
public final class PlayerEventHub: Sendable {
    /// Events of kinds that are not replaced that wait for one subscriber at most; beyond, the oldest go and are
    /// counted (``Player/Event/overflow(count:)``).
    public static let bufferLimit = 256

    private let board = EventBoard()

    /// Makes a hub without subscribers.
    public init() {}

    deinit { finish() }

    /// Returns a stream of the events of some kinds from now on.
    ///
    /// Ends when its task is cancelled, or with the hub's owner.
    public func stream(_ kinds: Player.Event.Kinds = .all) -> Player.Events { Player.Events(kinds, board: board) }

    /// Has a function called for each event of some kinds from now on.
    ///
    /// - Parameter body: called on the thread where it happened, with no lock held, one call at a time and in order. It
    ///   may call the player back: the effects of that call are told after it returned. It must not block.
    /// - Returns: the observation: releasing it ends the calls.
    public func observe(
        _ kinds: Player.Event.Kinds = .all, _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation { observe(kinds, finished: {}, body) }

    /// As ``observe(_:_:)``.
    ///
    /// - Parameter finished: told when the owner has gone: nothing more comes.
    func observe(
        _ kinds: Player.Event.Kinds, finished: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation {
        let observation = Player.Observation(
            EventBuffer(kinds, limit: PlayerEventHub.bufferLimit), finished: finished, body)
        board.add(observation)
        return observation
    }

    /// Sends an event to all who asked for its kind. Never blocks; call it with no lock held.
    public func publish(_ event: Player.Event) { board.publish([event]) }

    /// Sends several events that belong together: no other events come between them.
    public func publish(_ events: [Player.Event]) { board.publish(events) }

    /// Ends all streams after the events in their buffers; more events are not told.
    public func finish() { board.finish() }

    /// The number of present subscribers.
    public var subscriberCount: Int { board.subscriberCount }
}

/// A subscriber of events.
protocol EventSubscriber: AnyObject, Sendable {
    /// Takes an event into its buffer; called under the board's lock, so it must not call out.
    func append(_ events: [Player.Event])
    /// No more events come.
    func finish()
    /// Called after the lock is left: the subscriber has events in its buffer.
    func wake()
}

/// The subscribers. It keeps neither the hub nor its subscribers alive.
final class EventBoard: Sendable {
    private struct Entry {
        weak var subscriber: (any EventSubscriber)?
    }

    private struct State {
        var entries: [Entry] = []
        var isFinished = false
    }

    private let state = Locked(State())

    var subscriberCount: Int { state.withLock { state in state.entries.count { $0.subscriber != nil } } }

    func add(_ subscriber: any EventSubscriber) {
        let isFinished = state.withLock { state in
            guard !state.isFinished else { return true }
            state.entries.removeAll { $0.subscriber == nil }
            state.entries.append(Entry(subscriber: subscriber))
            return false
        }
        if isFinished { subscriber.finish() }
    }

    func publish(_ events: [Player.Event]) {
        // One lock for all buffers: everybody hears one order. Strong references leave it too: the last one may go
        // here.
        let subscribers = state.withLock { state -> [any EventSubscriber] in
            guard !state.isFinished else { return [] }
            let subscribers = state.entries.compactMap(\.subscriber)
            if subscribers.count < state.entries.count { state.entries.removeAll { $0.subscriber == nil } }
            for subscriber in subscribers { subscriber.append(events) }
            return subscribers
        }
        for subscriber in subscribers { subscriber.wake() }
    }

    func finish() {
        let subscribers = state.withLock { state -> [any EventSubscriber] in
            guard !state.isFinished else { return [] }
            state.isFinished = true
            defer { state.entries = [] }
            return state.entries.compactMap(\.subscriber)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
