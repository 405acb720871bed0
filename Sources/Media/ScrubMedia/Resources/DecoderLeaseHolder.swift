internal import ScrubBase
internal import ScrubMediaLogic

/// A decoding thread's access to a shared ``DecoderPool``. It requests a lease, keeps it while the thread works, and
/// reports when decoders must be closed.
///
/// Between two packets, the thread checks ``isWantedBack``; if it is true, it closes its decoders and calls
/// ``giveBack()``. No call waits: `wake` notifies the thread that a lease arrived or must be returned.
///
/// Thread safety: safe from any thread. Decoders are opened, closed and given back on one thread. Releasing the object
/// returns the lease.
package final class DecoderLeaseHolder: Sendable {
    private enum Phase {
        case away
        /// Waiting in line, with the number of the request.
        case waiting(Int)
        case seated(DecoderPool.Lease)
    }

    private struct State {
        var phase = Phase.away
        /// A number that distinguishes leases and requests from earlier ones.
        var serial = 0
        var isIdle = false
        var isEvicted = false
        /// Whether this turn has produced a picture. Until then, the lease is not returned.
        var hasProgress = false
        /// Whether the seat accepts no further leases.
        var isClosed = false

        var lease: DecoderPool.Lease? { if case .seated(let lease) = phase { lease } else { nil } }

        /// Changes the phase, and resets the flags of a turn.
        mutating func change(to phase: Phase) {
            (self.phase, isIdle, isEvicted, hasProgress) = (phase, false, false, false)
        }
    }

    private let pool: DecoderPool
    private let use: DecoderUse
    private let wake: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates a seat.
    ///
    /// - Parameter wake: called on any thread, with no lock held; it must not block.
    package init(_ pool: DecoderPool, for use: DecoderUse, wake: @escaping @Sendable () -> Void) {
        (self.pool, self.use, self.wake) = (pool, use, wake)
    }

    deinit { leave() }

    /// Requests a decoder that a caller is waiting for.
    ///
    /// - Returns: whether it is available. If not, it becomes available in turn, or the current one must be returned
    ///   first.
    package func take() -> Bool {
        let isMine = state.withLock { state -> Bool? in
            switch state.phase {
            case .seated(let lease):
                // A lease that cannot continue is being evicted, whether or not that was reported yet.
                if !state.isEvicted { state.isEvicted = !lease.becomeBusy() }
                state.isIdle = state.isEvicted
                return !state.isEvicted
            case .waiting: return false
            case .away:
                guard !state.isClosed else { return false }
                state.serial += 1
                let serial = state.serial
                state.phase = .waiting(pool.enqueue(for: use) { [weak self] in self?.sit($0, serial) })
                return nil
            }
        }
        if let isMine { return isMine }
        pool.deliver()
        return state.withLock { $0.lease != nil && !$0.isEvicted }
    }

    /// Takes a decoder for work ahead of time, if one is free. The current one may continue.
    ///
    /// - Returns: whether there is one that no other caller is waiting for.
    package func takeAhead() -> Bool {
        rest()
        return state.withLock { state in
            if case .away = state.phase, !state.isClosed {
                let serial = state.serial + 1
                if let lease = pool.idleLease(onEviction: { [weak self] in self?.evict(serial) }) {
                    state.serial = serial
                    state.change(to: .seated(lease))
                    state.isIdle = true
                }
            }
            return state.lease != nil && !state.isEvicted
        }
    }

    /// Marks the decoders as idle: they stay open until another caller needs one. A place in line is given up.
    package func rest() {
        leaveLine()
        let (lease, serial) = state.withLock { state -> (DecoderPool.Lease?, Int) in
            guard let lease = state.lease, !state.isIdle else { return (nil, 0) }
            state.isIdle = true
            return (lease, state.serial)
        }
        lease?.becomeIdle { [weak self] in self?.evict(serial) }
    }

    /// Gives back its decoders, or leaves the line, permanently. Decoders must be closed first.
    package func leave() {
        state.withLock { $0.isClosed = true }
        abandon()
    }

    /// Gives back its decoders, and leaves the line for now. Decoders must be closed first.
    package func abandon() {
        leaveLine()
        giveBack()
    }

    /// Leaves the line, if it is in line.
    package func leaveLine() {
        let request = state.withLock { state -> Int? in
            guard case .waiting(let request) = state.phase else { return nil }
            state.phase = .away
            return request
        }
        if let request { pool.cancel(request) }
    }

    /// Whether it holds a decoder, or must give one back.
    package var isSeated: Bool { state.withLock { $0.lease != nil } }
    /// Whether its idle decoder must be closed for another caller.
    package var isEvicted: Bool { state.withLock { $0.isEvicted } }

    /// Counts an output picture.
    package func noteProgress() {
        state.withLock { state in
            state.hasProgress = true
            state.lease?.noteProgress(pictures: 1)
        }
    }

    /// Whether decoders must be closed and given back now: another caller is waiting, and this seat is idle or has had
    /// its turn.
    package var isWantedBack: Bool {
        state.withLock { state in
            guard let lease = state.lease, !state.isEvicted else { return state.isEvicted }
            return !state.isIdle && state.hasProgress && lease.isWantedBack
        }
    }

    /// Gives back its decoders, and keeps its place in line. Decoders must be closed first.
    package func giveBack() {
        let lease = state.withLock { state -> DecoderPool.Lease? in
            guard let lease = state.lease else { return nil }
            state.change(to: .away)
            return lease
        }
        lease?.release()
    }

    private func sit(_ lease: DecoderPool.Lease, _ serial: Int) {
        let isWanted = state.withLock { state in
            guard state.serial == serial, case .waiting = state.phase else { return false }
            state.change(to: .seated(lease))
            return true
        }
        // A lease that is not needed is released with its last reference.
        if isWanted { wake() }
    }

    private func evict(_ serial: Int) {
        state.withLock { state in
            if state.serial == serial, state.lease != nil { state.isEvicted = true }
        }
        wake()
    }
}

/// The decoders that a thread uses in addition to its first one. Each must be returned on request.
///
/// Thread safety: used by one thread, except that any thread may request decoders back.
final class AdditionalDecoderLeases: AdditionalDecoders, Sendable {
    private struct State {
        var leases: [DecoderPool.Lease] = []
        var isWanted = false
    }

    private let pool: DecoderPool
    private let wake: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates an empty set.
    ///
    /// - Parameter wake: called on any thread, with no lock held; it must not block.
    init(_ pool: DecoderPool, wake: @escaping @Sendable () -> Void) { (self.pool, self.wake) = (pool, wake) }

    func take() -> Bool {
        state.withLock { state in
            guard !state.isWanted, let lease = pool.idleLease(onEviction: { [weak self] in self?.want() }) else {
                return false
            }
            state.leases.append(lease)
            return true
        }
    }

    var isWanted: Bool { state.withLock { $0.isWanted } }

    func giveBack(_ count: Int) {
        let given = state.withLock { state in
            let given = Array(state.leases.suffix(count))
            state.leases.removeLast(given.count)
            if state.leases.isEmpty { state.isWanted = false }
            return given
        }
        for lease in given { lease.release() }
    }

    private func want() {
        state.withLock { $0.isWanted = !$0.leases.isEmpty }
        wake()
    }
}
