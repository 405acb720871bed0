internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// The engine between a finger and the decoder: takes frames at any rate and hands out pictures in stages.
///
/// The newest request wins. Every request is answered at once with the nearest picture that is there, marked
/// approximate with its own time. The exact one follows when it is decoded, unless a newer request came. A request that
/// lies ahead in the group of pictures under way goes on with the same decoder. While the finger moves, a new picture
/// comes about every ``ScrubSession/Options/patience`` as long as the decoder makes nearer ones. When it rests, the
/// exact frame always comes. While no request waits, the session decodes the frames that the movement will ask for
/// next, or those around a frame at rest.
///
/// Thread safety: safe from any thread. Asking takes microseconds and never waits for the decoder, which has a thread
/// of its own. Memory: within the ``ScrubBudget``, or the bytes of ``PlaybackResources``.
public final class ScrubSession: Sendable {
    /// The video that is scrubbed.
    public let asset: VideoAsset
    private let budget: ScrubBudget
    private let member: BudgetMember
    private let hub: Hub
    private let board: ScrubBoard<SharedFrame>
    private let loans: PictureLoans
    private let thread: TurnThread
    /// The previews of the frames around the playhead; `nil` if the session makes none
    /// (``ScrubSession/Options/makesPreviews``), or the film's pictures have none.
    public let previews: PreviewTrack?
    /// Ends the reads for older work; `nil` for local bytes.
    private let turns: TurnCancellation?

    /// Starts a session; nothing is decoded yet.
    ///
    /// - Parameters:
    ///   - asset: the video.
    ///   - options: the options of the session.
    ///   - budget: the budget for its pictures' memory; sessions may share one. Its decoders are its own.
    /// - Throws: `usage` for options that ``ScrubSession/Options`` excludes, `unavailable` when the budget is too small
    ///   for the video's decoder, `inputOutput` when the system has no thread left.
    public convenience init(
        _ asset: VideoAsset, options: ScrubSession.Options = .init(), budget: ScrubBudget = .init()
    ) throws(ScrubError) {
        try self.init(asset, options: options, budget: budget, decoders: nil)
    }

    /// Starts a session that shares decoders and memory with players, generators and other sessions; nothing is decoded
    /// yet.
    ///
    /// It waits in line for a decoder, and gives it back when others wait: after a picture, and at once while it only
    /// decodes ahead. Until then it answers with the nearest picture that is there.
    ///
    /// - Parameters:
    ///   - asset: the video.
    ///   - options: the options of the session.
    ///   - resources: the shared resources; without a budget its memory is ``ScrubBudget/defaultByteLimit`` of its own.
    /// - Throws: `usage` for options that ``ScrubSession/Options`` excludes, `unavailable` when too few bytes are left
    ///   (``ScrubSession/Options/minimumByteCount(for:)``), `inputOutput` when the system has no thread left.
    public convenience init(
        _ asset: VideoAsset, options: ScrubSession.Options = .init(), resources: PlaybackResources
    ) throws(ScrubError) {
        try self.init(
            asset, options: options, budget: resources.budget ?? ScrubBudget(), decoders: resources.decoders)
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
        self.previews = previews
        let kept = SessionPictures(
            index, sizes: sizes, previews: previews, keyPictureByteLimit: options.keyPictureByteCount(index),
            guaranteedByteCount: guarantee.byteCount)
        turns = asset.file.isRemote ? TurnCancellation() : nil
        let thread = TurnThread(turns: turns, longestRest: nil)
        self.thread = thread
        let ring: @Sendable () -> Void = { [weak thread] in thread?.ring() }
        let memoryCameBack = Locked(false)
        let wake: @Sendable () -> Void = {
            memoryCameBack.withLock { $0 = true }
            ring()
        }
        let member = try budget.join(kept, guarantee, wake: wake)
        self.member = member
        let loans = PictureLoans(member)
        self.loans = loans
        let engine = FrameEngine(
            asset.seekPlanner(), options: settings, budget: member, cache: kept.full,
            decoders: decoders.map { SpareLeases($0, wake: wake) })
        let clock = ContinuousClock()
        let origin = clock.now
        let now: @Sendable () -> Int64 = { (clock.now - origin).wholeNanoseconds }
        let hub = Hub(asset, start: now())
        self.hub = hub
        let schedule = ScrubSchedule(patience: options.patience.wholeNanoseconds)
        let board = ScrubBoard<SharedFrame>(
            schedule, kept: kept, showsReducedAlone: kept.sizes == .reduced,
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
                    seat: decoders.map { DecoderSeat($0, for: .shown, wake: ring) },
                    spareDecoders: decoders.map { SpareLeases($0, wake: wake) }),
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

    /// Asks for a frame.
    ///
    /// - Parameters:
    ///   - frame: a frame number.
    ///   - isMoving: whether the finger moves; false when it rests on the frame.
    /// - Precondition: the frame exists.
    public func scrub(to frame: Int, isMoving: Bool = true) { scrub(to: frame, isMoving: isMoving, request: nil) }

    /// Asks for a frame as the request of a number; its updates and failures have it.
    ///
    /// - Parameter request: greater than those of all requests before; `nil` to count on.
    /// - Precondition: the frame exists.
    package func scrub(to frame: Int, isMoving: Bool, request: Int?) {
        asset.frames.require(frame)
        guard !hub.isEnded else { return }
        let time = now()
        hub.requested(frame, at: time)
        board.ask(frame, as: request, isMoving: isMoving, now: time)
        // The decoding thread lets them go on.
        if !board.situation.isAnswered {
            previews?.pause()
            // It may have let them go on between the two.
            if board.situation.isAnswered { previews?.resume() }
        }
        // What is read for an older one may be left: the decoding thread looks again.
        look()
    }

    /// Asks for the frame at a position. A fraction outside 0...1 is the first or the last frame, as a finger's that
    /// leaves the view.
    ///
    /// - Returns: its number.
    /// - Throws: `usage` for a frame number that does not exist.
    @discardableResult
    public func scrub(to position: FramePosition, isMoving: Bool = true) throws(ScrubError) -> Int {
        let number = try asset.frame(at: position, clamps: true).frame.number
        scrub(to: number, isMoving: isMoving)
        return number
    }

    /// Says that the finger rests on the frame asked for last.
    public func rest() {
        board.rest()
        look()
    }

    /// Gives up the frame that was asked for last: its decoding ends between two packets, and nothing is prepared until
    /// the next request. The pictures decoded for it are kept. Does nothing when nothing is under way.
    public func cancelPendingRequest() { cancel(request: nil) }

    /// Ends the session. The current request is cancelled, and ``updates`` and ``events`` end. Later requests do
    /// nothing. The decoder and the pictures are released with the session object.
    ///
    /// To continue using the session, call ``cancelPendingRequest()`` instead.
    public func cancel() {
        let ends = hub.end()
        cancel(request: nil)
        for end in ends { end() }
    }

    /// Cancels a request like ``cancelPendingRequest()``, unless there is a newer one.
    ///
    /// - Parameter request: its number; `nil` for the newest.
    package func cancel(request: Int?) {
        board.withdraw(request)
        if board.situation.request == nil {
            previews?.stop()
            // A new request may have been answered between the two.
            if board.situation.isAnswered { previews?.resume() }
        }
        look()
    }

    /// Pictures for the requests: first the current one, if there is one, then every new one. A slow consumer gets the
    /// newest picture, not a queue. The stream ends with the session, with ``cancel()``, or when its task is cancelled.
    ///
    /// Memory: the stream holds the newest picture until it is consumed or the stream is released.
    public var updates: AsyncStream<ScrubSession.Update> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = listen({ continuation.yield($0) }, onEnd: { continuation.finish() })
            let hub = hub
            continuation.onTermination = { _ in hub.forget(id) }
            if hub.isEnded { continuation.finish() }
        }
    }

    /// The events from now on. A consumer that falls behind by more than 1,024 events loses the oldest. Ends with the
    /// session, with ``cancel()``, or when its task is cancelled.
    public var events: AsyncStream<ScrubSession.Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            let hub = hub
            let id = hub.outlets.withLock { outlets in
                outlets.next += 1
                outlets.events[outlets.next] = { continuation.yield($0) }
                outlets.ends[outlets.next] = { continuation.finish() }
                return outlets.next
            }
            continuation.onTermination = { _ in hub.forget(id) }
            if hub.isEnded { continuation.finish() }
        }
    }

    /// Adds a listener and gives it the present picture, in one step.
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

    /// Calls `body` with the present update, if there is one, and with every later one. Each call comes on the thread
    /// that makes the update: the one that begins to observe, the one that asks, or the decoding one. For programs that
    /// are not asynchronous.
    ///
    /// - Parameter body: must return soon and must not call the session.
    /// - Returns: the observation, which ``ScrubSession/Observation/end()`` ends. If it is released without that call,
    ///   it lasts as long as the session.
    @discardableResult
    public func observe(_ body: @escaping @Sendable (ScrubSession.Update) -> Void) -> ScrubSession.Observation {
        let hub = hub
        let id = listen(body)
        return ScrubSession.Observation { hub.forget(id) }
    }

    /// Calls `body` with every request that could not be answered, on the decoding thread.
    ///
    /// - Parameter body: takes the request's number, the frame that it asks for, and the reason.
    package func observeFailures(_ body: @escaping @Sendable (Int, Int, ScrubError) -> Void) {
        hub.outlets.withLock { $0.failures.append(body) }
    }

    /// Waits until every request is answered and everything is prepared that may be wanted next.
    ///
    /// - Parameter body: called then on the decoding thread: nothing is decoded before it returns.
    package func waitUntilIdle(_ body: @escaping @Sendable () -> Void = {}) {
        let gate = Handover<Void>(capacity: 1)
        hub.outlets.withLock {
            $0.idle.append {
                body()
                gate.offer(())
            }
        }
        thread.ring()
        _ = gate.pop()
    }

    /// Bytes of the pictures that this session handed out and that callers still hold.
    public var heldByteCount: Int { loans.byteCount }

    /// Counts of the session's work so far.
    public var counters: ScrubSession.Counters { hub.outlets.withLock { $0.counters } }

    /// Has the decoding thread look for work, and leave the reads for older work.
    private func look() {
        turns?.cancel()
        // There is a thread from the beginning to the end.
        thread.ring()
    }
}

/// The work of a session's thread.
private final class SessionWork: TurnWork {
    private var loop: ScrubLoop<SessionDecoder>
    private let hub: ScrubSession.Hub
    private let now: @Sendable () -> Int64

    init(
        _ loop: ScrubLoop<SessionDecoder>, _ hub: ScrubSession.Hub, _ now: @escaping @Sendable () -> Int64
    ) { (self.loop, self.hub, self.now) = (loop, hub, now) }

    func turn() -> NextTurn {
        // A waiter from before this turn asked before it too. One that comes during it may have asked for something
        // that the turn has not seen.
        let waitingCount = hub.outlets.withLock { $0.idle.count }
        do throws(ScrubError) {
            if try loop.turn() { return .now }
        } catch {
            if let request = loop.giveUp() { hub.failed(error, request, at: now()) }
            // What is left to do may be nothing: the next turn tells.
            return .now
        }
        // It is rung for when there is a decoder.
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
