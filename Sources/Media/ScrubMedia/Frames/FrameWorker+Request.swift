internal import ScrubDecoding

extension FrameWorker {
    /// A call that waits for frames. It is answered once: by the thread, or by its own ``cancel()``.
    final class Request: Sendable {
        typealias Reply = @Sendable (Result<FrameAnswer, any Error>) -> Void

        /// What is asked for, and who is told.
        enum Work: Sendable {
            /// The frame on screen at a time, or a cheaper one within a tolerance.
            case frame(Int, at: Rational, FrameTolerance, reply: Reply)
            /// Several frames, each once and as it is decoded.
            ///
            /// - `take` may wait. It returns false once its caller takes no more.
            case frames(
                [Int], take: @Sendable (FrameAnswer) -> Bool, end: @Sendable (Result<Void, any Error>) -> Void)
        }

        private let unanswered: Locked<Work?>
        /// Ends the work for it.
        let cancellation = Cancellation()
        /// Told when it was cancelled, so that it is not waited for.
        private let leaving = Locked<(@Sendable () -> Void)?>(nil)

        init(_ work: Work) { unanswered = Locked(work) }

        /// The work; `nil` once it was answered.
        var work: Work? { unanswered.withLock { $0 } }
        var isOver: Bool { work == nil }

        private func finish() -> Work? { unanswered.exchange(\.self, for: nil) }

        /// Answers the request for one frame. Later answers are dropped.
        func answer(_ answer: FrameAnswer) {
            if case .frame(_, _, _, let reply)? = finish() { reply(.success(answer)) }
        }

        /// Ends the request for several frames: all were taken.
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

        /// Answers with a cancellation: at once, whatever the thread is doing.
        func cancel() {
            fail(CancellationError())
            cancellation.cancel()
            leaving.withLock { $0 }?()
        }

        func onCancel(_ leave: @escaping @Sendable () -> Void) { leaving.withLock { $0 = leave } }
    }
}
