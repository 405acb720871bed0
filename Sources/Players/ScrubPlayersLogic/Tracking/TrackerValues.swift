internal import ScrubBase

extension ProgressTracker {
    /// The positions that a tracker reports, as an asynchronous sequence (``ProgressTracker/values()``).
    ///
    /// The sequence holds only the newest value, so a slow reader misses earlier ones. Iterators of one sequence share
    /// its values: each value goes to only one of them. The sequence never throws and does not keep the tracker alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Values: AsyncSequence, Sendable {
        /// The type of a value.
        public typealias Element = ProgressTracker.Value
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        let reader: MailboxReader<ProgressTracker.Value>

        /// Creates an iterator, which shares its position with the sequence's other iterators.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a tracker's values.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<ProgressTracker.Value>

            /// Returns the newest value, after waiting for one if the newest value has already been returned. Returns
            /// `nil` once the tracker has been released, or once a task has been cancelled while waiting for a value of
            /// this sequence.
            public mutating func next() async -> ProgressTracker.Value? { await reader.next() }
        }
    }
}

extension VisibilityTracker {
    /// The visibility of a player's controls, as an asynchronous sequence (``VisibilityTracker/values()``).
    ///
    /// The sequence holds only the newest value, so a slow reader misses earlier ones. Iterators of one sequence share
    /// its values: each value goes to only one of them. The sequence never throws and does not keep the tracker alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Values: AsyncSequence, Sendable {
        /// The type of a value.
        public typealias Element = Bool
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        let reader: MailboxReader<Bool>

        /// Creates an iterator, which shares its position with the sequence's other iterators.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a tracker's values.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<Bool>

            /// Returns the newest value, after waiting for one if the newest value has already been returned. Returns
            /// `nil` once the tracker has been released, or once a task has been cancelled while waiting for a value of
            /// this sequence.
            public mutating func next() async -> Bool? { await reader.next() }
        }
    }
}
