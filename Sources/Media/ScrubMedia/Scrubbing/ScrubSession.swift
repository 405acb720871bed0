internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A session that delivers the frames of a video while a finger drags the playhead. It accepts frame requests at any
/// rate and delivers pictures in stages.
///
/// A newer request replaces an older one. Each request is answered immediately with the nearest available picture. If
/// that picture shows another frame, it is marked approximate and carries the time of its own frame. The exact picture
/// follows once it is decoded, unless a newer request arrives first. For a later frame in the same group of pictures,
/// the session continues with the same decoder. While the finger moves, a new picture appears about once per
/// ``ScrubSession/Options/patience`` interval, as long as the decoder outputs pictures nearer to the requested frame.
/// When the finger rests, the exact frame always follows. While no request is pending, the session decodes the frames
/// that the movement is likely to reach next or, if the finger rests, the frames around the requested one.
///
/// Thread safety: safe from any thread. A request takes microseconds and never waits for the decoder, which runs on a
/// separate thread. Memory: at most the byte limit of the session's ``DecodingResources``.
public final class ScrubSession: Sendable {
    /// The video to scrub.
    public let asset: VideoAsset
    private let budget: ScrubBudget
    private let member: BudgetMember
    let hub: Hub
    private let board: ScrubSessionState<SharedFrame>
    private let loans: HeldPictures
    private let thread: StepWorkerThread
    /// Whether reduced pictures are the last answers.
    let showsOnlyReducedPictures: Bool
    /// The previews of the frames around the playhead; `nil` if the session does not make any
    /// (``ScrubSession/Options/makesPreviews``) or if previews of the video's pictures are not possible.
    package let previewTrack: PreviewTrack?
    /// Cancels the reads for older work; `nil` for local bytes.
    private let turns: StepCancellation?

    /// Creates a session without decoding anything.
    ///
    /// With shared resources, the session waits in line for a decoder. If others are waiting, it returns its decoder
    /// after the next picture, or immediately if it is only decoding ahead. Until the session has a decoder, it answers
    /// with the nearest available picture.
    ///
    /// - Parameters:
    ///   - asset: the video.
    ///   - options: the options of the session.
    ///   - resources: the decoders and memory to share with players, generators and other sessions. By default, the
    ///     session has separate decoders and 256 MiB of memory.
    /// - Throws: `usage` for invalid ``ScrubSession/Options``, `unavailable` if fewer than
    ///   ``ScrubSession/Options/minimumByteCount(for:)`` bytes are free, and `inputOutput` if the system cannot create
    ///   a thread.
    public convenience init(
        _ asset: VideoAsset, options: ScrubSession.Options = .init(), resources: DecodingResources = .automatic
    ) throws(ScrubError) {
        try self.init(
            asset, options: options, budget: resources.budget ?? ScrubBudget(), decoders: resources.decoders)
    }

    /// Creates a session with decoders of its own, in a budget that sessions may share.
    package convenience init(
        _ asset: VideoAsset, options: ScrubSession.Options = .init(), budget: ScrubBudget
    ) throws(ScrubError) {
        try self.init(asset, options: options, budget: budget, decoders: nil)
    }

    private init(
        _ asset: VideoAsset, options: ScrubSession.Options, budget: ScrubBudget, decoders: DecoderPool?
    ) throws(ScrubError) {
        try options.check()
        (self.asset, self.budget) = (asset, budget)
        let index = asset.index
        let settings = options.engineSettings(for: index)
        let guarantee = options.guarantee(index)
        let sizes = options.sizes(of: index)
        let previews =
            options.makesPreviews && sizes == .full
            ? PreviewTrack(asset, longSide: options.previewSide, in: budget.bytes, decoders: decoders) : nil
        previewTrack = previews
        let kept = SessionPictures(
            index, sizes: sizes, previews: previews, keyPictureByteLimit: options.keyPictureByteCount(index),
            guaranteedByteCount: guarantee.byteCount)
        turns = asset.file.isRemote ? StepCancellation() : nil
        let thread = StepWorkerThread(turns: turns, longestRest: nil)
        self.thread = thread
        let ring: @Sendable () -> Void = { [weak thread] in thread?.ring() }
        let memoryCameBack = Locked(false)
        let wake: @Sendable () -> Void = {
            memoryCameBack.withLock { $0 = true }
            ring()
        }
        let member = try budget.join(kept, guarantee, wake: wake)
        self.member = member
        let loans = HeldPictures(member)
        self.loans = loans
        let engine = FrameEngine(
            asset.seekPlanner(), options: settings, budget: member, cache: kept.full,
            decoders: decoders.map { AdditionalDecoderLeases($0, wake: wake) })
        let clock = ContinuousClock()
        let origin = clock.now
        let now: @Sendable () -> Int64 = { (clock.now - origin).wholeNanoseconds }
        let hub = Hub(asset, start: now())
        self.hub = hub
        showsOnlyReducedPictures = kept.sizes == .reduced
        let schedule = ScrubSchedule(patience: options.patience.wholeNanoseconds)
        let board = ScrubSessionState<SharedFrame>(
            schedule, kept: kept, showsOnlyReducedPictures: kept.sizes == .reduced,
            lend: { picture in
                // Without a listener, no caller holds the picture.
                hub.hasListeners ? loans.lend(picture).map { .init(loan: $0) } : .init(loan: nil)
            }, outlet: { hub.show($0) })
        self.board = board
        self.now = now
        let work = SessionWork(
            ScrubLoop(
                SessionDecoder(
                    engine, kept, options, budget: member,
                    seat: decoders.map { DecoderLeaseHolder($0, for: .shown, wake: ring) },
                    spareDecoders: decoders.map { AdditionalDecoderLeases($0, wake: wake) }),
                board: board, clock: now,
                cancelled: { hub.cancelled($0, decoded: $1, at: now()) },
                takeMemoryNews: { memoryCameBack.exchange(\.self, for: false) }), hub, now)
        thread.give(work)
        do throws(ScrubError) { try thread.start() } catch {
            thread.close(isIdle: true)
            budget.leave(member)
            throw error
        }
    }

    private let now: @Sendable () -> Int64

    deinit {
        thread.close()
        thread.join()
        budget.leave(member)
        let ends = hub.outlets.withLock { $0.ends }
        for end in ends.values { end() }
    }

    /// Requests a frame.
    ///
    /// - Parameters:
    ///   - frame: a frame number.
    ///   - isMoving: whether the finger is moving; false if it rests on the frame.
    /// - Precondition: the frame exists.
    public func scrub(toFrame frame: Int, isMoving: Bool = true) {
        scrub(toFrame: frame, isMoving: isMoving, request: nil)
    }

    /// Requests a frame with a given request number, which its updates and failures carry.
    ///
    /// - Parameter request: a number greater than those of all earlier requests; `nil` to use the next number.
    /// - Precondition: the frame exists.
    /// - Returns: the request's number; `nil` if the session has ended.
    @discardableResult
    package func scrub(toFrame frame: Int, isMoving: Bool, request: Int?) -> Int? {
        asset.frames.require(frame)
        guard !hub.isEnded else { return nil }
        let time = now()
        hub.requested(frame, at: time)
        let request = board.ask(frame, as: request, isMoving: isMoving, now: time)
        // It may have ended in the meantime.
        guard !hub.isEnded else {
            cancel(request: nil)
            return nil
        }
        hub.endWaits(through: request - 1)
        // The decoding thread resumes them.
        if !board.situation.isAnswered {
            previewTrack?.pause()
            // It may have resumed them between the two.
            if board.situation.isAnswered { previewTrack?.resume() }
        }
        // Reads for an older request may be abandoned: the decoding thread checks again.
        look()
        return request
    }

    /// Requests the frame at a position. A fraction, time or timecode outside the video is clamped to the first or last
    /// frame. This happens, for example, when the finger leaves the view.
    ///
    /// - Returns: the frame's number.
    /// - Throws: the errors of ``VideoAsset/presentedFrame(nearest:)``.
    @discardableResult
    public func scrub(to position: FramePosition, isMoving: Bool = true) throws(ScrubError) -> Int {
        let number = try asset.presentedFrame(nearest: position).number
        scrub(toFrame: number, isMoving: isMoving)
        return number
    }

    /// Tells the session that the finger rests on the most recently requested frame.
    public func rest() {
        board.rest()
        look()
    }

    /// Cancels the current request. Decoding stops at the next packet boundary, and the session does not decode ahead
    /// until the next request. Pictures already decoded for the request are kept. If the request has already been
    /// answered, the call only stops decoding ahead.
    public func cancelPendingRequest() { cancel(request: nil) }

    /// Ends the session. The current request is cancelled, and ``updates`` and ``events`` end. Later requests have no
    /// effect. The decoder and the pictures are released together with the session object.
    ///
    /// To stop decoding but keep using the session, call ``cancelPendingRequest()`` instead.
    public func end() {
        let ends = hub.end()
        cancel(request: nil)
        for end in ends { end() }
    }

    /// Whether a request is the newest one, and was not cancelled.
    func isNewest(_ request: Int) -> Bool { board.situation.request?.serial == request }

    /// Cancels a request like ``cancelPendingRequest()``, unless there is a newer one.
    ///
    /// - Parameter request: the request's number; `nil` for the newest.
    package func cancel(request: Int?) {
        let withdrawn = board.withdraw(request)
        if board.situation.request == nil {
            previewTrack?.stop()
            // A new request may have been answered between the two.
            if board.situation.isAnswered { previewTrack?.resume() }
        }
        if let withdrawn { hub.endWaits(through: withdrawn) }
        look()
    }

    /// The pictures that answer the session's requests: first the current picture, if there is one, then each new one.
    /// A slow reader gets only the newest picture.
    ///
    /// Delivery starts when this property is read, even if the first iteration begins later. Each access returns a
    /// separate sequence. The sequence ends when the session is released, when ``end()`` is called, or when a task is
    /// cancelled while waiting for the next picture. A failed request does not end the sequence
    /// (``ScrubSession/Update/Stage/failed``).
    ///
    /// Memory: one picture, until a reader takes it or the sequence is released. The picture counts as held by the
    /// caller.
    public var updates: ScrubSession.Updates {
        ScrubSession.Updates(newestUpdates().reader)
    }

    /// Adds a listener that keeps the newest update.
    ///
    /// - Returns: its number, the mailbox that receives updates, and the mailbox's reader, whose release removes it.
    func newestUpdates() -> (
        id: Int, mailbox: Mailbox<ScrubSession.Update>, reader: MailboxReader<ScrubSession.Update>
    ) {
        let hub = hub
        let mailbox = Mailbox<ScrubSession.Update>(limit: 1)
        let id = listen({ mailbox.put($0) }, onEnd: { mailbox.finish() })
        // The session may have ended before the listener was registered.
        if hub.isEnded { mailbox.finish() }
        return (id, mailbox, MailboxReader(mailbox) { hub.forget(id) })
    }

    /// The session's events from this access onward, in order. A reader that falls behind by more than 1,024 events
    /// loses the oldest ones.
    ///
    /// Each access returns a separate sequence. The sequence ends when the session is released, when ``end()`` is
    /// called, or when a task is cancelled while waiting for the next event.
    public var events: ScrubSession.Events {
        let hub = hub
        let mailbox = Mailbox<ScrubSession.Event>(limit: 1024)
        let id = hub.outlets.withLock { outlets in
            outlets.next += 1
            outlets.events[outlets.next] = { mailbox.put($0) }
            outlets.ends[outlets.next] = { mailbox.finish() }
            return outlets.next
        }
        if hub.isEnded { mailbox.finish() }
        return ScrubSession.Events(MailboxReader(mailbox) { hub.forget(id) })
    }

    /// Adds a listener and gives it the current picture, as one operation.
    private func listen(
        _ listener: @escaping @Sendable (ScrubSession.Update) -> Void, onEnd: (@Sendable () -> Void)? = nil
    ) -> Int {
        let id = hub.outlets.withLock { outlets in
            outlets.next += 1
            return outlets.next
        }
        board.join(now: now()) {
            hub.outlets.withLock { outlets in
                outlets.updates[id] = listener
                outlets.ends[id] = onEnd
            }
        } tell: {
            listener(hub.update($0))
        }
        return id
    }

    /// Calls `body` with the current update, if there is one, and with each later one. The call is made on the thread
    /// that produces the update: the thread that called this method, the thread that made the request, or the decoding
    /// thread. Use this in code that is not asynchronous.
    ///
    /// - Parameter body: the closure to call. It must return quickly and must not call the session.
    /// - Returns: the observation. ``ScrubSession/Observation/end()`` ends it; releasing it does not. Otherwise, the
    ///   observation lasts as long as the session.
    @discardableResult
    public func observe(_ body: @escaping @Sendable (ScrubSession.Update) -> Void) -> ScrubSession.Observation {
        let hub = hub
        let id = listen(body)
        return ScrubSession.Observation { hub.forget(id) }
    }

    /// Calls `body` with every request that could not be answered, on the decoding thread.
    ///
    /// - Parameter body: receives the request's number, the requested frame, and the reason.
    package func observeFailures(_ body: @escaping @Sendable (Int, Int, ScrubError) -> Void) {
        hub.outlets.withLock { $0.failures.append(body) }
    }

    /// Waits until every request is answered and all preparation is complete.
    ///
    /// - Parameter body: called then on the decoding thread. Nothing is decoded until it returns.
    package func waitUntilIdle(_ body: @escaping @Sendable () -> Void = {}) {
        let gate = BoundedQueue<Void>(capacity: 1)
        hub.outlets.withLock {
            $0.idle.append {
                body()
                gate.offer(())
            }
        }
        thread.ring()
        _ = gate.pop()
    }

    /// The size in bytes of this session's pictures that callers still hold.
    public var heldByteCount: Int { loans.byteCount }

    /// The session's counters since it was created.
    public var counters: ScrubSession.Counters { hub.outlets.withLock { $0.counters } }

    /// Makes the decoding thread look for work, and abandon the reads for older work.
    private func look() {
        turns?.cancel()
        // There is a thread for the whole lifetime.
        thread.ring()
    }
}

/// The work of a session's thread.
private final class SessionWork: StepwiseWork {
    private var loop: ScrubLoop<SessionDecoder>
    private let hub: ScrubSession.Hub
    private let now: @Sendable () -> Int64

    init(
        _ loop: ScrubLoop<SessionDecoder>, _ hub: ScrubSession.Hub, _ now: @escaping @Sendable () -> Int64
    ) { (self.loop, self.hub, self.now) = (loop, hub, now) }

    func turn() -> StepOutcome {
        // A waiter from before this turn also made its requests before it. One that arrives during it may have
        // requested something that the turn has not seen.
        let waitingCount = hub.outlets.withLock { $0.idle.count }
        do throws(ScrubError) {
            if try loop.turn() { return .now }
        } catch {
            let time = now()
            if let request = loop.giveUp(error, now: time) { hub.failed(error, request, at: time) }
            // There may be no work left: the next turn finds out.
            return .now
        }
        // The thread is woken when a decoder is available.
        if loop.awaitsDecoder { return .rest(atMost: nil) }
        let waiting = hub.outlets.withLock { outlets in
            let told = Array(outlets.idle.prefix(waitingCount))
            outlets.idle.removeFirst(told.count)
            return told
        }
        for tell in waiting { tell() }
        return .rest(atMost: loop.restLimit)
    }

    func end() { loop.source.close() }
}
