extension ScrubSession {
    /// A session's pictures as an asynchronous sequence, for any task or actor (``ScrubSession/updates``).
    ///
    /// The sequence holds only the newest picture, so a slow reader misses earlier ones. All iterators of a sequence
    /// share its pictures: each picture goes to only one iterator. If several readers need the same pictures, get a
    /// separate sequence from ``ScrubSession/updates`` for each reader. The sequence never throws and does not keep the
    /// session alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Updates: AsyncSequence, Sendable {
        /// The element type.
        public typealias Element = ScrubSession.Update
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        private let reader: MailboxReader<ScrubSession.Update>

        init(_ reader: MailboxReader<ScrubSession.Update>) { self.reader = reader }

        /// Creates an iterator, which continues where the sequence's other iterators are.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a session's pictures.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<ScrubSession.Update>

            /// Returns the newest picture that has not been returned yet, or waits for one. Returns `nil` after the end
            /// of the session, or after a task was cancelled while waiting for a picture from this sequence.
            public mutating func next() async -> ScrubSession.Update? { await reader.next() }
        }
    }

    /// A session's events as an asynchronous sequence, for any task or actor (``ScrubSession/events``).
    ///
    /// The sequence holds at most 1,024 unread events, and drops the oldest first. All iterators of a sequence share
    /// its events: each event goes to only one iterator. If several readers need the same events, get a separate
    /// sequence from ``ScrubSession/events`` for each reader. The sequence never throws and does not keep the session
    /// alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Events: AsyncSequence, Sendable {
        /// The event type.
        public typealias Element = ScrubSession.Event
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        private let reader: MailboxReader<ScrubSession.Event>

        init(_ reader: MailboxReader<ScrubSession.Event>) { self.reader = reader }

        /// Creates an iterator, which continues where the sequence's other iterators are.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a session's events.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<ScrubSession.Event>

            /// Returns the oldest event that has not been returned yet, or waits for one. Returns `nil` after the end
            /// of the session, or after a task was cancelled while waiting for an event from this sequence.
            public mutating func next() async -> ScrubSession.Event? { await reader.next() }
        }
    }
}
