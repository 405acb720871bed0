internal import ScrubBase
internal import ScrubMediaLogic

/// A decoding thread's place among those that share a ``DecoderPool``. It asks for a lease, keeps it while it works,
/// and says when its decoders have to be closed.
///
/// Between two packets the thread asks ``isWantedBack``; then it closes its decoders and calls ``giveBack()``. It never
/// waits in here: `wake` tells it that a lease came, or is wanted.
///
/// Thread safety: safe from any thread. Decoders are opened, closed and given back on one. Releasing it gives back.
package final class DecoderSeat: Sendable {
    private enum Phase {
        case away
        /// In line, with a request of that number.
        case waiting(Int)
        case seated(DecoderPool.Lease)
    }

    private struct State {
        var phase = Phase.away
        /// Distinguishes leases and requests from earlier ones.
        var serial = 0
        var isIdle = false
        var isEvicted = false
        /// Whether this turn has brought a picture: before that it is not given back.
        var hasProgress = false
        /// Whether nothing is taken any more.
        var isClosed = false

        var lease: DecoderPool.Lease? { if case .seated(let lease) = phase { lease } else { nil } }

        /// Changes the phase, and forgets the flags of a turn.
        mutating func change(to phase: Phase) {
            (self.phase, isIdle, isEvicted, hasProgress) = (phase, false, false, false)
        }
    }

    private let pool: DecoderPool
    private let use: DecoderUse
    private let wake: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameter wake: called on any thread, with no lock held; it must not block.
    package init(_ pool: DecoderPool, for use: DecoderUse, wake: @escaping @Sendable () -> Void) {
        (self.pool, self.use, self.wake) = (pool, use, wake)
    }

    deinit { leave() }

    /// Asks for a decoder that a caller waits for.
    ///
    /// - Returns: whether it is there. If not, it comes in turn, or has to be given back first.
    package func take() -> Bool {
        let isMine = state.withLock { state -> Bool? in
            switch state.phase {
            case .seated(let lease):
                // One that cannot go on is being evicted, whether or not that was said yet.
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

    /// Takes a decoder for work ahead of its time, if one is free; the one that is there may go on.
    ///
    /// - Returns: whether there is one that no other caller waits for.
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

    /// Ends the need for a decoder for now: the decoders stay until another caller wants one, and a place in line is
    /// left.
    package func rest() {
        leaveLine()
        let (lease, serial) = state.withLock { state -> (DecoderPool.Lease?, Int) in
            guard let lease = state.lease, !state.isIdle else { return (nil, 0) }
            state.isIdle = true
            return (lease, state.serial)
        }
        lease?.becomeIdle { [weak self] in self?.evict(serial) }
    }

    /// Gives back its decoders, or leaves the line, for good. Decoders must be closed before.
    package func leave() {
        state.withLock { $0.isClosed = true }
        abandon()
    }

    /// Gives back its decoders, and leaves the line for now. Decoders must be closed before.
    package func abandon() {
        leaveLine()
        giveBack()
    }

    /// Leaves the line, if it is in it.
    package func leaveLine() {
        let request = state.withLock { state -> Int? in
            guard case .waiting(let request) = state.phase else { return nil }
            state.phase = .away
            return request
        }
        if let request { pool.cancel(request) }
    }

    /// Whether it has a decoder, or is to give it back.
    package var isSeated: Bool { state.withLock { $0.lease != nil } }
    /// Whether its decoder is closed for another caller because it rested.
    package var isEvicted: Bool { state.withLock { $0.isEvicted } }

    /// Counts a picture that came out.
    package func noteProgress() {
        state.withLock { state in
            state.hasProgress = true
            state.lease?.noteProgress(pictures: 1)
        }
    }

    /// Whether decoders have to be closed and given back now: another caller waits, and this one rests or has had its
    /// turn.
    package var isWantedBack: Bool {
        state.withLock { state in
            guard let lease = state.lease, !state.isEvicted else { return state.isEvicted }
            return !state.isIdle && state.hasProgress && lease.isWantedBack
        }
    }

    /// Gives back its decoders; a place in line stays. Decoders must be closed before.
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
        // One that is not wanted is released with its last reference.
        if isWanted { wake() }
    }

    private func evict(_ serial: Int) {
        state.withLock { state in
            if state.serial == serial, state.lease != nil { state.isEvicted = true }
        }
        wake()
    }
}

/// The decoders that a thread has beside its first one: each may be wanted back at any time.
///
/// Thread safety: of one thread, except that it is told from any that they are wanted.
final class SpareLeases: SpareDecoders, Sendable {
    private struct State {
        var leases: [DecoderPool.Lease] = []
        var isWanted = false
    }

    private let pool: DecoderPool
    private let wake: @Sendable () -> Void
    private let state = Locked(State())

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
