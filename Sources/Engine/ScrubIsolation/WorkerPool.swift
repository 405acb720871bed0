package import ScrubBase

/// Workers, the first of which is started before it is requested, because starting a worker takes longer than many
/// requests.
///
/// A worker that has processed a file is kept only for that file. Thread safety: safe from any thread.
package final class WorkerPool: Sendable {
    /// An unused worker. It is used by one thread at a time, which has removed it from the pool.
    private struct Held: @unchecked Sendable {
        let worker: Worker
        var origin: UInt64
        /// The time since which the worker has been unused.
        var since = Deadline.now
    }

    private struct State {
        var spare: Held?
        var idle: [Held] = []

        /// Removes and returns the workers that have been unused for too long.
        mutating func takeOld() -> [Held] {
            let now = Deadline.now
            func isOld(_ held: Held) -> Bool { now - held.since > WorkerPool.idleTime.wholeNanoseconds }
            defer { idle.removeAll(where: isOld) }
            return idle.filter(isOld)
        }
    }

    private enum Order: Sendable {
        case start(BoundedQueue<Result<Held, WorkerFailure>>)
        case startSpare
    }

    private let source: WorkerSource
    private let limits: MediaLimits
    private let state = Locked(State())
    /// The queue to the thread that starts programs; copies of a template need none.
    private let orders: BoundedQueue<Order>?

    /// The number of workers that are kept for the files they have processed, and for how long: a compromised one can
    /// use a processor in the meantime.
    private static let idleLimit = 4
    private static let idleTime = Duration.seconds(60)

    /// Starts the first worker.
    ///
    /// - Throws: `inputOutput` if the system cannot create a thread.
    package init(_ source: WorkerSource, limits: MediaLimits) throws(ScrubError) {
        (self.source, self.limits) = (source, limits)
        guard case .program = source else {
            orders = nil
            if let made = try? WorkerPool.started(source, limits).get() { state.withLock { $0.spare = made } }
            return
        }
        let (orders, state) = (BoundedQueue<Order>(capacity: 1024), state)
        self.orders = orders
        // Workers end with the thread that started them: this thread ends with the pool.
        try DedicatedThread {
            while let order = orders.pop() {
                switch order {
                case .start(let reply):
                    let spare = state.withLock { state -> Held? in
                        defer { state.spare = nil }
                        return state.spare
                    }
                    _ = reply.push(spare.map { .success($0) } ?? WorkerPool.started(source, limits))
                case .startSpare:
                    let made = try? WorkerPool.started(source, limits).get()
                    let extra = state.withLock { state -> Held? in
                        defer { if state.spare == nil { state.spare = made } }
                        return state.spare == nil ? nil : made
                    }
                    _ = extra
                }
            }
            state.withLock { $0 = State() }
        }.detach()
        orders.push(.startSpare)
    }

    deinit { orders?.close() }

    private static func started(_ source: WorkerSource, _ limits: MediaLimits) -> Result<Held, WorkerFailure> {
        do throws(WorkerFailure) {
            return .success(Held(worker: try Worker(source, limits: limits), origin: 0))
        } catch {
            return .failure(error)
        }
    }

    /// Waits for the first worker, which stays available for the next caller.
    ///
    /// - Throws: the reason why there is none, for example that this system cannot confine processes.
    package func check() throws(WorkerFailure) {
        let lease = try take(for: 0)
        try lease.worker.waitUntilReady()
        let held = Held(worker: lease.worker, origin: 0)
        state.withLock { if $0.spare == nil { $0.spare = held } }
    }

    /// Returns a worker for a file; return it with ``give(_:)``, or release it.
    ///
    /// - Parameter origin: identifies the file; 0 for a source that is used once.
    package func take(for origin: UInt64) throws(WorkerFailure) -> WorkerLease {
        let (kept, old) = state.withLock { state -> (Held?, [Held]) in
            let old = state.takeOld()
            if origin != 0, let place = state.idle.lastIndex(where: { $0.origin == origin }) {
                return (state.idle.remove(at: place), old)
            }
            defer { state.spare = nil }
            return (state.spare, old)
        }
        // The workers end here, outside the lock.
        withExtendedLifetime(old) {}
        // The worker may have started threads while it was not observed.
        if let kept, (try? kept.worker.checkThreads()) != nil { return WorkerLease(kept.worker, origin, self) }
        return WorkerLease(try start().worker, origin, self)
    }

    /// Ends the workers that are kept for a file, now that no reader has it open.
    package func forget(_ origin: UInt64) {
        let ended = state.withLock { state -> [Held] in
            defer { state.idle.removeAll { $0.origin == origin } }
            return state.idle.filter { $0.origin == origin }
        }
        withExtendedLifetime(ended) {}
    }

    private func start() throws(WorkerFailure) -> Held {
        guard let orders else { return try WorkerPool.started(source, limits).get() }
        let reply = BoundedQueue<Result<Held, WorkerFailure>>(capacity: 1)
        orders.push(.start(reply))
        guard let made = reply.pop() else { throw .unavailable("no more workers can be started") }
        return try made.get()
    }

    fileprivate func give(_ worker: Worker, _ origin: UInt64) {
        guard origin != 0 else { return }
        let held = Held(worker: worker, origin: origin)
        let surplus = state.withLock { state -> [Held] in
            state.idle.append(held)
            let old = state.takeOld()
            return state.idle.count > WorkerPool.idleLimit ? old + [state.idle.removeFirst()] : old
        }
        withExtendedLifetime(surplus) {}
    }
}

/// A worker in use.
package final class WorkerLease {
    package let worker: Worker
    private let origin: UInt64
    private let pool: WorkerPool

    fileprivate init(_ worker: Worker, _ origin: UInt64, _ pool: WorkerPool) {
        (self.worker, self.origin, self.pool) = (worker, origin, pool)
    }

    /// Returns the worker, ready for the next request. Do not call it after a failure.
    package func giveBack() { pool.give(worker, origin) }
}
