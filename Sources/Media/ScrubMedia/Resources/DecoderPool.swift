internal import ScrubBase
package import ScrubMediaLogic

/// A limit on the total number of decoders used by players, sessions and generators, so that many videos can share a
/// few decoders.
///
/// A caller that needs a decoder waits in line. A request never fails because of the limit. Requests of players and
/// sessions take priority over those of generators, but only a few times in a row; otherwise, requests are served in
/// order. An open but idle decoder is closed for a waiting caller, starting with the one that has been idle longest. A
/// decoder in use is never taken away. Its holder returns it after some pictures if others are waiting, so that all
/// videos make progress even with fewer decoders than videos.
///
/// ```swift
/// let pool = DecoderPool(limit: 4)
/// let lease = try await pool.acquire()
/// defer { lease.release() }
/// ```
///
/// Thread safety: safe from any task and thread; no call blocks. Memory: a few hundred bytes for each lease and each
/// waiting request.
package final class DecoderPool: Sendable {
    private struct State {
        var book: DecoderLeaseScheduler
        /// The callbacks of requests without a lease.
        var answers: [Int: @Sendable (DecoderPool.Lease) -> Void] = [:]
        /// The callbacks for holders of idle leases.
        var evictions: [Int: @Sendable () -> Void] = [:]
    }

    private let state: Locked<State>
    private let clock: any ScrubTransport.Clock

    /// Creates a pool. It does not open any decoder.
    ///
    /// - Parameter limit: the maximum number of decoders at any one time, including those that are closing.
    /// - Precondition: `limit` is 1 or more.
    package convenience init(limit: Int = 4) { self.init(limit: limit, clock: ScrubTransport.SystemClock()) }

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - clock: the clock for turns.
    ///   - quantum: the length of a turn while a caller is waiting.
    package init(limit: Int, clock: any ScrubTransport.Clock, quantum: DecoderQuantum = .init()) {
        precondition(limit >= 1, "the limit of the decoder pool is \(limit): use 1 or more")
        state = Locked(State(book: DecoderLeaseScheduler(limit: limit, quantum: quantum)))
        self.clock = clock
    }

    /// The maximum number of decoders at any one time.
    package var limit: Int { state.withLock { $0.book.limit } }
    /// The number of leases in use, whose decoders are about to open, open, or still closing.
    package var attachedCount: Int { state.withLock { $0.book.attachedCount } }
    /// The peak number of leases in use, never above ``limit``.
    package var peakAttachedCount: Int { state.withLock { $0.book.peakAttachedCount } }
    /// The number of callers that are waiting for a lease.
    package var waitingCount: Int { state.withLock { $0.book.waitingCount } }

    /// Waits in line for the right to hold a decoder.
    ///
    /// A lease that is granted while its task is being cancelled passes to the next caller in line.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; no other errors.
    package func acquire() async throws -> DecoderPool.Lease {
        try Task.checkCancellation()
        let granted = BoundedAsyncQueue<DecoderPool.Lease>(capacity: 1)
        // A lease that arrives after the task has left the line is released with its last reference.
        let request = request { _ = granted.offer($0) }
        let lease = await withTaskCancellationHandler {
            await granted.next()
        } onCancel: {
            cancel(request)
            granted.leave()
        }
        guard let lease, !Task.isCancelled else {
            lease?.release()
            throw CancellationError()
        }
        return lease
    }

    /// Requests a lease in line, for threads.
    ///
    /// - Parameters:
    ///   - use: the purpose of the decoder.
    ///   - granted: called once with the lease, on any thread, never while the pool's lock is held, and possibly before
    ///     this method returns. It is not called after ``cancel(_:)`` returned true. It must not block.
    /// - Returns: the request's number.
    package func request(
        for use: DecoderUse = .shown, _ granted: @escaping @Sendable (DecoderPool.Lease) -> Void
    ) -> Int {
        defer { deliver() }
        return enqueue(for: use, granted)
    }

    /// Requests a lease like ``request(for:_:)``, but `granted` is called only by ``deliver()``, so that this method
    /// may be called under a lock.
    func enqueue(for use: DecoderUse, _ granted: @escaping @Sendable (DecoderPool.Lease) -> Void) -> Int {
        let now = clock.nanoseconds
        return state.withLock { state in
            let number = state.book.request(for: use, now: now)
            state.answers[number] = granted
            return number
        }
    }

    /// Leaves the line. A lease that was granted but not handed over yet passes to the next request.
    ///
    /// - Returns: true if the request will never be granted; false if it was granted, is being granted at this moment,
    ///   or was already cancelled.
    @discardableResult
    package func cancel(_ request: Int) -> Bool {
        change { state, now in
            state.book.cancel(request, now: now) ? state.answers.removeValue(forKey: request) : nil
        } != nil
    }

    /// Returns an idle lease (``Lease/becomeIdle(onEviction:)``) for work ahead of time, which must not delay any other
    /// caller: only if a decoder is free and no caller is waiting.
    package func idleLease(onEviction: @escaping @Sendable () -> Void) -> DecoderPool.Lease? {
        let now = clock.nanoseconds
        let number = state.withLock { state -> Int? in
            guard let number = state.book.idleLease(now: now) else { return nil }
            state.evictions[number] = onEviction
            return number
        }
        return number.map { DecoderPool.Lease(pool: self, number: $0) }
    }

    /// Makes a change under the lock, and then the pending calls outside it.
    ///
    /// - Returns: the result of the change. A closure in it may hold the last reference to an object, so it is released
    ///   outside the lock.
    private func change<R: Sendable>(_ change: (inout State, _ now: Int64) -> R) -> R {
        defer { deliver() }
        let now = clock.nanoseconds
        return state.withLock { change(&$0, now) }
    }

    /// Makes the pending calls. Call it with no lock held.
    func deliver() {
        while let call = nextCall() { call() }
    }

    private func nextCall() -> (@Sendable () -> Void)? {
        state.withLock { state in
            // Evictions are first, because they make room.
            if let lease = state.book.takeEviction() {
                guard let tell = state.evictions.removeValue(forKey: lease) else {
                    preconditionFailure("a lease to evict must have a holder")
                }
                return tell
            }
            guard let grant = state.book.takeGrant() else { return nil }
            guard let answer = state.answers.removeValue(forKey: grant.request) else {
                preconditionFailure("a granted lease must have a request")
            }
            return { answer(DecoderPool.Lease(pool: self, number: grant.lease)) }
        }
    }
}

extension DecoderPool {
    /// The right to hold one open decoder, from a ``DecoderPool``.
    ///
    /// A lease counts against the pool's limit until ``release()``. Release it after the decoder is closed, not before.
    /// Deallocating the lease releases it too.
    ///
    /// Thread safety: safe from any thread.
    package final class Lease: Sendable {
        private let pool: DecoderPool
        private let number: Int

        fileprivate init(pool: DecoderPool, number: Int) { (self.pool, self.number) = (pool, number) }

        deinit { release() }

        /// Returns the lease to the pool for the next caller in line. Further calls have no effect.
        package func release() {
            _ = pool.change { state, now in
                state.book.release(number, now: now)
                return state.evictions.removeValue(forKey: number)
            }
        }

        /// Marks its decoder as open and idle. It may be closed for a waiting request, in the order in which leases
        /// became idle.
        ///
        /// Has no effect while the lease is already being evicted, and after ``release()``.
        ///
        /// - Parameter onEviction: called once if the lease is evicted, on any thread, never under a lock of the pool,
        ///   and possibly before this method returns. If both happen together, it is called just after ``release()``.
        ///   It must cause the decoder to be closed elsewhere and then ``release()`` to be called; it must not block.
        ///   It is kept until it is called, or the lease becomes busy or is released, so it must not retain the lease's
        ///   holder.
        package func becomeIdle(onEviction: @escaping @Sendable () -> Void) {
            _ = pool.change { state, _ in
                state.book.becomeIdle(number) ? state.evictions.updateValue(onEviction, forKey: number) : nil
            }
        }

        /// Marks its decoder as busy, in a new turn. Safe under a lock of the caller.
        ///
        /// - Returns: false if the lease is being evicted or was released. Close the decoder and request another lease.
        package func becomeBusy() -> Bool {
            let now = pool.clock.nanoseconds
            return pool.state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
                guard state.book.becomeBusy(number, now: now) else { return (false, nil) }
                return (true, state.evictions.removeValue(forKey: number))
            }.0
        }

        /// Counts pictures that were output in this turn.
        package func noteProgress(pictures: Int) {
            pool.state.withLock { $0.book.noteProgress(number, pictures: pictures) }
        }

        /// Whether a request is waiting for the lease and its turn has ended. Check it between two pictures. If it is
        /// true, give the lease back or make it idle, because no other holder will be asked.
        package var isWantedBack: Bool {
            let now = pool.clock.nanoseconds
            return pool.state.withLock { $0.book.isWantedBack(number, now: now) }
        }
    }
}
