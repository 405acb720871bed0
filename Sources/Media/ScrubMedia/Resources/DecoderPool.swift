internal import ScrubBase
package import ScrubMediaLogic

/// One limit over all decoders of players, sessions and generators: many media share few decoders.
///
/// A caller that needs a decoder waits in line and gets one in turn. A request never fails because of the limit.
/// Pictures for players and sessions go before requests of generators, a few times in a row; else no request overtakes
/// another. An open decoder that is idle is closed for a waiting caller, the one that has been idle longest first. A
/// decoder in use is never taken away. Its holder gives it back after some pictures when others wait, so that more
/// media than decoders advance in turn.
///
/// ```swift
/// let pool = DecoderPool(limit: 4)
/// let lease = try await pool.acquire()
/// defer { lease.release() }
/// ```
///
/// Thread safety: safe from any task and thread; nothing in it blocks.
/// Memory: some hundred bytes for each lease and each request that waits.
public final class DecoderPool: Sendable {
    private struct State {
        var book: DecoderLeaseBook
        /// The answers for requests without a lease.
        var requests: [Int: DecoderRequest.Answers] = [:]
        /// The calls for holders of idle leases.
        var evictions: [Int: @Sendable () -> Void] = [:]
    }

    /// The calls for a thread to make once it has left the lock.
    private enum Message {
        case granted(@Sendable (DecoderPool.Lease) -> Void, lease: Int)
        case evicted(@Sendable () -> Void)
    }

    private let state: Locked<State>
    private let clock: any ScrubTransport.Clock

    /// Makes a pool. Nothing is opened.
    ///
    /// - Parameter limit: the most decoders at a time, those included that are just being closed.
    /// - Precondition: `limit` is 1 or more.
    public convenience init(limit: Int = 4) { self.init(limit: limit, clock: ScrubTransport.SystemClock()) }

    /// - Parameters:
    ///   - clock: the clock of turns.
    ///   - quantum: the length of a turn while a caller waits.
    package init(limit: Int, clock: any ScrubTransport.Clock, quantum: DecoderQuantum = .init()) {
        precondition(limit >= 1, "a pool of \(limit) decoders: give a limit of 1 or more")
        state = Locked(State(book: DecoderLeaseBook(limit: limit, quantum: quantum)))
        self.clock = clock
    }

    /// The most decoders at a time.
    public var limit: Int { state.withLock { $0.book.limit } }
    /// The leases that are out now: their decoders are about to open, are open, or are still closing.
    public var attachedCount: Int { state.withLock { $0.book.attachedCount } }
    /// The most leases that were ever out at a time; never above ``limit``.
    public var peakAttachedCount: Int { state.withLock { $0.book.peakAttachedCount } }
    /// Those who wait for a lease now.
    public var waitingCount: Int { state.withLock { $0.book.waitingCount } }

    /// Waits in line for the right to hold one decoder.
    ///
    /// A lease that is granted while its task is cancelled passes on to the next in line.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, and nothing else.
    public func acquire() async throws -> DecoderPool.Lease {
        try Task.checkCancellation()
        let waiting = PendingRequest()
        let lease: DecoderPool.Lease = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let request = request(
                    granted: { continuation.resume(returning: $0) },
                    cancelled: { continuation.resume(throwing: CancellationError()) })
                waiting.begin(request)
            }
        } onCancel: {
            waiting.cancel()
        }
        guard !Task.isCancelled else {
            lease.release()
            throw CancellationError()
        }
        return lease
    }

    /// Asks for a lease in line, for threads.
    ///
    /// - Parameters:
    ///   - use: the purpose of the decoder.
    ///   - granted: told once, with the lease, on any thread, never under a lock of the pool's, and possibly before
    ///     this returns. It is not told after ``DecoderRequest/cancel()`` gave true. It must not block.
    package func request(
        for use: DecoderUse = .shown, _ granted: @escaping @Sendable (DecoderPool.Lease) -> Void
    ) -> DecoderRequest {
        request(for: use, granted: granted, cancelled: {})
    }

    /// As ``request(for:_:)``.
    ///
    /// - Parameter cancelled: told once instead of `granted` when the request was cancelled in time.
    package func request(
        for use: DecoderUse = .shown, granted: @escaping @Sendable (DecoderPool.Lease) -> Void,
        cancelled: @escaping @Sendable () -> Void
    ) -> DecoderRequest {
        let now = clock.nanoseconds
        let number = state.withLock { state in
            let number = state.book.request(for: use, now: now)
            state.requests[number] = DecoderRequest.Answers(granted: granted, cancelled: cancelled)
            return number
        }
        deliver()
        return DecoderRequest(pool: self, number: number)
    }

    /// Returns a lease for a look-ahead, which must delay no other caller: given only if a decoder is free and no
    /// caller waits.
    ///
    /// It is wanted back as soon as a caller waits, until ``DecoderPool/Lease/becomeCurrent()``.
    ///
    /// - Parameter evictingIdle: whether an idle decoder is closed for it. If its holder needs a while for that, this
    ///   gives nil and a later call succeeds.
    package func tryAcquire(evictingIdle: Bool) -> DecoderPool.Lease? {
        let now = clock.nanoseconds
        if let lease = state.withLock({ $0.book.tryLease(now: now) }) {
            return DecoderPool.Lease(pool: self, number: lease)
        }
        guard evictingIdle else { return nil }
        state.withLock { $0.book.evictOne() }
        deliver()
        return state.withLock { $0.book.tryLease(now: now) }.map { DecoderPool.Lease(pool: self, number: $0) }
    }

    /// Makes the calls of a decision, outside the lock.
    private func deliver() {
        while let message = nextMessage() {
            switch message {
            case .granted(let tell, let lease): tell(DecoderPool.Lease(pool: self, number: lease))
            case .evicted(let tell): tell()
            }
        }
    }

    private func nextMessage() -> Message? {
        state.withLock { state -> Message? in
            // Evictions first: they make room.
            if let lease = state.book.takeEviction() {
                guard let tell = state.evictions.removeValue(forKey: lease) else {
                    preconditionFailure("an eviction without a holder")
                }
                return .evicted(tell)
            }
            guard let grant = state.book.takeGrant() else { return nil }
            guard let answers = state.requests.removeValue(forKey: grant.request) else {
                preconditionFailure("a grant without a request")
            }
            return .granted(answers.granted, lease: grant.lease)
        }
    }
}

// What leases and requests ask.
extension DecoderPool {
    func cancel(request: Int) -> Bool {
        let now = clock.nanoseconds
        let answers = state.withLock { state -> DecoderRequest.Answers? in
            guard state.book.cancel(request, now: now) else { return nil }
            return state.requests.removeValue(forKey: request)
        }
        answers?.cancelled()
        deliver()
        return answers != nil
    }

    func becomeIdle(_ lease: Int, onEviction: @escaping @Sendable () -> Void) {
        var older: (@Sendable () -> Void)?
        state.withLock { state in
            if state.book.becomeIdle(lease) { older = state.evictions.updateValue(onEviction, forKey: lease) }
        }
        withExtendedLifetime(older) {}
        deliver()
    }

    func becomeBusy(_ lease: Int) -> Bool {
        let now = clock.nanoseconds
        // Released outside the lock: it may own the last reference to something.
        var closure: (@Sendable () -> Void)?
        let isBusy = state.withLock { state in
            guard state.book.becomeBusy(lease, now: now) else { return false }
            closure = state.evictions.removeValue(forKey: lease)
            return true
        }
        withExtendedLifetime(closure) {}
        return isBusy
    }

    func becomeCurrent(_ lease: Int) {
        let now = clock.nanoseconds
        state.withLock { $0.book.becomeCurrent(lease, now: now) }
    }

    func noteProgress(_ lease: Int, pictures: Int) {
        state.withLock { $0.book.noteProgress(lease, pictures: pictures) }
    }

    func isWantedBack(_ lease: Int) -> Bool {
        let now = clock.nanoseconds
        return state.withLock { $0.book.isWantedBack(lease, now: now) }
    }

    func release(_ lease: Int) {
        let now = clock.nanoseconds
        var closure: (@Sendable () -> Void)?
        state.withLock { state in
            state.book.release(lease, now: now)
            closure = state.evictions.removeValue(forKey: lease)
        }
        withExtendedLifetime(closure) {}
        deliver()
    }
}
