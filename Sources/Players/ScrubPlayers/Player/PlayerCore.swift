internal import Observation
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// The implementation of a player. It holds the state and carries out the machine's effects. The timebase and the lanes
/// refer to it, not to the player.
///
/// Every change is one step under the lock. External effects (lanes, loads, events, callbacks) are queued under the
/// same lock, and are then carried out in order by one thread at a time. If a callback calls the player, the effects of
/// that call are appended to the queue.
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
    /// The lanes by number. Until the player is closed, only the thread that is draining the queue changes them.
    private let lanes = Locked<[Int: (item: PlayerItem.ID, lane: any PlayerPipeline)]>([:])
    private let tracking = Locked(ItemTracking())
    private let member = Locked<Int?>(nil)
    /// The player's number in the budget; `nil` if there is no budget.
    private let screen = Locked<Int?>(nil)
    private let weakly: WeakCore

    /// A weak reference through which the board's callback reaches the core without retaining it.
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

    /// Changes the state like ``perform(_:)``, using a clock reading that several players share.
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
            // What the list decides may make more work due.
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
        // Effects that another thread is still carrying out belong to this moment, so simulated and manual time wait
        // for them.
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
        // A presenter that takes over later is given this frame to hold.
        if acceptance == .nobody, options.pacePolicy == .drop, presentation.kind != .preview { board.pass(frame) }
        return acceptance
    }

    private func presenterResigned() {
        // This is queued in order with the reports of claims, so that the last event reports the last change.
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

    /// Starts a presenter. The frame that it holds is reported before the frames that it presents.
    private func take(_ slot: PresenterSlot<PlayerFrame>, _ held: PlayerFrame?, _ state: inout PlayerState) {
        held?.picture?.handOut()
        if let held { state.jobs.append(.wakePresenter(slot, held)) }
        state.jobs.append(.tell([presenterEvent]))
    }

    /// Handles an update from a lane.
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

    /// Which of the queued work to do.
    private enum Drain {
        /// All work.
        case all
        /// All work, for the timebase, which must be woken afterward if another thread does the work.
        case tick
        /// Only the work for screens and observers. The work for lanes is done by the next drain.
        case presentation
    }

    /// Carries out queued work.
    ///
    /// - Returns: false if another thread is already doing it. That thread wakes the timebase when it is done, if the
    ///   timebase is waiting.
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
                    kind: .stall(AccessLog.Entry.Stall(frame: position.frame ?? 0, duration: span))))
        case .framesDropped(let frames): log.append(AccessLog.Entry(time: now, item: nil, kind: .dropped(frames)))
        default: break
        }
    }

    private func run(_ effect: MachineEffect<PlayerItem.ID>) {
        switch effect {
        case .startLane(let number, let ticket, let item, let frame, let direction, let stride, let isLookAhead):
            // The lane is started even if the item is no longer in the list, because the machine still has it.
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

    /// Returns the lane with the given number. If the existing one belongs to a different item, it is replaced.
    private func lane(_ number: Int, for item: PlayerItem.ID, _ asset: VideoAsset) -> any PlayerPipeline {
        if let there = lanes.withLock({ $0[number] }) {
            if there.item == item { return there.lane }
            there.lane.close()
        }
        // The lane's decoder may be closed after the player is released. The log records this too.
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
                if !wasOpen { log.countRead(asset.openReport.readByteCount) }
                result = .success(asset)
            } catch let error as ScrubError {
                result = .failure(error)
            } catch {
                // The load was cancelled because no caller was waiting for it.
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

    /// Shows the item's poster, unless a picture of the item is already on screen.
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
    func respond(to level: MemoryPressureMonitor.Level) {
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
        // The end of an item is reported to its trackers before they are detached from it.
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
