internal import ScrubBase

/// A hub that sends a player's events to its subscribers.
///
/// Each subscriber has a separate buffer and receives all events of its kinds, in the order in which they were sent.
/// The hub belongs to its player: when the player is released, streams end after the events in their buffers.
/// Subscribers do not keep the player alive.
///
/// Thread safety: safe from any thread. Memory: for each subscriber at most ``bufferLimit`` events, and one more for
/// each kind whose events replace each other.
package final class PlayerEventHub: Sendable {
    /// The maximum number of events that wait for one subscriber, not counting kinds whose events replace each other.
    /// Beyond it, the oldest are dropped and counted (``Player/Event/overflow(count:)``).
    package static let bufferLimit = 256

    private let board = EventBoard()

    /// Creates a hub without subscribers.
    package init() {}

    deinit { finish() }

    /// Returns a stream of events of the given kinds, from now on.
    ///
    /// It ends if its task is cancelled, or with the hub's owner.
    package func stream(_ kinds: Player.Event.Kinds = .all) -> Player.Events { Player.Events(kinds, board: board) }

    /// Calls a closure for each event of the given kinds, from now on.
    ///
    /// - Parameter body: called on the thread where the event occurred, with no lock held, one call at a time and in
    ///   order. It may call the player; events caused by that call are sent after it returns. It must not block.
    /// - Returns: the observation. Releasing it ends the calls.
    package func observe(
        _ kinds: Player.Event.Kinds = .all, _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation { observe(kinds, finished: {}, body) }

    /// Observes like ``observe(_:_:)``.
    ///
    /// - Parameter finished: called when the owner was released and no further events follow.
    func observe(
        _ kinds: Player.Event.Kinds, finished: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation {
        let observation = Player.Observation(
            EventBuffer(kinds, limit: PlayerEventHub.bufferLimit), finished: finished, body)
        board.add(observation)
        return observation
    }

    /// Sends an event to all subscribers of its kind. It never blocks. Call it with no lock held.
    package func publish(_ event: Player.Event) { board.publish([event]) }

    /// Sends several events that belong together, with no other events in between.
    package func publish(_ events: [Player.Event]) { board.publish(events) }

    /// Ends all streams after the events in their buffers. Later events are not sent.
    package func finish() { board.finish() }

    /// The current number of subscribers.
    package var subscriberCount: Int { board.subscriberCount }
}

/// A subscriber of events.
protocol EventSubscriber: AnyObject, Sendable {
    /// Appends events to the buffer. It is called under the board's lock, so it must not call other code.
    func append(_ events: [Player.Event])
    /// Called when no further events follow.
    func finish()
    /// Called after the lock is released: the subscriber has events in its buffer.
    func wake()
}

/// The list of subscribers. It retains neither the hub nor its subscribers.
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
        // One lock for all buffers, so that all subscribers see the same order. Strong references also leave it,
        // because the last one may be released here.
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
