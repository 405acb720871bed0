extension GrowingVideo {
    /// The updates of a recording as an asynchronous sequence (``GrowingVideo/updates(interval:patience:)``).
    ///
    /// Each iterator starts with all known frames and follows the recording independently of other iterators. The file
    /// is read only during calls to `next()`. The sequence keeps the recording open.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time. Memory: only the updates that
    /// the caller holds.
    public struct Updates: AsyncSequence, Sendable {
        /// The element type.
        public typealias Element = GrowingVideo.Update

        private let follow: @Sendable () -> (@Sendable () async throws -> GrowingVideo.Update?)

        /// Creates a sequence.
        ///
        /// - Parameter follow: begins to follow the recording, and returns a closure for the next part, which is `nil`
        ///   after the end.
        init(_ follow: @escaping @Sendable () -> (@Sendable () async throws -> GrowingVideo.Update?)) {
            self.follow = follow
        }

        /// Creates an iterator that starts with all known frames.
        public func makeAsyncIterator() -> Iterator { Iterator(step: follow()) }

        /// An iterator over the updates of a recording.
        public struct Iterator: AsyncIteratorProtocol {
            let step: @Sendable () async throws -> GrowingVideo.Update?

            /// Waits for new frames and returns them. Returns `nil` after the update that is marked as finished.
            ///
            /// - Throws: the errors of ``GrowingVideo/extend()``; `CancellationError` if the task was cancelled.
            public mutating func next() async throws -> GrowingVideo.Update? { try await step() }
        }
    }
}
