internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMedia

/// The complete state of a player, under one lock: the list, the machine, and the loaded media.
struct PlayerState {
    /// Work to do outside the lock, in order.
    enum Job {
        case load(PlayerItem)
        case machine(MachineEffect<PlayerItem.ID>)
        case tell([Player.Event])
        case wakePresenter(PresenterSlot<PlayerFrame>, PlayerFrame)
        case log(AccessLog.Entry)
        /// Shows a poster until the item's first picture is there.
        case placePoster(PlayerItem)
        case endSeeks([(CheckedContinuation<SeekOutcome, Never>, SeekOutcome)])
    }

    struct Loaded {
        let asset: VideoAsset
        let times: AssetTimes
    }

    /// A seek to an item that is not loaded yet, kept until it is.
    struct Wish {
        let item: PlayerItem.ID
        let position: FramePosition
        let number: Int
    }

    /// A seek in progress.
    struct Begun {
        let item: PlayerItem.ID
        let frame: Int
        let time: Rational
        let at: Int64
        let from: Player.Position
    }

    var machine: PlayerMachine<PlayerItem.ID, FramePicture>
    var playlist: Playlist<PlayerItem, Rational>
    let options: Player.Options
    var loaded: [PlayerItem.ID: Loaded] = [:]
    var loading: [PlayerItem.ID: Task<Void, Never>] = [:]
    var failures: [PlayerItem.ID: ScrubError] = [:]
    var wish: Wish?
    var seeks: [Int: CheckedContinuation<SeekOutcome, Never>] = [:]
    /// The access log's records of seeks in progress.
    var begun: [Int: Begun] = [:]
    var seekNumber = 0
    /// The last seek that landed. Values measured before it belong to another position.
    var landedSeek = 0
    /// The last completed seek, whatever its outcome.
    var endedSeek = 0
    var jobs: [Job] = []
    /// The orders for lanes, to be carried out after all players of a timebase have shown their due pictures. They are
    /// older than all other jobs.
    var laneJobs: [Job] = []
    /// Whether another player has been waiting for memory since the last check.
    var givesWay = false
    var isDraining = false
    /// Whether the timebase is waiting for the presenter that drains.
    var isDrainAwaited = false
    /// The values that observers see.
    var shown = PlayerObservableState.Values()
    /// The changes that were not reported yet.
    var changes: PlayerObservableState.Changes = []
    var isClosed = false
    var error: ScrubError?
    /// The reported state of a list that has ended, or whose current item is not loaded.
    var lastReported: PlaybackState?
    var lastBuffering: Bool?
    /// Whether the end of the list was reported.
    var isEndTold = false
    var latestDropped = Player.DroppedFrames()
    /// Whether optional trackers follow items, as set by the caller for all of them.
    var isTrackingEnabled = true
    /// The positions at which items were left, until their trackers are notified.
    var leaveTimes: [PlayerItem.ID: Rational] = [:]

    init(_ items: [PlayerItem], _ options: Player.Options) {
        self.options = options
        machine = PlayerMachine(policy: options.pacePolicy)
        machine.maximumFrameRate = options.maximumFrameRate
        machine.actionAtItemEnd = options.actionAtItemEnd
        machine.previewUse = options.previewUse
        playlist = Playlist(items)
        for item in items { _ = playlist.setRepeatCount(item.playCount, of: item.id) }
        shown.items = playlist.items
    }

    /// Removes and returns all jobs.
    mutating func takeJobs() -> [Job] {
        defer { (jobs, laneJobs) = ([], []) }
        return laneJobs.isEmpty ? jobs : laneJobs + jobs
    }

    /// Removes and returns the jobs that show and report; orders for lanes wait.
    mutating func takeJobsOfPresentation() -> [Job] {
        var taken: [Job] = []
        for job in jobs {
            if case .machine = job { laneJobs.append(job) } else { taken.append(job) }
        }
        jobs = []
        return taken
    }

    // MARK: Order of items

    /// Makes the list's current item the machine's, at the given time or its beginning.
    mutating func setCurrent(place: Rational?, at now: Int64) {
        error = nil
        guard let item = playlist.currentItem, !playlist.isEnded else {
            machine.setCurrent(nil, at: now)
            return
        }
        if item.media.poster != nil { jobs.append(.placePoster(item)) }
        guard let loaded = loaded[item.id] else {
            machine.setCurrent(nil, at: now)
            if let place {
                endWish()
                wish = Wish(item: item.id, position: .time(place), number: 0)
            }
            load(item)
            return
        }
        machine.setCurrent(machineItem(item, loaded, place: place), at: now)
        refreshUpcoming()
    }

    /// Starts playback, from the beginning if it has ended.
    mutating func play(at now: Int64) {
        let standing = standing(at: now)
        var restarted: PlaylistTransition<PlayerItem.ID, Rational>?
        if playlist.isEnded {
            let last = machine.situation(at: now).item
            var transition = playlist.restart(machine.direction)
            if transition == nil {
                // All remaining items failed.
                playlist.clearFailures()
                failures = [:]
                transition = playlist.restart(machine.direction)
            }
            if let to = transition?.to, to != last || loaded[to] == nil { setCurrent(place: nil, at: now) }
            restarted = transition
        }
        machine.play(at: now)
        refreshUpcoming()
        guard let to = restarted?.to else { return }
        let reason: Player.ItemTransitionReason = standing.position.item == to ? .repeat : .seek
        tellChange(from: standing, to: to, reason, .skip, at: now)
    }

    /// Asks the list for its next item after every change. The answer is never cached.
    mutating func refreshUpcoming() {
        guard let following = playlist.nextTransition(for: .automatic, direction: machine.direction),
            let to = following.to,
            let item = playlist[to]
        else {
            machine.setUpcoming(.nothing)
            return
        }
        guard let loaded = loaded[to] else {
            machine.setUpcoming(.loading)
            load(item)
            return
        }
        machine.setUpcoming(.item(machineItem(item, loaded, place: following.place, isUpcoming: true)))
    }

    mutating func load(_ item: PlayerItem) {
        guard loading[item.id] == nil, loaded[item.id] == nil, !isClosed else { return }
        if let asset = item.media.asset, let times = AssetTimes(asset) {
            loaded[item.id] = Loaded(asset: asset, times: times)
            return hasLoaded(item.id)
        }
        failures[item.id] = nil
        // A placeholder until the task is known.
        loading[item.id] = Task {}
        jobs.append(.load(item))
    }

    /// Continues with an item whose frames are now known.
    private mutating func hasLoaded(_ id: PlayerItem.ID) {
        let now = lastNow
        if playlist.currentItem?.id == id, !playlist.isEnded, machine.situation(at: now).item == nil {
            let wish = wish?.item == id ? wish : nil
            if wish != nil { self.wish = nil }
            setCurrent(place: nil, at: now)
            if let wish { seek(to: wish.position, number: wish.number, at: now) }
        } else {
            refreshUpcoming()
        }
    }

    /// The clock's value when the lock was last taken.
    var lastNow: Int64 = 0

    mutating func finishLoading(_ id: PlayerItem.ID, _ result: Result<VideoAsset, ScrubError>, at now: Int64) {
        lastNow = now
        loading[id] = nil
        guard !isClosed, playlist.contains(id) else { return }
        switch result {
        case .success(let asset):
            guard let times = AssetTimes(asset) else {
                return fail(
                    id, ScrubError(.badData, "the video has no frames", file: asset.path), at: now)
            }
            loaded[id] = Loaded(asset: asset, times: times)
            hasLoaded(id)
        case .failure(let error): fail(id, error, at: now)
        }
    }

    /// Returns the machine's item.
    ///
    /// - Parameter isUpcoming: whether it is shown again after the current item.
    private func machineItem(
        _ item: PlayerItem, _ loaded: Loaded, place: Rational?, isUpcoming: Bool = false
    ) -> MachineItem<PlayerItem.ID> {
        // The current showing is already counted.
        let before = (playlist.startCount(of: item.id) ?? 0) - (isUpcoming ? 0 : 1)
        let start = place.map { FramePosition.time($0) } ?? (before <= 0 ? item.start : nil)
        let frame = start.flatMap { try? loaded.asset.presentedFrame(nearest: $0).number }
        return MachineItem(item: item.id, times: loaded.times, startFrame: frame, queueLimit: queueLimit(loaded))
    }

    /// Returns the maximum number of pictures decoded ahead.
    private func queueLimit(_ loaded: Loaded) -> Int {
        let bytes = max(1, loaded.asset.index.pictureByteCount)
        let room = max(2, options.bufferByteLimit / bytes)
        guard let duration = options.preferredForwardBufferDuration else { return min(8, room) }
        let wanted = ExactTime(duration.wholeNanoseconds).seconds
        guard wanted > .zero, loaded.asset.duration > .zero,
            let frames = Rational(Int64(loaded.asset.frames.count)).multiplied(by: wanted)?
                .divided(by: loaded.asset.duration)
        else { return min(8, room) }
        return min(max(2, Int(clamping: frames.numerator / max(1, frames.denominator))), room)
    }

    /// Releases the loaded media of removed items.
    mutating func forgetMissing() {
        let current = machine.situation(at: lastNow).item
        loaded = loaded.filter { playlist.contains($0.key) || $0.key == current }
        failures = failures.filter { playlist.contains($0.key) }
        for (id, task) in loading where !playlist.contains(id) {
            task.cancel()
            loading[id] = nil
        }
    }

    // MARK: The machine's effects

    /// Handles the machine's effects: those about the list are carried out at once, the rest outside the lock.
    mutating func takeEffects(at now: Int64) {
        lastNow = now
        var events: [Player.Event] = []
        for _ in 0..<1000 {
            let effects = machine.takeEffects()
            if effects.isEmpty { break }
            for effect in effects { take(effect, &events, at: now) }
        }
        if let wish, playlist.currentItem?.id != wish.item || loading[wish.item] == nil {
            endWish()
        }
        let state = playbackState(at: now)
        let isOver = playlist.isEnded && state == .ended
        if isOver, !isEndTold { events.append(.playlistEnded) }
        isEndTold = isOver
        if state != lastReported {
            lastReported = state
            events.append(.stateChanged(state))
        }
        let situation = machine.situation(at: now)
        if situation.isLikelyToKeepUp != lastBuffering {
            lastBuffering = situation.isLikelyToKeepUp
            events.append(
                .buffering(
                    isLikelyToKeepUp: situation.isLikelyToKeepUp, bufferedDuration: situation.bufferedTime.seconds))
        }
        let skipped = machine.counters.skippedBeforeDecoding - latestDropped.skippedBeforeDecodingCount
        if skipped > 0 {
            latestDropped.skippedBeforeDecodingCount += skipped
            events.append(.framesDropped(Player.DroppedFrames(skippedBeforeDecodingCount: skipped)))
        }
        if !events.isEmpty { jobs.append(.tell(events)) }
        show(state, situation)
    }

    /// Sets the values that observers see.
    private mutating func show(
        _ state: PlaybackState, _ situation: PlayerMachine<PlayerItem.ID, FramePicture>.Situation
    ) {
        let current = playlist.currentItem
        if shown.currentItem?.id != current?.id { changes.insert(.currentItem) }
        if shown.state != state { changes.insert(.state) }
        if shown.rate != machine.rate { changes.insert(.rate) }
        if shown.isLikelyToKeepUp != situation.isLikelyToKeepUp { changes.insert(.isLikelyToKeepUp) }
        if shown.error != error { changes.insert(.error) }
        if shown.isTrackingEnabled != isTrackingEnabled { changes.insert(.isTrackingEnabled) }
        shown.isTrackingEnabled = isTrackingEnabled
        (shown.currentItem, shown.state, shown.rate) = (current, state, machine.rate)
        (shown.isLikelyToKeepUp, shown.error) = (situation.isLikelyToKeepUp, error)
    }

    /// Records that the list has other items, or another order.
    mutating func noteItems() {
        shown.items = playlist.items
        changes.insert(.items)
    }

    private mutating func take(
        _ effect: MachineEffect<PlayerItem.ID>, _ events: inout [Player.Event], at now: Int64
    ) {
        switch effect {
        case .startLane, .resumeLane, .awaitMemory, .showPreview, .stopLane, .promoteLane: jobs.append(.machine(effect))
        case .advanced(let from, let to, _):
            let standing = PriorPosition(position: end(of: from), depth: playlist.interruptionDepth)
            noteLeaving(from, at: standing.position.time)
            let transition = playlist.advance(.automatic, direction: machine.direction)
            events.append(.itemEnded(from))
            events += change(
                from: standing, to: transition?.to ?? to, from == to ? .repeat : .automatic, .automaticTransition,
                at: now)
            refreshUpcoming()
        case .ended(let item):
            events.append(.itemEnded(item))
            // With a pause, it stays on the item.
            guard options.actionAtItemEnd == .advance else { break }
            let depth = playlist.interruptionDepth
            noteLeaving(item, at: end(of: item).time)
            // The list may only now know the next item.
            _ = playlist.advance(.automatic, direction: machine.direction)
            // An interruption of a list that had ended: its last picture stays, and the list's item is current again.
            if playlist.interruptionDepth < depth {
                events.append(
                    .itemTransition(from: item, to: playlist.currentItem?.id, reason: .interruptionEnded))
            }
        case .stalled: events.append(.stalled(position(at: now)))
        case .resumed(let span): events.append(.resumed(position(at: now), stalledDuration: .nanoseconds(span)))
        case .dropped(let late, let jumped):
            events.append(.framesDropped(Player.DroppedFrames(lateCount: late, jumpedCount: jumped)))
        case .failed(let item, let error): fail(item, error, at: now)
        case .seekEnded(let number, let outcome, let decoded):
            if outcome == .landed { landedSeek = max(landedSeek, number) }
            endedSeek = max(endedSeek, number)
            if outcome == .landed, let seek = begun[number] {
                events.append(.positionDiscontinuity(from: seek.from, to: position(at: now), reason: .seek))
            }
            note(number, outcome, decoded: decoded, at: now)
            if let waiting = seeks.removeValue(forKey: number) { jobs.append(.endSeeks([(waiting, outcome)])) }
        case .changed: break
        }
    }

    /// Continues without an item that cannot be played.
    private mutating func fail(_ id: PlayerItem.ID, _ error: ScrubError, at now: Int64) {
        failures[id] = error
        jobs.append(.tell([.failed(id, error)]))
        guard playlist.currentItem?.id == id else {
            playlist.markFailed(id)
            loaded[id] = nil
            refreshUpcoming()
            return
        }
        let standing = standing(at: now)
        noteLeaving(id, at: standing.position.time)
        loaded[id] = nil
        let transition = playlist.markCurrentFailed(policy: .advance, direction: machine.direction)
        if let to = transition?.to {
            setCurrent(place: transition?.place, at: now)
            tellChange(from: standing, to: to, .failure, .internal, at: now)
        } else {
            self.error = error
            machine.setUpcoming(.nothing)
        }
    }

    mutating func endWish(_ outcome: SeekOutcome = .abandoned) {
        guard let wish else { return }
        self.wish = nil
        if let waiting = seeks.removeValue(forKey: wish.number) { jobs.append(.endSeeks([(waiting, outcome)])) }
    }
}
