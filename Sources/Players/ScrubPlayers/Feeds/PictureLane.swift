internal import Glibc
package import ScrubPlayersLogic
internal import ScrubBase
package import ScrubMedia

/// Makes one medium's pictures on a thread of its own, which exists only while the lane has something to do or holds a
/// decoder.
///
/// The newest ``start(ticket:at:_:stride:isLookAhead:)`` wins. A lane with nothing to do, because it was stopped or the
/// queue is full, keeps its decoder open and lets it be closed for others. Then, and when its turn is over while others
/// wait, it remembers its place and begins there again. Its kept pictures go with the decoder.
///
/// Decoders are opened, used and closed on the lane's thread, which keeps the lane until ``close()``.
///
/// Thread safety: safe from any thread; nothing blocks but ``DecoderPool``'s short locks.
package final class PictureLane<Feed: PictureFeed>: Sendable {
    fileprivate let meter: LaneMeter
    fileprivate let seat: DecoderSeat
    fileprivate let makeFeed: @Sendable () throws(ScrubError) -> sending Feed
    private let deliver: @Sendable (Int, LaneNews<Feed.Image>) -> Bool
    private let state = Locked(LaneState())
    /// It rests only with an open decoder, which it must be there to close.
    private let thread: TurnThread

    /// Makes a lane; nothing is opened.
    ///
    /// - Parameters:
    ///   - pool: whose decoders it takes.
    ///   - meter: receives reports of its decoders' work.
    ///   - makeFeed: called on the lane's thread.
    ///   - deliver: called on the lane's thread, one call at a time; from another thread only to say that the system
    ///     has no thread left. It takes every picture that it is given. False after a frame says that the queue is full
    ///     now, and that the next one has to wait for ``resume(ticket:isAhead:)``. Kept until the lane is closed.
    package init(
        pool: DecoderPool, meter: LaneMeter = LaneMeter(),
        makeFeed: @escaping @Sendable () throws(ScrubError) -> sending Feed,
        deliver: @escaping @Sendable (_ ticket: Int, LaneNews<Feed.Image>) -> Bool
    ) {
        (self.meter, self.makeFeed, self.deliver) = (meter, makeFeed, deliver)
        let thread = TurnThread(longestRest: nil)
        self.thread = thread
        seat = DecoderSeat(pool, for: .shown) { [weak thread] in thread?.ring() }
        thread.give(LaneTurn(self))
    }

    /// Begins at a frame; an earlier playback is over.
    ///
    /// Once this has returned no delivery for an older ticket begins. One that is under way may still be going on:
    /// the receiver compares tickets.
    ///
    /// - Parameters:
    ///   - ticket: comes back with everything that is delivered.
    ///   - isLookAhead: whether it is prepared for later: it takes a decoder only if one is free, and gives it back as
    ///     soon as another lane waits.
    /// - Returns: whether it has a decoder. If not, it waits for one in line, unless it looks ahead.
    @discardableResult
    package func start(
        ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int = 1, isLookAhead: Bool = false
    ) -> Bool {
        let order = LaneState.Order(
            ticket: ticket, frame: frame, direction: direction, stride: stride, isAhead: isLookAhead)
        change { if !$0.isClosed { ($0.order, $0.isLookAhead) = (order, isLookAhead) } }
        return seat.isSeated
    }

    /// Says that there is room again for a ticket's pictures.
    ///
    /// - Parameter isAhead: whether nothing waits for the next frame yet; after that frame nothing does.
    package func resume(ticket: Int, isAhead: Bool) {
        change { state in
            guard state.wants(ticket) else { return }
            (state.resumeCount, state.isLeavingWhenFull) = (state.resumeCount + 1, false)
            state.order?.isFull = false
            state.order?.isAhead = isAhead
        }
    }

    /// Makes a look-ahead the current playback: it waits for a decoder in line if it has none.
    package func becomeCurrent() {
        change { state in
            state.isLookAhead = false
            if state.order?.last == nil { state.order?.isAhead = false }
        }
    }

    /// Leaves the present work, between two packets. The decoder stays open until another lane wants one.
    package func stop() { change { $0.order = nil } }

    /// Closes the decoder once there is no room for more, and goes on with another one when there is.
    package func closeDecoderWhenFull() {
        guard seat.isSeated else { return }
        change { $0.isLeavingWhenFull = true }
    }

    /// Ends the lane: nothing is delivered and nothing can be started any more.
    package func close() {
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
    fileprivate func askForDecoder() {
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
    fileprivate func takesDecoder(at now: Int64? = nil) -> Bool {
        switch state.withLock({ $0.need(at: now) }) {
        case .none:
            seat.leaveLine()
            return false
        // One that only looks ahead does not queue.
        case .ahead: return seat.takeAhead()
        case .shown: return seat.take()
        }
    }
}

// The thread's part.
extension PictureLane {
    fileprivate var isLookAhead: Bool { state.withLock { $0.isLookAhead } }

    /// Ends the order: there is no thread for it, so that no decoder is open.
    fileprivate func fail(_ error: ScrubError) {
        let ticket = state.withLock { state in
            defer { state.order = nil }
            return state.order?.ticket
        }
        seat.abandon()
        if let ticket { _ = deliver(ticket, .failed(error)) }
    }

    fileprivate func nextWork(canPrepare: Bool) -> LaneState.Work {
        state.withLock { $0.nextWork(canPrepare: canPrepare) }
    }

    /// Notes that a decoder goes on with an order, and reports that there is one.
    fileprivate func noteBegun(_ order: LaneState.Order, isNew: Bool) {
        let askedTime = state.withLock { state in
            if state.wants(order.ticket) { state.order?.hasBegun = true }
            defer { state.askedTime = nil }
            return state.askedTime
        }
        guard isNew else { return }
        let now = meter.now()
        meter.report(.attached(waitedNanoseconds: max(0, now - (askedTime ?? now))))
    }

    fileprivate func noteClosed() { state.withLock { $0.noteClosed() } }

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

    fileprivate func setFull(_ ticket: Int) { state.withLock { if $0.wants(ticket) { $0.order?.isFull = true } } }

    fileprivate func end(_ ticket: Int) {
        state.withLock { if $0.wants(ticket) { ($0.order, $0.askedTime) = (nil, nil) } }
    }

    fileprivate func fail(_ ticket: Int, _ error: ScrubError) {
        tell(ticket, .failed(error))
        end(ticket)
    }
}

/// The work of a lane's thread. A turn is about one packet.
private final class LaneTurn<Feed: PictureFeed>: TurnWork {
    private let lane: PictureLane<Feed>
    /// The feed with its decoder, while it has one.
    private var feed: Feed?
    /// Whether the feed may have something to do while there is no room.
    private var canPrepare = false
    /// The part of the feed's work that was reported.
    private var (toldPictures, toldBytes) = (0, Int64(0))

    init(_ lane: PictureLane<Feed>) { self.lane = lane }

    func fail(_ error: ScrubError) { lane.fail(error) }

    func end() {
        close(.closed)
        lane.seat.leave()
    }

    func turn() -> NextTurn {
        let work = lane.nextWork(canPrepare: canPrepare)
        if case .leave(let reason) = work {
            close(reason)
            // An order may have come since the work was chosen.
            lane.askForDecoder()
            return .whenRung
        }
        if lane.seat.isWantedBack { giveBack(work) }
        switch work {
        case .begin(let order):
            guard lane.seat.isSeated else {
                lane.askForDecoder()
                // One that looks ahead does not queue: its player is told.
                if lane.isLookAhead, !lane.seat.isSeated { lane.tell(order.ticket, .waitingForDecoder) }
                return .whenRung
            }
            guard lane.takesDecoder() else { return .now }
            begin(order)
        case .step(let order):
            guard feed != nil, lane.takesDecoder() else { return .now }
            step(order)
        case .prepare where feed != nil:
            // What is decoded ahead waits for no decoder.
            guard lane.seat.takeAhead() else { return .now }
            // Trouble ahead is trouble only when its turn has come.
            canPrepare = (try? feed?.prepare()) ?? false
        case .wait, .prepare:
            guard feed != nil else {
                lane.seat.giveBack()
                // An order may have come since the work was chosen.
                lane.askForDecoder()
                return .whenRung
            }
            lane.seat.rest()
            return .rest(atMost: nil)
        case .leave: return .whenRung
        }
        report()
        return .now
    }

    /// Gives the decoder back: others wait, and it rests or has had its turn.
    private func giveBack(_ work: LaneState.Work) {
        let isEvicted = lane.seat.isEvicted
        close(isEvicted ? .evicted : .turnOver)
        if !isEvicted, case .step(let order) = work { lane.tell(order.ticket, .waitingForDecoder) }
    }

    /// Closes the decoder, and gives it back.
    private func close(_ reason: AccessLog.Entry.DetachReason) {
        let wasOpen = feed != nil
        feed?.close()
        (feed, canPrepare, toldPictures, toldBytes) = (nil, false, 0, 0)
        lane.noteClosed()
        if wasOpen { lane.meter.report(.detached(reason)) }
        lane.seat.giveBack()
    }

    private func report() {
        guard let (pictures, bytes) = feed.map({ ($0.decodedCount, $0.readByteCount) }),
            pictures > toldPictures || bytes > toldBytes
        else { return }
        lane.meter.report(.worked(pictures: pictures - toldPictures, again: 0, bytes: bytes - toldBytes))
        (toldPictures, toldBytes) = (pictures, bytes)
    }

    private func begin(_ order: LaneState.Order) {
        do throws(ScrubError) {
            let isNew = feed == nil
            if isNew { feed = try lane.makeFeed() }
            lane.noteBegun(order, isNew: isNew)
            try feed?.begin(at: order.last ?? order.frame, order.direction, stride: order.stride)
        } catch {
            lane.fail(order.ticket, error)
        }
    }

    private func step(_ order: LaneState.Order) {
        do throws(ScrubError) {
            switch try feed?.step(isAhead: order.isAhead) {
            case .more, nil: break
            case .frame(let frame):
                lane.tell(order, frame)
                canPrepare = true
                // The first one may have been delivered before the decoder was given back.
                if frame.frame != order.last { lane.seat.noteProgress() }
            case .placeholder(let picture):
                // When it begins again at the same place, its picture is on screen.
                if order.last == nil { lane.tell(order.ticket, .placeholder(picture)) }
            case .end:
                lane.tell(order.ticket, .end)
                lane.end(order.ticket)
            case .starved:
                lane.setFull(order.ticket)
                // Memory comes back when others show their frames: asking again at once would keep a processor busy.
                usleep(2000)
                lane.tell(order.ticket, .starved)
            }
        } catch {
            lane.fail(order.ticket, error)
        }
    }
}
