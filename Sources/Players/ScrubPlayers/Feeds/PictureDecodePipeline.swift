internal import Glibc
package import ScrubPlayersLogic
internal import ScrubBase
package import ScrubMedia

/// A lane that makes one medium's pictures on a separate thread. The thread exists only while the lane has work or
/// holds a decoder.
///
/// The newest ``start(ticket:at:_:stride:isLookAhead:)`` wins. A lane without work, because it was stopped or the queue
/// is full, keeps its decoder open, but allows others to have it closed. After that, or when its turn ends while others
/// are waiting, it remembers its position and restarts there. Its cached pictures are released with the decoder.
///
/// Decoders are opened, used and closed on the lane's thread, which retains the lane until ``close()``.
///
/// Thread safety: safe from any thread; calls block only for ``DecoderPool``'s short locks.
package final class PictureDecodePipeline<Feed: PictureFeed>: Sendable {
    fileprivate let meter: PipelineMetrics
    fileprivate let seat: DecoderLeaseHolder
    fileprivate let makeFeed: @Sendable () throws(ScrubError) -> sending Feed
    private let deliver: @Sendable (Int, PipelineUpdate<Feed.Image>) -> Bool
    private let state = Locked(PipelineState())
    /// The thread. It waits only while it has an open decoder, which it alone can close.
    private let thread: StepWorkerThread

    /// Creates a lane. It does not open anything.
    ///
    /// - Parameters:
    ///   - pool: the pool from which it takes decoders.
    ///   - meter: receives reports on its decoders' work.
    ///   - makeFeed: called on the lane's thread.
    ///   - deliver: called on the lane's thread, one call at a time; from another thread only to report that the system
    ///     cannot create a thread. It takes every picture that it receives. Returning false for a frame means that the
    ///     queue is full, and that the next frame must wait for ``resume(ticket:isAhead:)``. Retained until the lane is
    ///     closed.
    package init(
        pool: DecoderPool, meter: PipelineMetrics = PipelineMetrics(),
        makeFeed: @escaping @Sendable () throws(ScrubError) -> sending Feed,
        deliver: @escaping @Sendable (_ ticket: Int, PipelineUpdate<Feed.Image>) -> Bool
    ) {
        (self.meter, self.makeFeed, self.deliver) = (meter, makeFeed, deliver)
        let thread = StepWorkerThread(longestRest: nil)
        self.thread = thread
        seat = DecoderLeaseHolder(pool, for: .shown) { [weak thread] in thread?.ring() }
        thread.give(PipelineStep(self))
    }

    /// Starts at a frame, and ends any earlier playback.
    ///
    /// After this method returns, no delivery for an older ticket begins. One that is in progress may still finish, so
    /// the receiver compares tickets.
    ///
    /// - Parameters:
    ///   - ticket: a number that accompanies everything that is delivered.
    ///   - isLookAhead: whether it prepares for later: it takes a decoder only if one is free, and returns it as soon
    ///     as another lane is waiting.
    /// - Returns: whether it has a decoder. If not, it waits for one in line, unless it looks ahead.
    @discardableResult
    package func start(
        ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int = 1, isLookAhead: Bool = false
    ) -> Bool {
        let order = PipelineState.Order(
            ticket: ticket, frame: frame, direction: direction, stride: stride, isAhead: isLookAhead)
        change { if !$0.isClosed { ($0.order, $0.isLookAhead) = (order, isLookAhead) } }
        return seat.isSeated
    }

    /// Reports that there is room again for a ticket's pictures.
    ///
    /// - Parameter isAhead: whether no caller is waiting for the next frame yet.
    package func resume(ticket: Int, isAhead: Bool) {
        change { state in
            guard state.wants(ticket) else { return }
            (state.resumeCount, state.isLeavingWhenFull) = (state.resumeCount + 1, false)
            state.order?.isFull = false
            state.order?.isAhead = isAhead
        }
    }

    /// Makes a look-ahead the current playback. If it has no decoder, it waits for one in line.
    package func becomeCurrent() {
        change { state in
            state.isLookAhead = false
            if state.order?.last == nil { state.order?.isAhead = false }
        }
    }

    /// Abandons the current work, between two packets. The decoder stays open until another lane needs one.
    package func stop() { change { $0.order = nil } }

    /// Closes the decoder once there is no room for more pictures, and continues with another one when there is.
    package func closeDecoderWhenFull() {
        guard seat.isSeated else { return }
        change { $0.isLeavingWhenFull = true }
    }

    /// Ends the lane. Pictures are no longer delivered, and it cannot be started again.
    package func close() {
        change { ($0.order, $0.isClosed) = (nil, true) }
        // Without a thread, no decoder is open.
        thread.close(isIdle: true)
    }

    private func change(_ change: (inout PipelineState) -> Void) {
        state.withLock { change(&$0) }
        askForDecoder()
    }

    /// Requests a decoder or leaves the line, as the orders require, and makes the thread check if there is one.
    ///
    /// One thread at a time does this, and checks again if orders change in the meantime: a lane that was just stopped
    /// is in no line, and one that was just started is.
    fileprivate func askForDecoder() {
        guard state.withLock({ $0.beginAsking() }) else { return }
        repeat {
            // A thread that is returning a decoder checks the orders afterward.
            if seat.isSeated || takesDecoder(at: meter.now()) { thread.ring() }
        } while state.withLock { $0.asksAgain() }
    }

    /// Takes the decoder that the orders require, or leaves the line.
    ///
    /// - Parameter now: the time of the request; `nil` if there already is a decoder.
    /// - Returns: whether the thread may use it.
    fileprivate func takesDecoder(at now: Int64? = nil) -> Bool {
        switch state.withLock({ $0.need(at: now) }) {
        case .none:
            seat.leaveLine()
            return false
        // A lane that only looks ahead does not queue.
        case .ahead: return seat.takeAhead()
        case .shown: return seat.take()
        }
    }
}

// The thread's part.
extension PictureDecodePipeline {
    fileprivate var isLookAhead: Bool { state.withLock { $0.isLookAhead } }

    /// Ends the order. There is no thread for it, so no decoder is open.
    fileprivate func fail(_ error: ScrubError) {
        let ticket = state.withLock { state in
            defer { state.order = nil }
            return state.order?.ticket
        }
        seat.abandon()
        if let ticket { _ = deliver(ticket, .failed(error)) }
    }

    fileprivate func nextWork(canPrepare: Bool) -> PipelineState.Work {
        state.withLock { $0.nextWork(canPrepare: canPrepare) }
    }

    /// Records that a decoder is working on an order, and reports that there is one.
    fileprivate func noteBegun(_ order: PipelineState.Order, isNew: Bool) {
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

    /// Delivers news that is still needed.
    fileprivate func tell(_ ticket: Int, _ news: PipelineUpdate<Feed.Image>) {
        if wants(ticket) { _ = deliver(ticket, news) }
    }

    /// Delivers a frame.
    fileprivate func tell(_ order: PipelineState.Order, _ frame: FedPicture<Feed.Image>) {
        let (resumed, again) = state.withLock { state -> (Int?, Int) in
            guard state.wants(order.ticket) else { return (nil, 0) }
            // A position that was left starts with the last frame, which was already delivered.
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
private final class PipelineStep<Feed: PictureFeed>: StepwiseWork {
    private let lane: PictureDecodePipeline<Feed>
    /// The feed with its decoder, while there is one.
    private var feed: Feed?
    /// Whether the feed may have work while there is no room.
    private var canPrepare = false
    /// The part of the feed's work that was already reported.
    private var (toldPictures, toldBytes) = (0, Int64(0))

    init(_ lane: PictureDecodePipeline<Feed>) { self.lane = lane }

    func fail(_ error: ScrubError) { lane.fail(error) }

    func end() {
        close(.closed)
        lane.seat.leave()
    }

    func turn() -> StepOutcome {
        let work = lane.nextWork(canPrepare: canPrepare)
        if case .leave(let reason) = work {
            close(reason)
            // An order may have arrived since the work was chosen.
            lane.askForDecoder()
            return .whenRung
        }
        if lane.seat.isWantedBack { giveBack(work) }
        switch work {
        case .begin(let order):
            guard lane.seat.isSeated else {
                lane.askForDecoder()
                // A lane that looks ahead does not queue: its player is notified.
                if lane.isLookAhead, !lane.seat.isSeated { lane.tell(order.ticket, .waitingForDecoder) }
                return .whenRung
            }
            guard lane.takesDecoder() else { return .now }
            begin(order)
        case .step(let order):
            guard feed != nil, lane.takesDecoder() else { return .now }
            step(order)
        case .prepare where feed != nil:
            // Decoding ahead does not wait for a decoder.
            guard lane.seat.takeAhead() else { return .now }
            // An error while decoding ahead matters only when its turn comes.
            canPrepare = (try? feed?.prepare()) ?? false
        case .wait, .prepare:
            guard feed != nil else {
                lane.seat.giveBack()
                // An order may have arrived since the work was chosen.
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

    /// Returns the decoder, because others are waiting and the lane is idle or has had its turn.
    private func giveBack(_ work: PipelineState.Work) {
        let isEvicted = lane.seat.isEvicted
        close(isEvicted ? .evicted : .turnEnded)
        if !isEvicted, case .step(let order) = work { lane.tell(order.ticket, .waitingForDecoder) }
    }

    /// Closes the decoder and returns it to the pool.
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

    private func begin(_ order: PipelineState.Order) {
        do throws(ScrubError) {
            let isNew = feed == nil
            if isNew { feed = try lane.makeFeed() }
            lane.noteBegun(order, isNew: isNew)
            try feed?.begin(at: order.last ?? order.frame, order.direction, stride: order.stride)
        } catch {
            lane.fail(order.ticket, error)
        }
    }

    private func step(_ order: PipelineState.Order) {
        do throws(ScrubError) {
            switch try feed?.step(isAhead: order.isAhead) {
            case .more, nil: break
            case .frame(let frame):
                lane.tell(order, frame)
                canPrepare = true
                // The first frame may have been delivered before the decoder was returned.
                if frame.frame != order.last { lane.seat.noteProgress() }
            case .placeholder(let picture):
                // If it restarts at the same position, its picture is on screen.
                if order.last == nil { lane.tell(order.ticket, .placeholder(picture)) }
            case .end:
                lane.tell(order.ticket, .end)
                lane.end(order.ticket)
            case .starved:
                lane.setFull(order.ticket)
                // Memory is released when others show their frames. Requesting again at once would keep a processor
                // busy.
                usleep(2000)
                lane.tell(order.ticket, .starved)
            }
        } catch {
            lane.fail(order.ticket, error)
        }
    }
}
