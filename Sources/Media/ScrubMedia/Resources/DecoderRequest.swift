internal import ScrubBase

/// A place in a ``DecoderPool``'s line. Releasing it leaves the request in line.
///
/// Thread safety: safe from any thread.
package final class DecoderRequest: Sendable {
    /// Of the two exactly one is called.
    struct Answers: Sendable {
        let granted: @Sendable (DecoderPool.Lease) -> Void
        let cancelled: @Sendable () -> Void
    }

    private let pool: DecoderPool
    private let number: Int

    init(pool: DecoderPool, number: Int) { (self.pool, self.number) = (pool, number) }

    /// Leaves the line. A lease that was granted and not handed over yet passes on to the next.
    ///
    /// - Returns: true when the request is never granted; false when it was, or is being granted right now, or was
    ///   cancelled before.
    @discardableResult
    package func cancel() -> Bool { pool.cancel(request: number) }
}

/// A request that may be cancelled before it is made.
final class PendingRequest: Sendable {
    private enum State {
        case unmade, cancelled
        case made(DecoderRequest)
    }

    private let state = Locked(State.unmade)

    /// The request is made; it is cancelled at once if that was wished before.
    func begin(_ request: DecoderRequest) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .made(request)
            return false
        }
        if isCancelled { request.cancel() }
    }

    func cancel() {
        let request = state.withLock { state -> DecoderRequest? in
            defer { state = .cancelled }
            if case .made(let request) = state { return request }
            return nil
        }
        request?.cancel()
    }
}
