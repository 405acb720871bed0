extension ScrubSession {
    /// A session's pictures as an asynchronous sequence, for any task or actor (``ScrubSession/updates``).
    ///
    /// It holds one picture, the newest: a reader that is busy misses those in between. Iterators of one value share
    /// its pictures, so each goes to one of them. To let several readers get every picture, read
    /// ``ScrubSession/updates`` once for each. The sequence never throws and does not keep the session alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Updates: AsyncSequence, Sendable {
        /// The type of a picture with its facts.
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

            /// Returns the newest picture that was not returned yet, or waits for one. Returns `nil` after the end of
            /// the session, and once a task that waits for a picture of this sequence was cancelled.
            public mutating func next() async -> ScrubSession.Update? { await reader.next() }
        }
    }

    /// A session's events as an asynchronous sequence, for any task or actor (``ScrubSession/events``).
    ///
    /// It holds at most 1,024 events that were not read, and then drops the oldest. Iterators of one value share its
    /// events, so each goes to one of them. To let several readers get every event, read ``ScrubSession/events`` once
    /// for each. The sequence never throws and does not keep the session alive.
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

            /// Returns the oldest event that was not returned yet, or waits for one. Returns `nil` after the end of the
            /// session, and once a task that waits for an event of this sequence was cancelled.
            public mutating func next() async -> ScrubSession.Event? { await reader.next() }
        }
    }
}
