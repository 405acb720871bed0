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
        /// The answers to requests without a lease.
        var answers: [Int: @Sendable (DecoderPool.Lease) -> Void] = [:]
        /// The calls for holders of idle leases.
        var evictions: [Int: @Sendable () -> Void] = [:]
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
        let granted = AsyncHandover<DecoderPool.Lease>(capacity: 1)
        // One that comes after the task has left is released with its last reference.
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

    /// Asks for a lease in line, for threads.
    ///
    /// - Parameters:
    ///   - use: the purpose of the decoder.
    ///   - granted: told once, with the lease, on any thread, never under a lock of the pool's, and possibly before
    ///     this returns. It is not told after ``cancel(_:)`` gave true. It must not block.
    /// - Returns: the request's number.
    package func request(
        for use: DecoderUse = .shown, _ granted: @escaping @Sendable (DecoderPool.Lease) -> Void
    ) -> Int {
        defer { deliver() }
        return enqueue(for: use, granted)
    }

    /// As ``request(for:_:)``, but `granted` is told by ``deliver()`` only, so that this may be called under a lock.
    func enqueue(for use: DecoderUse, _ granted: @escaping @Sendable (DecoderPool.Lease) -> Void) -> Int {
        let now = clock.nanoseconds
        return state.withLock { state in
            let number = state.book.request(for: use, now: now)
            state.answers[number] = granted
            return number
        }
    }

    /// Leaves the line. A lease that was granted and not handed over yet passes on to the next.
    ///
    /// - Returns: true when the request is never granted; false when it was, or is being granted right now, or was
    ///   cancelled before.
    @discardableResult
    package func cancel(_ request: Int) -> Bool {
        change { state, now in
            state.book.cancel(request, now: now) ? state.answers.removeValue(forKey: request) : nil
        } != nil
    }

    /// Returns an idle lease (``Lease/becomeIdle(onEviction:)``) for work ahead of its time, which must delay no other
    /// caller: only if a decoder is free and no caller waits.
    package func idleLease(onEviction: @escaping @Sendable () -> Void) -> DecoderPool.Lease? {
        let now = clock.nanoseconds
        let number = state.withLock { state -> Int? in
            guard let number = state.book.idleLease(now: now) else { return nil }
            state.evictions[number] = onEviction
            return number
        }
        return number.map { DecoderPool.Lease(pool: self, number: $0) }
    }

    /// Makes a change, and then the calls that are due, outside the lock.
    ///
    /// - Returns: what the change gives. A closure among it may own the last reference to something, so it is released
    ///   outside the lock.
    private func change<R: Sendable>(_ change: (inout State, _ now: Int64) -> R) -> R {
        defer { deliver() }
        let now = clock.nanoseconds
        return state.withLock { change(&$0, now) }
    }

    /// Makes the calls that are due. Call it with no lock held.
    func deliver() {
        while let call = nextCall() { call() }
    }

    private func nextCall() -> (@Sendable () -> Void)? {
        state.withLock { state in
            // Evictions first: they make room.
            if let lease = state.book.takeEviction() {
                guard let tell = state.evictions.removeValue(forKey: lease) else {
                    preconditionFailure("an eviction without a holder")
                }
                return tell
            }
            guard let grant = state.book.takeGrant() else { return nil }
            guard let answer = state.answers.removeValue(forKey: grant.request) else {
                preconditionFailure("a grant without a request")
            }
            return { answer(DecoderPool.Lease(pool: self, number: grant.lease)) }
        }
    }
}

extension DecoderPool {
    /// The right to hold one open decoder, from a ``DecoderPool``.
    ///
    /// It counts in the pool until ``release()``, so release it after the decoder is closed and not before. Releasing
    /// the last reference releases it too.
    ///
    /// Thread safety: safe from any thread.
    public final class Lease: Sendable {
        private let pool: DecoderPool
        private let number: Int

        fileprivate init(pool: DecoderPool, number: Int) { (self.pool, self.number) = (pool, number) }

        deinit { release() }

        /// Gives it back; the next in line gets it. More calls do nothing.
        public func release() {
            _ = pool.change { state, now in
                state.book.release(number, now: now)
                return state.evictions.removeValue(forKey: number)
            }
        }

        /// Says that its decoder is open and has nothing to do. It may be closed for a waiting request, in the order in
        /// which leases became idle.
        ///
        /// Does nothing while it is being evicted already, and after ``release()``.
        ///
        /// - Parameter onEviction: told once if it is evicted, on any thread, never under a lock of the pool's, and
        ///   possibly before this returns. It is also told just after ``release()`` if both meet. It has the decoder
        ///   closed, where that may block, and then calls ``release()``; it must not block itself. Kept until it is
        ///   told, the lease becomes busy or is released: it must not hold its holder strongly.
        package func becomeIdle(onEviction: @escaping @Sendable () -> Void) {
            _ = pool.change { state, _ in
                state.book.becomeIdle(number) ? state.evictions.updateValue(onEviction, forKey: number) : nil
            }
        }

        /// Says that its decoder goes on, in a new turn. Safe under a lock of the caller's.
        ///
        /// - Returns: false when it is being evicted or was released: close the decoder and ask for another lease.
        package func becomeBusy() -> Bool {
            let now = pool.clock.nanoseconds
            return pool.state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
                guard state.book.becomeBusy(number, now: now) else { return (false, nil) }
                return (true, state.evictions.removeValue(forKey: number))
            }.0
        }

        /// Counts pictures that came out in this turn.
        package func noteProgress(pictures: Int) {
            pool.state.withLock { $0.book.noteProgress(number, pictures: pictures) }
        }

        /// Whether a request waits for it and its turn is over. Ask between two pictures; after a true give it back or
        /// let it go idle, because no other holder is asked in its place.
        package var isWantedBack: Bool {
            let now = pool.clock.nanoseconds
            return pool.state.withLock { $0.book.isWantedBack(number, now: now) }
        }
    }
}
