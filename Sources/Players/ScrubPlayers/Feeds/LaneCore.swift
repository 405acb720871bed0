internal import Glibc
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// The state that a ``PictureLane`` and its thread share.
final class LaneCore<Feed: PictureFeed>: Sendable {
    private let pool: DecoderPool
    fileprivate let meter: LaneMeter
    private let makeFeed: @Sendable () throws(ScrubError) -> sending Feed
    private let deliver: @Sendable (Int, LaneNews<Feed.Image>) -> Bool
    private let state = Locked(LaneState())
    /// Wakes the thread.
    private let bell = Handover<Void>(capacity: 1)

    init(
        pool: DecoderPool, meter: LaneMeter, makeFeed: @escaping @Sendable () throws(ScrubError) -> sending Feed,
        deliver: @escaping @Sendable (Int, LaneNews<Feed.Image>) -> Bool
    ) {
        (self.pool, self.meter, self.makeFeed, self.deliver) = (pool, meter, makeFeed, deliver)
    }

    var isAttached: Bool { state.withLock { if case .attached = $0.phase { true } else { false } } }
    var isWaiting: Bool { state.withLock { if case .waiting = $0.phase { true } else { false } } }
    var redecodedCount: Int { state.withLock { $0.redecodedCount } }

    func start(_ order: LaneState.Order, isLookAhead: Bool) -> Bool {
        let request = state.withLock { state -> DecoderRequest? in
            guard !state.isClosed else { return nil }
            (state.order, state.isLookAhead) = (order, isLookAhead)
            // A lane that only looks ahead does not queue.
            return isLookAhead ? state.leaveLine() : nil
        }
        request?.cancel()
        if !isLookAhead { currentLease?.becomeCurrent() }
        bell.offer(())
        attach()
        return isAttached
    }

    func resume(_ ticket: Int, isAhead: Bool) {
        state.withLock { state in
            guard state.wants(ticket) else { return }
            (state.resumeCount, state.isLeavingWhenFull) = (state.resumeCount + 1, false)
            state.order?.isFull = false
            state.order?.isAhead = isAhead
        }
        bell.offer(())
        attach()
    }

    func becomeCurrent() {
        state.withLock { state in
            state.isLookAhead = false
            if state.order?.last == nil { state.order?.isAhead = false }
        }
        currentLease?.becomeCurrent()
        attach()
    }

    func stop() { leave { $0.order = nil } }

    func detach() {
        leave { state in
            state.order = nil
            if case .attached = state.phase { state.leaving = .closed }
        }
    }

    func closeDecoderWhenFull() {
        state.withLock { if case .attached = $0.phase { $0.isLeavingWhenFull = true } }
        bell.offer(())
    }

    func close() {
        leave { state in
            state.order = nil
            state.isClosed = true
        }
    }

    private func leave(_ change: (inout LaneState) -> Void) {
        let request = state.withLock { state in
            change(&state)
            return state.leaveLine()
        }
        request?.cancel()
        bell.offer(())
    }

    private var currentLease: DecoderPool.Lease? {
        state.withLock { if case .attached(let lease) = $0.phase { lease } else { nil } }
    }

    /// Sees to it that there is a decoder, or a place in line for one, where one is wanted.
    private func attach() {
        let now = meter.now()
        let (serial, isLookAhead) = state.withLock { state -> (Int?, Bool) in
            guard case .detached = state.phase, state.wantsDecoder else { return (nil, false) }
            state.serial += 1
            state.askedTime = now
            state.phase = .waiting(nil)
            return (state.serial, state.isLookAhead)
        }
        guard let serial else { return }
        if isLookAhead {
            guard let lease = pool.tryAcquire(evictingIdle: false) else {
                let isCurrent = state.withLock { state in
                    if state.serial == serial, case .waiting = state.phase { state.phase = .detached }
                    return !state.isLookAhead
                }
                // It may have become current meanwhile.
                return isCurrent ? attach() : ()
            }
            return take(lease, serial)
        }
        let request = pool.request { [weak self] lease in
            guard let self else { return lease.release() }
            self.take(lease, serial)
        }
        let isLate = state.withLock { state in
            guard state.serial == serial, case .waiting = state.phase else { return true }
            state.phase = .waiting(request)
            return false
        }
        // Granted already, or left again.
        if isLate { request.cancel() }
    }

    /// Takes a lease that was asked for, and starts the thread.
    private func take(_ lease: DecoderPool.Lease, _ serial: Int) {
        let (isWanted, isCurrent, askedTime) = state.withLock { state -> (Bool, Bool, Int64) in
            guard state.serial == serial, case .waiting = state.phase else { return (false, false, 0) }
            guard state.wantsDecoder else {
                state.phase = .detached
                return (false, false, 0)
            }
            state.phase = .attached(lease)
            (state.leaving, state.isLeavingWhenFull) = (nil, false)
            state.order?.hasBegun = false
            return (true, !state.isLookAhead, state.askedTime)
        }
        guard isWanted else {
            lease.release()
            // What was started since then asks for itself.
            return
        }
        if isCurrent { lease.becomeCurrent() }
        meter.report(.attached(waitedNanoseconds: max(0, meter.now() - askedTime)))
        do throws(ScrubError) {
            let thread = try DedicatedThread { self.run(lease) }
            thread.detach()
        } catch {
            let ticket = state.withLock { state in
                defer { (state.phase, state.order) = (.detached, nil) }
                return state.order?.ticket
            }
            meter.report(.detached(.closed))
            lease.release()
            if let ticket { _ = deliver(ticket, .failed(error)) }
        }
    }

    /// The thread.
    private func run(_ lease: DecoderPool.Lease) {
        var turn = LaneTurn(self, lease)
        turn.run()
        let reason = state.withLock { state in
            state.phase = .detached
            return state.detachReason
        }
        meter.report(.detached(reason))
        lease.release()
        // Something may have been started while the decoder was being closed.
        attach()
    }

    fileprivate func nextWork(canPrepare: Bool) -> LaneState.Work {
        state.withLock { $0.nextWork(canPrepare: canPrepare) }
    }

    fileprivate func waitForBell() { _ = bell.pop() }

    fileprivate func evict() {
        state.withLock { $0.leaving = .evicted }
        bell.offer(())
    }

    fileprivate func makeFeedNow() throws(ScrubError) -> sending Feed { try makeFeed() }

    fileprivate func wants(_ ticket: Int) -> Bool { state.withLock { $0.wants(ticket) } }

    /// Delivers news that are still wanted.
    fileprivate func tell(_ ticket: Int, _ news: LaneNews<Feed.Image>) {
        if wants(ticket) { _ = deliver(ticket, news) }
    }

    /// Delivers a frame.
    fileprivate func tell(_ order: LaneState.Order, _ frame: FedPicture<Feed.Image>) {
        let (resumed, again) = state.withLock { state -> (Int?, Int) in
            guard state.wants(order.ticket) else { return (nil, 0) }
            // A place that was left begins with the last frame, which was delivered already.
            if frame.frame == order.last {
                state.redecodedCount += frame.decodedCount
                return (nil, frame.decodedCount)
            }
            state.order?.last = frame.frame
            state.order?.isAhead = true
            return (state.resumeCount, 0)
        }
        if again > 0 { meter.report(.worked(pictures: 0, again: again, bytes: 0)) }
        guard let resumed, !deliver(order.ticket, .frame(frame)) else { return }
        state.withLock { state in
            guard state.wants(order.ticket), state.resumeCount == resumed else { return }
            state.order?.isFull = true
        }
    }

    fileprivate func setFull(_ ticket: Int) {
        state.withLock { if $0.wants(ticket) { $0.order?.isFull = true } }
    }

    fileprivate func end(_ ticket: Int) {
        state.withLock { if $0.wants(ticket) { $0.order = nil } }
    }

    fileprivate func leaveTurn() { state.withLock { $0.leaving = .turnOver } }
}

extension LaneState {
    /// Leaves the pool's line.
    ///
    /// - Returns: the request, to be cancelled outside the lock.
    mutating func leaveLine() -> DecoderRequest? {
        guard case .waiting(let request) = phase else { return nil }
        phase = .detached
        return request
    }
}

/// The time between getting a lease and giving it back, on the lane's thread.
private struct LaneTurn<Feed: PictureFeed> {
    private let core: LaneCore<Feed>
    private let lease: DecoderPool.Lease
    private var feed: Feed?
    private var isIdle = false
    /// Whether the feed may have something to do while there is no room.
    private var canPrepare = false
    /// Whether this turn has brought a frame: before that it is not given back.
    private var hasDelivered = false
    /// The part of the feed's work that was reported.
    private var (toldPictures, toldBytes) = (0, Int64(0))

    init(_ core: LaneCore<Feed>, _ lease: DecoderPool.Lease) { (self.core, self.lease) = (core, lease) }

    mutating func run() {
        loop: while true {
            let work = core.nextWork(canPrepare: canPrepare)
            switch work {
            case .leave: break loop
            case .wait:
                if !isIdle {
                    isIdle = true
                    lease.becomeIdle { [weak core] in core?.evict() }
                } else {
                    core.waitForBell()
                }
                continue
            case .begin, .step, .prepare:
                if isIdle {
                    isIdle = false
                    // Another lane wants its decoder: then it requests one again.
                    guard lease.becomeBusy() else { break loop }
                }
            }
            switch work {
            case .begin(let order): begin(order)
            case .step(let order): step(order)
            case .prepare: prepare()
            case .wait, .leave: break
            }
            report()
        }
        feed?.close()
        feed = nil
    }

    private mutating func report() {
        guard let (pictures, bytes) = feed.map({ ($0.decodedCount, $0.readByteCount) }),
            pictures > toldPictures || bytes > toldBytes
        else { return }
        core.meter.report(.worked(pictures: pictures - toldPictures, again: 0, bytes: bytes - toldBytes))
        (toldPictures, toldBytes) = (pictures, bytes)
    }

    private mutating func begin(_ order: LaneState.Order) {
        do throws(ScrubError) {
            if feed == nil { feed = try core.makeFeedNow() }
            try feed?.begin(at: order.last ?? order.frame, order.direction, stride: order.stride)
        } catch {
            fail(order.ticket, error)
        }
    }

    private mutating func step(_ order: LaneState.Order) {
        guard feed != nil else { return core.end(order.ticket) }
        do throws(ScrubError) {
            switch try feed?.step(isAhead: order.isAhead) {
            case .more, nil: break
            case .frame(let frame):
                core.tell(order, frame)
                (hasDelivered, canPrepare) = (hasDelivered || frame.frame != order.last, true)
                lease.noteProgress(pictures: 1)
                giveBackIfWanted(order.ticket)
            case .placeholder(let picture):
                // When it begins again at the same place, its picture is on screen.
                if order.last == nil { core.tell(order.ticket, .placeholder(picture)) }
            case .end:
                core.tell(order.ticket, .end)
                core.end(order.ticket)
            case .starved:
                core.setFull(order.ticket)
                // Memory comes back when others show their frames: asking again at once would keep a processor busy.
                usleep(2000)
                core.tell(order.ticket, .starved)
            }
        } catch {
            fail(order.ticket, error)
        }
    }

    private mutating func prepare() {
        // Trouble ahead is trouble only when its turn has come.
        canPrepare = (try? feed?.prepare()) ?? false
        giveBackIfWanted(nil)
    }

    private mutating func fail(_ ticket: Int, _ error: ScrubError) {
        core.tell(ticket, .failed(error))
        core.end(ticket)
    }

    /// Ends the turn when others wait and it has brought something.
    private mutating func giveBackIfWanted(_ ticket: Int?) {
        guard hasDelivered, lease.isWantedBack else { return }
        core.leaveTurn()
        if let ticket { core.tell(ticket, .waitingForDecoder) }
    }
}
