internal import ScrubDecoding

extension FrameWorker {
    /// A call that waits for frames. It is answered once, either by the thread or by its own ``cancel()``.
    final class Request: Sendable {
        typealias Reply = @Sendable (Result<FrameAnswer, any Error>) -> Void

        /// The requested work, with its callbacks.
        enum Work: Sendable {
            /// The frame on screen at a time, or a cheaper one within a tolerance.
            case frame(Int, at: Rational, FrameTolerance, reply: Reply)
            /// Several frames, each delivered once, as it is decoded.
            ///
            /// - `take` may wait. It returns false once its caller accepts no more frames.
            case frames(
                [Int], take: @Sendable (FrameAnswer) -> Bool, end: @Sendable (Result<Void, any Error>) -> Void)
        }

        private let unanswered: Locked<Work?>
        /// Cancels the work.
        let cancellation = Cancellation()
        /// Called when the request is cancelled, so that its caller does not wait.
        private let leaving = Locked<(@Sendable () -> Void)?>(nil)

        init(_ work: Work) { unanswered = Locked(work) }

        /// The work; `nil` after the request was answered.
        var work: Work? { unanswered.withLock { $0 } }
        var isOver: Bool { work == nil }

        private func finish() -> Work? { unanswered.exchange(\.self, for: nil) }

        /// Answers the request for one frame. Later answers are dropped.
        func answer(_ answer: FrameAnswer) {
            if case .frame(_, _, _, let reply)? = finish() { reply(.success(answer)) }
        }

        /// Completes the request for several frames. All were taken.
        func end() {
            if case .frames(_, _, let end)? = finish() { end(.success(())) }
        }

        func fail(_ error: any Error) {
            switch finish() {
            case .frame(_, _, _, let reply): reply(.failure(error))
            case .frames(_, _, let end): end(.failure(error))
            case nil: break
            }
        }

        /// Answers with a cancellation at once, whatever the thread is doing.
        func cancel() {
            fail(CancellationError())
            cancellation.cancel()
            leaving.withLock { $0 }?()
        }

        func onCancel(_ leave: @escaping @Sendable () -> Void) { leaving.withLock { $0 = leave } }
    }
}
