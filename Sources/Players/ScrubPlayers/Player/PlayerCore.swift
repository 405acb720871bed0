internal import Observation
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// The implementation of a player. It holds the state, carries out the machine's effects, and is the object known to
/// the timebase and the lanes.
///
/// Every change is one step under the lock. External effects (lanes, loads, events, callbacks) are queued under the
/// same lock and then carried out by one thread at a time, in order. A call from a callback back into the player
/// appends to that queue.
final class PlayerCore: TimebaseMember {
    let state: Locked<PlayerState>
    let board: PresenterArbiter<PlayerFrame>
    let hub = PlayerEventHub()
    let timebase: Timebase
    let resources: DecodingResources
    let options: Player.Options
    let log = AccessLog()
    let face: PlayerObservableState
    private let laneMaker: PlayerPipelineFactory
    /// The lanes. Like the following properties, they are accessed only by the thread that drains.
    private let lanes = Locked<[Int: (item: PlayerItem.ID, lane: any PlayerPipeline)]>([:])
    private let tracking = Locked(ItemTracking())
    private let member = Locked<Int?>(nil)
    /// The player's number in the budget, if there is one.
    private let screen = Locked<Int?>(nil)
    private let weakly: WeakCore

    /// A weak reference that lets the board's callback find the core without retaining it.
    private final class WeakCore: Sendable {
        private struct Held { weak var core: PlayerCore? }
        private let held = Locked(Held())
        var core: PlayerCore? { held.withLock { $0.core } }
        func hold(_ core: PlayerCore) { held.withLock { $0.core = core } }
    }

    init(
        _ items: [PlayerItem], options: Player.Options, timebase: Timebase, resources: DecodingResources,
        laneMaker: PlayerPipelineFactory
    ) throws(ScrubError) {
        try options.check()
        (self.options, self.timebase, self.resources, self.laneMaker) = (
            options, timebase, resources.forPlayers, laneMaker
        )
        state = Locked(PlayerState(items, options))
        face = PlayerObservableState()
        let weakly = WeakCore()
        self.weakly = weakly
        board = PresenterArbiter(held: { $0.asHeld }) { weakly.core?.presenterResigned() }
        weakly.hold(self)
        let number = try timebase.add(self)
        member.withLock { $0 = number }
        screen.withLock { $0 = resources.budget?.bytes.addScreen { weakly.core?.giveWay() } }
        for item in items { item.media.useDecoders(of: self.resources.decoderPool) }
        perform { state, now in state.setCurrent(place: nil, at: now) }
    }

    // MARK: Steps

    /// Changes the state, and carries out the effects.
    @discardableResult
    func perform<R>(_ body: (inout PlayerState, Int64) -> sending R) -> sending R {
        perform(at: timebase.nanoseconds, body)
    }

    /// Changes the state like ``perform(_:)``, at a shared reading of the clock.
    @discardableResult
    func perform<R>(at now: Int64, _ body: (inout PlayerState, Int64) -> sending R) -> sending R {
        let result = state.withLock { state -> R in
            state.lastNow = now
            let result = body(&state, now)
            state.takeEffects(at: now)
            return result
        }
        drain()
        wake()
        return result
    }

    func wake() { if let number = member.withLock({ $0 }) { timebase.wake(number) } }

    func tick(at now: Int64) -> MachineDeadline {
        let deadline = state.withLock { state -> MachineDeadline in
            guard !state.isClosed else { return .idle }
            if state.givesWay { state.machine.giveWay(isTimeStanding: isTimeStanding) }
            state.givesWay = false
            var deadline = MachineDeadline.idle
            // The list's answers may make more work due.
            for _ in 0..<100 {
                let loaded = state.loaded
                var woken: [(PresenterSlot<PlayerFrame>, PlayerFrame)] = []
                deadline = state.machine.tick(at: now) { presentation in
                    guard let asset = loaded[presentation.item]?.asset else { return .nobody }
                    return deliver(presentation, asset, &woken)
                }
                for (slot, frame) in woken { state.jobs.append(.wakePresenter(slot, frame)) }
                log.countPresented(woken.count { $0.1.kind == .presented })
                let hasMore = !state.machine.effects.isEmpty
                state.takeEffects(at: now)
                if !hasMore { break }
            }
            // Simulated time does not advance while the item to play is opening.
            if case .idle = deadline, state.isWaitingToLoad { return .waiting(until: nil) }
            return deadline
        }
        drain(.presentation)
        return deadline
    }

    func settle(_ deadline: MachineDeadline) -> MachineDeadline {
        // News that another thread is delivering belongs to this moment: non-real time waits for it.
        if !drain(.tick) {
            switch deadline {
            case .at(let time): return .waiting(until: time)
            case .idle: return .waiting(until: nil)
            case .waiting: return deadline
            }
        }
        return deadline
    }

    /// Passes a frame to the presenter.
    private func deliver(
        _ presentation: MachinePresentation<PlayerItem.ID, FramePicture>, _ asset: VideoAsset,
        _ woken: inout [(PresenterSlot<PlayerFrame>, PlayerFrame)]
    ) -> Acceptance {
        let frame = PlayerFrame(
            item: presentation.item, frame: asset.frames[presentation.picture.frame],
            picture: presentation.picture.image, verdict: presentation.picture.verdict,
            kind: presentation.kind == .presented ? .presented : .nearest,
            presentationTime: presentation.playedTime.seconds, sequenceNumber: presentation.sequenceNumber)
        let (acceptance, slot) =
            presentation.kind == .presented
            ? board.present(frame) : board.place(frame, asPreview: presentation.kind == .preview)
        if let slot, acceptance == .taken {
            frame.picture?.handOut()
            woken.append((slot, frame))
        }
        // A later presenter holds the frame that was passed.
        if acceptance == .nobody, options.pacePolicy == .drop, presentation.kind != .preview { board.pass(frame) }
        return acceptance
    }

    private func presenterResigned() {
        // In order with reports of claims, so that the last event is the last change.
        perform { state, _ in state.jobs.append(.tell([presenterEvent])) }
    }

    private var presenterEvent: Player.Event {
        .presenterChanged(hasPresenter: board.owner != nil, generation: board.generation)
    }

    func claim(_ slot: PresenterSlot<PlayerFrame>) {
        slot.leave(except: board)
        perform { state, _ in take(slot, board.claim(slot), &state) }
    }

    func beginTransition(to slot: PresenterSlot<PlayerFrame>) -> Int {
        slot.leave(except: board)
        return perform { state, _ in
            let (number, held) = board.beginTransition(to: slot)
            take(slot, held, &state)
            return number
        }
    }

    func endTransition(_ number: Int, isCancelled: Bool) {
        let end = perform { state, _ in
            let end = board.endTransition(number, isCancelled: isCancelled)
            if case .returned(let slot, let held) = end { take(slot, held, &state) }
            return end
        }
        if case .resigns(let slot, let generation) = end { slot?.resign(from: board, generation: generation) }
    }

    /// Accepts a presenter in frame order: its held frame is reported before the frames that it presents.
    private func take(_ slot: PresenterSlot<PlayerFrame>, _ held: PlayerFrame?, _ state: inout PlayerState) {
        held?.picture?.handOut()
        if let held { state.jobs.append(.wakePresenter(slot, held)) }
        state.jobs.append(.tell([presenterEvent]))
    }

    /// Handles news from a lane.
    private func receive(_ ticket: Int, _ news: PipelineUpdate<FramePicture>) -> Bool {
        let now = timebase.nanoseconds
        let goesOn = state.withLock { state -> Bool in
            guard !state.isClosed else { return false }
            let goesOn = state.machine.receive(news, ticket: ticket)
            state.takeEffects(at: now)
            return goesOn
        }
        drain()
        wake()
        return goesOn
    }

    // MARK: Work outside the lock

    /// The extent of the work to do.
    private enum Drain {
        /// All work.
        case all
        /// All work, on behalf of the timebase, which must be woken if another thread does the work.
        case tick
        /// Only the work for screens and observers; lanes wait for the next drain.
        case presentation
    }

    /// Carries out queued work.
    ///
    /// - Returns: false if another thread is doing it; that thread then wakes the timebase if it is waiting.
    @discardableResult
    private func drain(_ kind: Drain = .all) -> Bool {
        while true {
            let (jobs, changes, tracked, isElsewhere) = state.withLock {
                state -> ([PlayerState.Job], PlayerObservableState.Changes, ItemTracking.Moment?, Bool) in
                if state.isDraining {
                    if kind == .tick { state.isDrainAwaited = true }
                    return ([], [], nil, true)
                }
                let jobs = kind == .presentation ? state.takeJobsOfPresentation() : state.takeJobs()
                state.isDraining = !jobs.isEmpty || !state.changes.isEmpty
                defer { state.changes = [] }
                return (jobs, state.changes, state.isDraining ? state.takeTrackedMoment() : nil, false)
            }
            if isElsewhere { return false }
            if jobs.isEmpty, changes.isEmpty { return true }
            face.tell(changes)
            if let tracked { track(tracked, jobs) }
            for job in jobs { run(job) }
            let isAwaited = state.withLock { state in
                state.isDraining = false
                defer { state.isDrainAwaited = false }
                return state.isDrainAwaited
            }
            if isAwaited { wake() }
        }
    }

    private func run(_ job: PlayerState.Job) {
        switch job {
        case .load(let item): load(item)
        case .machine(let effect): run(effect)
        case .tell(let events):
            for event in events { note(event) }
            hub.publish(events)
            let tracking = tracking.withLock { $0 }
            for event in events { tracking.record(event) }
        case .log(let entry): log.append(entry)
        case .placePoster(let item): placePoster(of: item)
        case .wakePresenter(let slot, let frame): slot.tell(frame)
        case .endSeeks(let ended): for (continuation, outcome) in ended { continuation.resume(returning: outcome) }
        }
    }

    /// Records the events that the access log keeps.
    private func note(_ event: Player.Event) {
        let now = timebase.nanoseconds
        switch event {
        case .resumed(let position, let span):
            log.append(
                AccessLog.Entry(
                    time: now, item: position.item,
                    kind: .stall(AccessLog.Entry.Stall(frame: position.frame ?? 0, nanoseconds: span))))
        case .framesDropped(let frames): log.append(AccessLog.Entry(time: now, item: nil, kind: .dropped(frames)))
        default: break
        }
    }

    private func run(_ effect: MachineEffect<PlayerItem.ID>) {
        switch effect {
        case .startLane(let number, let ticket, let item, let frame, let direction, let stride, let isLookAhead):
            // Even for an item that is no longer in the list, while the machine still has it.
            guard let asset = state.withLock({ $0.loaded[item]?.asset }) else { return }
            let lane = lane(number, for: item, asset)
            if let screen = screen.withLock({ $0 }) {
                let largest = options.preferredMaximumSize.map { ($0.width, $0.height) }
                resources.budget?.bytes.setScreen(
                    screen, pictureByteCount: EnginePictureFeed.pictureByteCount(of: asset, inside: largest))
            }
            lane.start(ticket: ticket, at: frame, direction, stride: stride, isLookAhead: isLookAhead)
        case .resumeLane(let number, let ticket, let isAhead):
            lanes.withLock { $0[number] }?.lane.resume(ticket: ticket, isAhead: isAhead)
        case .awaitMemory:
            if let screen = screen.withLock({ $0 }) { resources.budget?.bytes.askScreens(except: screen) }
        case .showPreview(let number, let ticket, let frame):
            lanes.withLock { $0[number] }?.lane.preview(ticket: ticket, of: frame)
        case .promoteLane(let number): lanes.withLock { $0[number] }?.lane.promote()
        case .stopLane(let number): lanes.withLock { $0[number] }?.lane.stop()
        default: break
        }
    }

    /// Returns the lane with a number, recreated for a different item.
    private func lane(_ number: Int, for item: PlayerItem.ID, _ asset: VideoAsset) -> any PlayerPipeline {
        if let there = lanes.withLock({ $0[number] }) {
            if there.item == item { return there.lane }
            there.lane.close()
        }
        // Its decoder may be closed after the player was released, and the log records that too.
        let meter = PipelineMetrics(now: { [timebase] in timebase.nanoseconds }) { [timebase, log] report in
            log.note(report, of: item, at: timebase.nanoseconds)
        }
        let lane = laneMaker.make(asset, options, resources, meter) { [weak self] ticket, news in
            self?.receive(ticket, news) ?? false
        }
        lanes.withLock { $0[number] = (item, lane) }
        return lane
    }

    private func load(_ item: PlayerItem) {
        let task = Task { [weak self, media = item.media, log] in
            let result: Result<VideoAsset, ScrubError>
            do {
                let wasOpen = media.asset != nil
                let asset = try await media.loadAsset()
                if !wasOpen { log.countRead(asset.openReport.bytesRead) }
                result = .success(asset)
            } catch let error as ScrubError {
                result = .failure(error)
            } catch {
                // Cancelled, because no caller is waiting for it.
                return
            }
            self?.perform { state, now in state.finishLoading(item.id, result, at: now) }
        }
        let isWanted = state.withLock { state -> Bool in
            guard !state.isClosed, state.loading[item.id] != nil else { return state.loaded[item.id] != nil }
            state.loading[item.id] = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Shows a poster, unless a picture of the item already exists.
    private func placePoster(of item: PlayerItem) {
        guard let poster = item.media.poster, board.shown?.item != item.id else { return }
        let frame = PlayerFrame(
            item: item.id, frame: PresentedFrame.placeholder, picture: poster,
            verdict: .approximate("a poster replaces the first picture"), kind: .poster, presentationTime: .zero,
            sequenceNumber: 0)
        let (acceptance, slot) = board.place(frame)
        if acceptance == .taken { slot?.tell(frame) } else { board.pass(frame) }
    }

    /// Frees memory: the decoders of a paused player are closed, and little is decoded ahead.
    func respond(to level: MemoryPressure.Level) {
        let isStanding = perform { state, _ in
            let wasScarce = state.machine.isMemoryScarce
            state.machine.setMemoryScarce(level != .normal, isCritical: level == .critical)
            if level != .normal || wasScarce { state.jobs.append(.tell([.memoryPressure(level)])) }
            return level != .normal && (!state.machine.wantsToPlay || state.machine.hasEnded)
        }
        guard isStanding else { return }
        for lane in lanes.withLock({ $0.values.map(\.lane) }) { lane.detach() }
    }

    // MARK: Item trackers

    /// Reports the changes to the item's trackers. Only the draining thread calls it.
    private func track(_ moment: ItemTracking.Moment, _ jobs: [PlayerState.Job]) {
        var tracking = tracking.withLock { $0 }
        guard moment.hasTrackers || tracking.isTracking, let player = face.player else { return }
        // The end of an item is reported while the trackers still belong to it.
        if let old = tracking.itemToLeave(for: moment) {
            for case .tell(let events) in jobs {
                for event in events where event.itemOfEnd == old { tracking.record(event) }
            }
        }
        tracking.update(player, moment)
        let news = tracking
        self.tracking.withLock { $0 = news }
    }

    // MARK: Ending

    /// Ends everything. No more frames are presented.
    func close() {
        let (tasks, seeks, time) = state.withLock { state in
            let time = state.position(at: state.lastNow).time
            state.isClosed = true
            state.machine.setCurrent(nil, at: state.lastNow)
            _ = state.machine.takeEffects()
            defer { (state.loading, state.seeks, state.wish) = ([:], [:], nil) }
            return (Array(state.loading.values), Array(state.seeks.values), time)
        }
        for task in tasks { task.cancel() }
        for seek in seeks { seek.resume(returning: .abandoned) }
        if let number = member.exchange(\.self, for: nil) { timebase.remove(number) }
        for entry in lanes.exchange(\.self, for: [:]).values { entry.lane.close() }
        if let screen = screen.withLock({ $0 }) { resources.budget?.bytes.removeScreen(screen) }
        board.close()
        hub.finish()
        var tracking = tracking.withLock { $0 }
        tracking.end(at: time)
    }
}
