extension ScrubSession {
    /// A session's pictures as an asynchronous sequence, for any task or actor (``ScrubSession/updates``).
    ///
    /// The sequence holds only the newest picture, so a slow reader misses earlier ones. Iterators of one value share
    /// its pictures: each picture goes to only one of them. If several readers need every picture, read
    /// ``ScrubSession/updates`` once for each reader. The sequence never throws and does not keep the session alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Updates: AsyncSequence, Sendable {
        /// The element type: a picture and its properties.
        public typealias Element = ScrubSession.Update
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        private let reader: MailboxReader<ScrubSession.Update>

        init(_ reader: MailboxReader<ScrubSession.Update>) { self.reader = reader }

        /// Creates an iterator, which continues where the value's other iterators are.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a session's pictures.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<ScrubSession.Update>

            /// Returns the newest picture that has not been returned yet, or waits for one. Returns `nil` after the end
            /// of the session, or after a task was cancelled while it waited for a picture of this sequence.
            public mutating func next() async -> ScrubSession.Update? { await reader.next() }
        }
    }

    /// A session's events as an asynchronous sequence, for any task or actor (``ScrubSession/events``).
    ///
    /// The sequence holds at most 1,024 unread events, and drops the oldest first. Iterators of one value share its
    /// events: each event goes to only one of them. If several readers need every event, read ``ScrubSession/events``
    /// once for each reader. The sequence never throws and does not keep the session alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Events: AsyncSequence, Sendable {
        /// The event type.
        public typealias Element = ScrubSession.Event
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        private let reader: MailboxReader<ScrubSession.Event>

        init(_ reader: MailboxReader<ScrubSession.Event>) { self.reader = reader }

        /// Creates an iterator, which continues where the value's other iterators are.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a session's events.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<ScrubSession.Event>

            /// Returns the oldest event that has not been returned yet, or waits for one. Returns `nil` after the end
            /// of the session, or after a task was cancelled while it waited for an event of this sequence.
            public mutating func next() async -> ScrubSession.Event? { await reader.next() }
        }
    }
}
