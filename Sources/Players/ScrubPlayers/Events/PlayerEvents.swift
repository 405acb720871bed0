internal import ScrubBase

extension Player {
    /// An asynchronous sequence of a player's events, beginning when the sequence is requested.
    ///
    /// The first iterator receives all events from that moment on. Any further iterator of the same sequence receives
    /// all events after its own creation. The sequence ends when the player is released, and does not retain any part
    /// of the player.
    ///
    /// Thread safety: safe from any task; only one task may use an iterator at a time.
    public struct Events: AsyncSequence, Sendable {
        /// The event type.
        public typealias Element = Player.Event
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        private let kinds: Player.Event.Kinds
        private let board: EventBoard
        /// The subscription that began with the sequence, until an iterator takes it.
        private let first: Locked<EventMailbox?>

        init(_ kinds: Player.Event.Kinds, board: EventBoard) {
            (self.kinds, self.board) = (kinds, board)
            let mailbox = EventMailbox(kinds)
            board.add(mailbox)
            first = Locked(mailbox)
        }

        /// Creates an iterator.
        public func makeAsyncIterator() -> Iterator {
            if let taken = first.exchange(\.self, for: nil) { return Iterator(mailbox: taken) }
            let mailbox = EventMailbox(kinds)
            board.add(mailbox)
            return Iterator(mailbox: mailbox)
        }

        /// An iterator over events.
        public struct Iterator: AsyncIteratorProtocol {
            let mailbox: EventMailbox

            /// Returns the next event, or `nil` if the player was released or the task was cancelled.
            public mutating func next() async -> Player.Event? { await mailbox.next() }
        }
    }
}

/// One stream's buffer, with the task that is waiting for an event.
final class EventMailbox: EventSubscriber {
    private struct State {
        var buffer: EventBuffer
        var waiter: CheckedContinuation<Player.Event?, Never>?
        var isFinished = false
    }

    private let state: Locked<State>

    init(_ kinds: Player.Event.Kinds) {
        state = Locked(State(buffer: EventBuffer(kinds, limit: PlayerEventHub.bufferLimit)))
    }

    func append(_ events: [Player.Event]) {
        state.withLock { state in
            for event in events { state.buffer.append(event) }
        }
    }

    func wake() {
        let (waiter, event) = state.withLock { state -> (CheckedContinuation<Player.Event?, Never>?, Player.Event?) in
            guard state.waiter != nil, let event = state.buffer.popFirst() else { return (nil, nil) }
            defer { state.waiter = nil }
            return (state.waiter, event)
        }
        waiter?.resume(returning: event)
    }

    func finish() {
        // A waiting subscriber has an empty buffer, except for an event that is being sent.
        let (waiter, event) = state.withLock { state -> (CheckedContinuation<Player.Event?, Never>?, Player.Event?) in
            state.isFinished = true
            guard let waiter = state.waiter else { return (nil, nil) }
            state.waiter = nil
            return (waiter, state.buffer.popFirst())
        }
        waiter?.resume(returning: event)
    }

    func next() async -> Player.Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Player.Event?? in
                    precondition(
                        state.waiter == nil, "two tasks use the same iterator: give each task its own iterator")
                    if Task.isCancelled { return .some(nil) }
                    if let event = state.buffer.popFirst() { return event }
                    if state.isFinished { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.exchange(\.waiter, for: nil)?.resume(returning: nil)
        }
    }
}
