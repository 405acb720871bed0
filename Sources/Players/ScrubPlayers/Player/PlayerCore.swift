internal import Observation
internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// The working part of a player. It keeps the state, carries out the machine's wishes, and is the object that timebase
/// and lanes know.
///
/// Every change is one step under the lock. Its effects outside (lanes, loads, events, callbacks) are queued under the
/// same lock and done afterwards by one thread at a time, in order. A call from a callback back into the player adds to
/// that queue.
final class PlayerCore: TimebaseMember {
    let state: Locked<PlayerState>
    let board: PresenterBoard<PlayerFrame>
    let hub = PlayerEventHub()
    let timebase: Timebase
    let resources: PlaybackResources
    let options: Player.Options
    let log = AccessLog()
    let face: PlayerFace
    private let laneMaker: PlayerLaneMaker
    /// Touched only by the thread that drains, as are the following properties.
    private let lanes = Locked<[Int: (item: PlayerItem.ID, lane: any PlayerLane)]>([:])
    private let tracking = Locked(ItemTracking())
    private let member = Locked<Int?>(nil)
    /// Its number in the budget, where there is one.
    private let screen = Locked<Int?>(nil)
    private let weakly: WeakCore

    /// Lets the board's callback find the core without keeping it.
    private final class WeakCore: Sendable {
        private struct Held { weak var core: PlayerCore? }
        private let held = Locked(Held())
        var core: PlayerCore? { held.withLock { $0.core } }
        func hold(_ core: PlayerCore) { held.withLock { $0.core = core } }
    }

    init(
        _ items: [PlayerItem], options: Player.Options, timebase: Timebase, resources: PlaybackResources,
        laneMaker: PlayerLaneMaker
    ) throws(ScrubError) {
        try options.check()
        (self.options, self.timebase, self.resources, self.laneMaker) = (options, timebase, resources, laneMaker)
        state = Locked(PlayerState(items, options))
        face = PlayerFace()
        let weakly = WeakCore()
        self.weakly = weakly
        board = PresenterBoard(held: { $0.asHeld }) { weakly.core?.presenterResigned() }
        weakly.hold(self)
        let number = try timebase.add(self)
        member.withLock { $0 = number }
        screen.withLock { $0 = resources.budget?.bytes.addScreen { weakly.core?.giveWay() } }
        for item in items { item.media.useDecoders(of: resources.decoders) }
        perform { state, now in state.setCurrent(place: nil, at: now) }
    }

    // MARK: Steps

    /// Changes the state, and carries out the effects.
    @discardableResult
    func perform<R>(_ body: (inout PlayerState, Int64) -> sending R) -> sending R {
        perform(at: timebase.nanoseconds, body)
    }

    /// As ``perform(_:)``, at a reading of the clock that others share.
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
            // What the list answers may bring more that is due.
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
            // Simulated time does not run on while the item that is to play opens.
            if case .idle = deadline, state.isWaitingToLoad { return .waiting(until: nil) }
            return deadline
        }
        drain(.presentation)
        return deadline
    }

    func settle(_ deadline: MachineDeadline) -> MachineDeadline {
        // What another thread tells just now belongs to this moment: time that is not the clock's waits for it.
        if !drain(.tick) {
            switch deadline {
            case .at(let time): return .waiting(until: time)
            case .idle: return .waiting(until: nil)
            case .waiting: return deadline
            }
        }
        return deadline
    }

    /// Hands a frame to the presenter.
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
        // A later presenter holds what went by.
        if acceptance == .nobody, options.pacePolicy == .drop, presentation.kind != .preview { board.pass(frame) }
        return acceptance
    }

    private func presenterResigned() {
        // In line with what claims tell: the last event is the last change.
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

    /// In the order of the frames: a new presenter's held frame is told before those that it presents.
    private func take(_ slot: PresenterSlot<PlayerFrame>, _ held: PlayerFrame?, _ state: inout PlayerState) {
        held?.picture?.handOut()
        if let held { state.jobs.append(.wakePresenter(slot, held)) }
        state.jobs.append(.tell([presenterEvent]))
    }

    /// Takes news from a lane.
    private func receive(_ ticket: Int, _ news: LaneNews<FramePicture>) -> Bool {
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

    // MARK: What is done outside of the lock

    /// The extent of the work that is done.
    private enum Drain {
        /// All of it.
        case all
        /// All of it, by the timebase, which has to be woken if another thread does it.
        case tick
        /// Only the work for screens and observers; lanes wait for the next one.
        case presentation
    }

    /// - Returns: false if another thread is doing it, which wakes the timebase afterwards if that waits.
    @discardableResult
    private func drain(_ kind: Drain = .all) -> Bool {
        while true {
            let (jobs, changes, tracked, isElsewhere) = state.withLock {
                state -> ([PlayerState.Job], PlayerFace.Changes, ItemTracking.Moment?, Bool) in
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
            // Also of one that is in the list no more, as long as the machine has it.
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

    /// Returns the lane of that number, made again for another item.
    private func lane(_ number: Int, for item: PlayerItem.ID, _ asset: VideoAsset) -> any PlayerLane {
        if let there = lanes.withLock({ $0[number] }) {
            if there.item == item { return there.lane }
            there.lane.close()
        }
        // Its decoder may be closed after the player is gone, which the log hears of too.
        let meter = LaneMeter(now: { [timebase] in timebase.nanoseconds }) { [timebase, log] report in
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
                // Cancelled: no caller waits for it.
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
            verdict: .approximate("a poster stands for the first picture"), kind: .poster, presentationTime: .zero,
            sequenceNumber: 0)
        let (acceptance, slot) = board.place(frame)
        if acceptance == .taken { slot?.tell(frame) } else { board.pass(frame) }
    }

    /// Makes room: decoders of a player that stands still are closed, and little is decoded ahead meanwhile.
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

    // MARK: Trackers of items

    /// Tells the item's trackers the changes. Only the draining thread calls it.
    private func track(_ moment: ItemTracking.Moment, _ jobs: [PlayerState.Job]) {
        var tracking = tracking.withLock { $0 }
        guard moment.hasTrackers || tracking.isTracking, let player = face.player else { return }
        // The end of an item is told while it is still the trackers' own.
        if let old = tracking.itemToLeave(for: moment) {
            for case .tell(let events) in jobs {
                for event in events where event.itemOfEnd == old { tracking.record(event) }
            }
        }
        tracking.update(player, moment)
        let news = tracking
        self.tracking.withLock { $0 = news }
    }

    // MARK: The end

    /// Ends everything; nothing more is presented.
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
