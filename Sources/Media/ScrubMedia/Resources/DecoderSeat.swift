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
        /// In line; the request is known once asking has returned.
        case waiting(DecoderRequest?)
        case seated(DecoderPool.Lease)
    }

    private struct State {
        var phase = Phase.away
        /// Distinguishes requests from earlier ones.
        var serial = 0
        var isIdle = false
        var isEvicted = false
        /// Whether this turn has brought a picture: before that it is not given back.
        var hasProgress = false
        /// Whether nothing is taken any more.
        var isClosed = false

        mutating func sit(_ lease: DecoderPool.Lease) {
            (phase, isIdle, isEvicted, hasProgress) = (.seated(lease), false, false, false)
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
        let (lease, serial) = state.withLock { state -> (DecoderPool.Lease?, Int?) in
            switch state.phase {
            case .seated(let lease): return (state.isEvicted ? nil : lease, nil)
            case .waiting: return (nil, nil)
            case .away:
                guard !state.isClosed else { return (nil, nil) }
                state.serial += 1
                state.phase = .waiting(nil)
                return (nil, state.serial)
            }
        }
        if let lease {
            let isMine = lease.becomeBusy()
            if isMine { lease.becomeCurrent() }
            state.withLock { state in
                // It may have been given back meanwhile.
                guard case .seated(let present) = state.phase, present === lease else { return }
                // One that cannot go on is being evicted, whether or not that was said yet.
                state.isIdle = !isMine
                if !isMine { state.isEvicted = true }
            }
            return isMine
        }
        guard let serial else { return false }
        let request = pool.request(for: use) { [weak self] lease in
            guard let self else { return lease.release() }
            self.sit(lease, serial)
        }
        let (isSeated, isLeft) = state.withLock { state -> (Bool, Bool) in
            guard state.serial == serial else { return (false, true) }
            switch state.phase {
            case .waiting:
                state.phase = .waiting(request)
                return (false, false)
            case .seated: return (true, false)
            case .away: return (false, true)
            }
        }
        if isLeft { request.cancel() }
        return isSeated
    }

    /// Takes a decoder for work ahead of its time, if one is free; the one that is there may go on.
    ///
    /// - Returns: whether there is one that no other caller waits for.
    package func takeAhead() -> Bool {
        if isAway, let lease = pool.tryAcquire(evictingIdle: false) {
            let isWanted = state.withLock { state in
                guard case .away = state.phase, !state.isClosed else { return false }
                state.serial += 1
                state.sit(lease)
                return true
            }
            // Another thread was first.
            if !isWanted { lease.release() }
        }
        rest()
        return state.withLock { state in
            if case .seated = state.phase { !state.isEvicted } else { false }
        }
    }

    /// Ends the need for a decoder for now: the decoders stay until another caller wants one, and a place in line is
    /// left.
    package func rest() {
        leaveLine()
        let (lease, serial) = state.withLock { state -> (DecoderPool.Lease?, Int) in
            guard case .seated(let lease) = state.phase, !state.isIdle else { return (nil, 0) }
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
        let request = state.withLock { state -> DecoderRequest? in
            guard case .waiting(let request) = state.phase else { return nil }
            state.phase = .away
            return request
        }
        request?.cancel()
    }

    private var isAway: Bool { state.withLock { if case .away = $0.phase { !$0.isClosed } else { false } } }
    /// Whether it has a decoder, or is to give it back.
    package var isSeated: Bool { state.withLock { if case .seated = $0.phase { true } else { false } } }
    /// Whether it is in line.
    package var isWaiting: Bool { state.withLock { if case .waiting = $0.phase { true } else { false } } }
    /// Whether its decoder is closed for another caller because it rested.
    package var isEvicted: Bool { state.withLock { $0.isEvicted } }

    /// Counts a picture that came out.
    package func noteProgress() {
        let lease = state.withLock { state -> DecoderPool.Lease? in
            state.hasProgress = true
            if case .seated(let lease) = state.phase { return lease }
            return nil
        }
        lease?.noteProgress(pictures: 1)
    }

    /// Whether decoders have to be closed and given back now: another caller waits, and this one rests or has had its
    /// turn.
    package var isWantedBack: Bool {
        let (isEvicted, lease) = state.withLock { state -> (Bool, DecoderPool.Lease?) in
            guard case .seated(let lease) = state.phase else { return (false, nil) }
            return (state.isEvicted, state.isIdle || !state.hasProgress ? nil : lease)
        }
        return isEvicted || lease?.isWantedBack == true
    }

    /// Gives back its decoders; a place in line stays. Decoders must be closed before.
    package func giveBack() {
        let lease = state.withLock { state -> DecoderPool.Lease? in
            guard case .seated(let lease) = state.phase else { return nil }
            (state.phase, state.isIdle, state.isEvicted, state.hasProgress) = (.away, false, false, false)
            return lease
        }
        lease?.release()
    }

    private func sit(_ lease: DecoderPool.Lease, _ serial: Int) {
        let isWanted = state.withLock { state in
            guard state.serial == serial, case .waiting = state.phase else { return false }
            state.sit(lease)
            return true
        }
        guard isWanted else { return lease.release() }
        wake()
    }

    private func evict(_ serial: Int) {
        state.withLock { state in
            if state.serial == serial, case .seated = state.phase { state.isEvicted = true }
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
        guard !isWanted, let lease = pool.tryAcquire(evictingIdle: false) else { return false }
        state.withLock { $0.leases.append(lease) }
        lease.becomeIdle { [weak self] in self?.want() }
        return true
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
