package import ScrubBase

/// Workers, the first of which is on its way before anybody asks: starting one takes longer than many requests.
///
/// A worker that has seen a file is kept for that file alone. Thread safety: safe from any thread.
package final class WorkerPool: Sendable {
    /// A worker is used by one thread at a time, which has taken it out of here.
    private struct Held: @unchecked Sendable {
        let worker: Worker
        var origin: UInt64
    }

    private struct State {
        var spare: Held?
        var idle: [Held] = []
        var isStarting = false
    }

    private enum Order: Sendable {
        case start(Handover<Result<Held, WorkerFailure>>)
        case startSpare
    }

    private let program: WorkerProgram
    private let limits: MediaLimits
    private let state = Locked(State())
    private let orders = Handover<Order>(capacity: 1024)

    /// Workers that are kept for the files they have seen.
    private static let idleLimit = 4

    /// Begins to start the first one.
    ///
    /// - Throws: `inputOutput` when the system has no thread left.
    package init(_ program: WorkerProgram, limits: MediaLimits) throws(ScrubError) {
        (self.program, self.limits) = (program, limits)
        let (orders, state) = (orders, state)
        // Workers end with the thread that started them: this one ends with the pool.
        try DedicatedThread {
            while let order = orders.pop() {
                switch order {
                case .start(let reply):
                    let spare = state.withLock { state -> Held? in
                        defer { state.spare = nil }
                        return state.spare
                    }
                    _ = reply.push(spare.map { .success($0) } ?? WorkerPool.started(program, limits))
                case .startSpare:
                    let made = try? WorkerPool.started(program, limits).get()
                    let extra = state.withLock { state -> Held? in
                        state.isStarting = false
                        defer { if state.spare == nil { state.spare = made } }
                        return state.spare == nil ? nil : made
                    }
                    _ = extra
                }
            }
            state.withLock { $0 = State() }
        }.detach()
        prepare()
    }

    deinit { orders.close() }

    private static func started(_ program: WorkerProgram, _ limits: MediaLimits) -> Result<Held, WorkerFailure> {
        do throws(WorkerFailure) {
            return .success(Held(worker: try Worker(program, limits: limits), origin: 0))
        } catch {
            return .failure(error)
        }
    }

    /// Starts one for whoever comes next.
    private func prepare() {
        let isNeeded = state.withLock { state in
            guard state.spare == nil, !state.isStarting else { return false }
            state.isStarting = true
            return true
        }
        if isNeeded { orders.push(.startSpare) }
    }

    /// A worker for a file; give it back with ``give(_:)``, or let it go.
    ///
    /// - Parameter origin: tells files apart; 0 for what is used once.
    package func take(for origin: UInt64) throws(WorkerFailure) -> WorkerLease {
        let kept = state.withLock { state -> Held? in
            if origin != 0, let place = state.idle.lastIndex(where: { $0.origin == origin }) {
                return state.idle.remove(at: place)
            }
            defer { state.spare = nil }
            return state.spare
        }
        if let kept { return WorkerLease(kept.worker, origin, self) }
        let reply = Handover<Result<Held, WorkerFailure>>(capacity: 1)
        orders.push(.start(reply))
        guard let made = reply.pop() else { throw .unavailable("no worker can be started any more") }
        return WorkerLease(try made.get().worker, origin, self)
    }

    fileprivate func give(_ worker: Worker, _ origin: UInt64) {
        guard origin != 0 else { return }
        let held = Held(worker: worker, origin: origin)
        let surplus = state.withLock { state -> Held? in
            state.idle.append(held)
            return state.idle.count > WorkerPool.idleLimit ? state.idle.removeFirst() : nil
        }
        _ = surplus
    }
}

/// A worker that somebody uses.
package final class WorkerLease {
    package let worker: Worker
    private let origin: UInt64
    private let pool: WorkerPool

    fileprivate init(_ worker: Worker, _ origin: UInt64, _ pool: WorkerPool) {
        (self.worker, self.origin, self.pool) = (worker, origin, pool)
    }

    /// Gives it back, ready for the next one. Not after it has failed.
    package func giveBack() { pool.give(worker, origin) }
}
