internal import Glibc
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// The state that a ``PictureLane`` and its thread share.
final class LaneCore<Feed: PictureFeed>: Sendable {
    let meter: LaneMeter
    let seat: DecoderSeat
    let makeFeed: @Sendable () throws(ScrubError) -> sending Feed
    private let deliver: @Sendable (Int, LaneNews<Feed.Image>) -> Bool
    private let state = Locked(LaneState())
    /// It rests only with an open decoder, which it must be there to close.
    private let thread: TurnThread

    init(
        pool: DecoderPool, meter: LaneMeter, makeFeed: @escaping @Sendable () throws(ScrubError) -> sending Feed,
        deliver: @escaping @Sendable (Int, LaneNews<Feed.Image>) -> Bool
    ) {
        (self.meter, self.makeFeed, self.deliver) = (meter, makeFeed, deliver)
        let thread = TurnThread(longestRest: nil)
        self.thread = thread
        seat = DecoderSeat(pool, for: .shown) { [weak thread] in thread?.ring() }
        thread.give(LaneTurn(self))
    }

    var redecodedCount: Int { state.withLock { $0.redecodedCount } }
    var isLookAhead: Bool { state.withLock { $0.isLookAhead } }

    func start(_ order: LaneState.Order, isLookAhead: Bool) -> Bool {
        change { state in
            if !state.isClosed { (state.order, state.isLookAhead, state.isLeaving) = (order, isLookAhead, false) }
        }
        return seat.isSeated
    }

    func resume(_ ticket: Int, isAhead: Bool) {
        change { state in
            guard state.wants(ticket) else { return }
            (state.resumeCount, state.isLeavingWhenFull) = (state.resumeCount + 1, false)
            state.order?.isFull = false
            state.order?.isAhead = isAhead
        }
    }

    func becomeCurrent() {
        change { state in
            state.isLookAhead = false
            if state.order?.last == nil { state.order?.isAhead = false }
        }
    }

    func stop() { change { $0.order = nil } }

    func detach() { change { ($0.order, $0.isLeaving) = (nil, true) } }

    func closeDecoderWhenFull() {
        guard seat.isSeated else { return }
        change { $0.isLeavingWhenFull = true }
    }

    func close() {
        change { ($0.order, $0.isClosed) = (nil, true) }
        // Without a thread no decoder is open.
        thread.close(isIdle: true)
    }

    private func change(_ change: (inout LaneState) -> Void) {
        state.withLock { change(&$0) }
        askForDecoder()
    }

    /// Asks for a decoder or leaves the line, as the orders want it, and has the thread look where there is one.
    ///
    /// One thread at a time does it, and looks again when orders change meanwhile: a lane that was just stopped is in
    /// no line, and one that was just started is.
    func askForDecoder() {
        guard state.withLock({ $0.beginAsking() }) else { return }
        repeat {
            // The thread that gives a decoder back meanwhile looks at the orders after that.
            if seat.isSeated || takesDecoder(at: meter.now()) { thread.ring() }
        } while state.withLock { $0.asksAgain() }
    }

    /// Takes the decoder that the orders want, or leaves the line.
    ///
    /// - Parameter now: the time at which it is asked for; `nil` if it is there.
    /// - Returns: whether the thread may use it.
    func takesDecoder(at now: Int64? = nil) -> Bool {
        switch state.withLock({ $0.need(at: now) }) {
        case .none:
            seat.leaveLine()
            return false
        // One that only looks ahead does not queue.
        case .ahead: return seat.takeAhead()
        case .shown: return seat.take()
        }
    }

    // MARK: The thread's part

    /// Ends the order: there is no thread for it, so that no decoder is open.
    func fail(_ error: ScrubError) {
        let ticket = state.withLock { state in
            defer { state.order = nil }
            return state.order?.ticket
        }
        seat.abandon()
        if let ticket { _ = deliver(ticket, .failed(error)) }
    }

    func nextWork(canPrepare: Bool) -> LaneState.Work { state.withLock { $0.nextWork(canPrepare: canPrepare) } }

    /// Notes that a decoder goes on with an order, and reports that there is one.
    func noteBegun(_ order: LaneState.Order, isNew: Bool) {
        let askedTime = state.withLock { state in
            if state.wants(order.ticket) { state.order?.hasBegun = true }
            defer { state.askedTime = nil }
            return state.askedTime
        }
        guard isNew else { return }
        let now = meter.now()
        meter.report(.attached(waitedNanoseconds: max(0, now - (askedTime ?? now))))
    }

    func noteClosed() { state.withLock { $0.noteClosed() } }

    func wants(_ ticket: Int) -> Bool { state.withLock { $0.wants(ticket) } }

    /// Delivers news that are still wanted.
    func tell(_ ticket: Int, _ news: LaneNews<Feed.Image>) {
        if wants(ticket) { _ = deliver(ticket, news) }
    }

    /// Delivers a frame.
    func tell(_ order: LaneState.Order, _ frame: FedPicture<Feed.Image>) {
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

    func setFull(_ ticket: Int) { state.withLock { if $0.wants(ticket) { $0.order?.isFull = true } } }

    func end(_ ticket: Int) {
        state.withLock { if $0.wants(ticket) { ($0.order, $0.askedTime) = (nil, nil) } }
    }

    func fail(_ ticket: Int, _ error: ScrubError) {
        tell(ticket, .failed(error))
        end(ticket)
    }
}

/// The work of a lane's thread. A turn is about one packet.
private final class LaneTurn<Feed: PictureFeed>: TurnWork {
    private let core: LaneCore<Feed>
    /// The feed with its decoder, while it has one.
    private var feed: Feed?
    /// Whether the feed may have something to do while there is no room.
    private var canPrepare = false
    /// The part of the feed's work that was reported.
    private var (toldPictures, toldBytes) = (0, Int64(0))

    init(_ core: LaneCore<Feed>) { self.core = core }

    func fail(_ error: ScrubError) { core.fail(error) }

    func end() {
        close(.closed)
        core.seat.leave()
    }

    func turn() -> NextTurn {
        let work = core.nextWork(canPrepare: canPrepare)
        if case .leave(let reason) = work {
            close(reason)
            // An order may have come since the work was chosen.
            core.askForDecoder()
            return .whenRung
        }
        if core.seat.isWantedBack { giveBack(work) }
        switch work {
        case .begin(let order):
            guard core.seat.isSeated else {
                core.askForDecoder()
                // One that looks ahead does not queue: its player is told.
                if core.isLookAhead, !core.seat.isSeated { core.tell(order.ticket, .waitingForDecoder) }
                return .whenRung
            }
            guard core.takesDecoder() else { return .now }
            begin(order)
        case .step(let order):
            guard feed != nil, core.takesDecoder() else { return .now }
            step(order)
        case .prepare where feed != nil:
            // What is decoded ahead waits for no decoder.
            guard core.seat.takeAhead() else { return .now }
            // Trouble ahead is trouble only when its turn has come.
            canPrepare = (try? feed?.prepare()) ?? false
        case .wait, .prepare:
            guard feed != nil else {
                core.seat.giveBack()
                // An order may have come since the work was chosen.
                core.askForDecoder()
                return .whenRung
            }
            core.seat.rest()
            return .rest(atMost: nil)
        case .leave: return .whenRung
        }
        report()
        return .now
    }

    /// Gives the decoder back: others wait, and it rests or has had its turn.
    private func giveBack(_ work: LaneState.Work) {
        let isEvicted = core.seat.isEvicted
        close(isEvicted ? .evicted : .turnOver)
        if !isEvicted, case .step(let order) = work { core.tell(order.ticket, .waitingForDecoder) }
    }

    /// Closes the decoder, and gives it back.
    private func close(_ reason: AccessLog.Entry.DetachReason) {
        let wasOpen = feed != nil
        feed?.close()
        (feed, canPrepare, toldPictures, toldBytes) = (nil, false, 0, 0)
        core.noteClosed()
        if wasOpen { core.meter.report(.detached(reason)) }
        core.seat.giveBack()
    }

    private func report() {
        guard let (pictures, bytes) = feed.map({ ($0.decodedCount, $0.readByteCount) }),
            pictures > toldPictures || bytes > toldBytes
        else { return }
        core.meter.report(.worked(pictures: pictures - toldPictures, again: 0, bytes: bytes - toldBytes))
        (toldPictures, toldBytes) = (pictures, bytes)
    }

    private func begin(_ order: LaneState.Order) {
        do throws(ScrubError) {
            let isNew = feed == nil
            if isNew { feed = try core.makeFeed() }
            core.noteBegun(order, isNew: isNew)
            try feed?.begin(at: order.last ?? order.frame, order.direction, stride: order.stride)
        } catch {
            core.fail(order.ticket, error)
        }
    }

    private func step(_ order: LaneState.Order) {
        do throws(ScrubError) {
            switch try feed?.step(isAhead: order.isAhead) {
            case .more, nil: break
            case .frame(let frame):
                core.tell(order, frame)
                canPrepare = true
                // The first one may have been delivered before the decoder was given back.
                if frame.frame != order.last { core.seat.noteProgress() }
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
            core.fail(order.ticket, error)
        }
    }
}
