internal import ScrubBase

// The machine's work as time passes.
extension PlayerMachine {
    private enum Turn {
        case again
        case done(MachineDeadline)
    }

    /// Does the work that is due.
    ///
    /// - Parameter deliver: passes a frame to the presenter.
    /// - Returns: the time of the next update. Arrivals and changes require one sooner.
    package mutating func tick(
        at now: Int64, deliver: (MachinePresentation<Item, Image>) -> Acceptance
    ) -> MachineDeadline {
        while true {
            // The next item is not known until the owner sets it; until then, an end would end playback.
            if hasUnreportedAdvance { return .at(now) }
            prepareNext()
            guard let run = current else { return .idle }
            let turn: Turn
            if run.awaitsFirst {
                turn = showFirst(of: run, at: now, deliver)
            } else if isStalled {
                turn = endStallIfPossible(run, at: now)
            } else if let anchor {
                turn = play(run, anchor, at: now, deliver)
            } else {
                turn = .done(.idle)
            }
            if case .done(let deadline) = turn { return deadline }
        }
    }

    // MARK: The first picture

    private mutating func showFirst(
        of run: PlaybackRun<Item, Image>, at now: Int64, _ deliver: (MachinePresentation<Item, Image>) -> Acceptance
    ) -> Turn {
        guard let first = run.queue.first else {
            if let error = run.error { return fail(run, error) }
            if run.isComplete {
                // The item has no picture after all, so it ends where it begins.
                current?.awaitsFirst = false
                position = run.endTime
                handOver = nil
                abandonSeeks(.abandoned)
                startMoving(at: ExactTime(now))
                return .again
            }
            if let placeholder {
                self.placeholder = nil
                _ = deliver(presentation(placeholder, of: run, kind: .nearest))
            }
            // If the first picture is slightly late, playback catches up, as within an item, so that players stay
            // synchronized across a loop.
            if let handOver, now > handOver.moment.adding(ExactTime(Self.stallGrace)).roundedUp {
                self.handOver?.isLate = true
            }
            return .done(.waiting(until: askAgain(at: now)))
        }
        switch deliver(presentation(first, of: run, kind: .presented)) {
        case .full: return .done(.waiting(until: nil))
        case .nobody where !isToMove || policy != .drop:
            // The picture is available for the next presenter.
            current?.shownFrame = first.frame
            position = within(run.startTime, run, first.frame)
            // No presenter waited for it: the clock starts when there is one.
            handOver = nil
            let isQueued = seekQueued != nil
            landSeek(with: first, at: now)
            return isQueued ? .again : .done(.idle)
        case .nobody: counters.unseen += 1
        case .taken: counters.presented += 1
        }
        current?.queue.removeFirst()
        current?.shownFrame = first.frame
        current?.awaitsFirst = false
        placeholder = nil
        position = within(run.startTime, run, first.frame)
        noteTransition(at: now)
        landSeek(with: first, at: now)
        resumeIfRoom()
        effects.append(.changed)
        // If a picture was late for its item's beginning, the clock starts with the picture.
        if let handOver, !handOver.isLate {
            startMoving(at: handOver.moment)
        } else {
            startMoving(at: ExactTime(now))
        }
        handOver = nil
        return .again
    }

    /// Makes a lane that found no memory try again, after a longer time on each update.
    private mutating func askAgain(at now: Int64) -> Int64? {
        guard let run = current, run.isStarved, run.queue.isEmpty else { return nil }
        current?.isStarved = false
        current?.isLaneFull = false
        effects += [.awaitMemory, .resumeLane(run.lane, ticket: run.ticket, isAhead: false)]
        return now.saturatingAdding(50_000_000)
    }

    private mutating func noteTransition(at now: Int64) {
        guard let handOver else { return }
        counters.worstTransition = max(counters.worstTransition, now - handOver.moment.roundedUp)
    }

    private mutating func landSeek(with picture: FedPicture<Image>, at now: Int64) {
        if let number = seekUnderway { effects.append(.seekEnded(number, .landed, decoded: picture.decodedCount)) }
        seekUnderway = nil
        guard let queued = seekQueued else { return }
        seekQueued = nil
        begin(queued, at: now)
    }

    func presentation(
        _ picture: FedPicture<Image>, of run: PlaybackRun<Item, Image>, kind: MachinePresentation<Item, Image>.Kind
    ) -> MachinePresentation<Item, Image> {
        let time = anchor.map { $0.played(at: run.dueTime(ofFrame: picture.frame)) } ?? played
        return MachinePresentation(
            item: run.item, picture: picture, kind: kind, playedTime: time, sequenceNumber: counters.presented)
    }

    // MARK: Later pictures

    private mutating func play(
        _ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, at now: Int64,
        _ deliver: (MachinePresentation<Item, Image>) -> Acceptance
    ) -> Turn {
        guard let first = run.queue.first else {
            return run.isComplete ? end(run, anchor, at: now) : awaitPicture(run, anchor, at: now, deliver)
        }
        let firstDue = due(first, run, anchor, now)
        if firstDue > now {
            guard run.leavesOut(before: first.frame) else { return .done(.at(firstDue)) }
            switch awaitPreview(run, anchor, at: now, deliver) {
            case .shown: return .again
            case .wait(let time): return .done(.at(min(firstDue, time ?? firstDue)))
            }
        }
        let place = policy == .drop ? newestDue(run, anchor, at: now) : 0
        let picture = run.queue[place]
        let dueTime = due(picture, run, anchor, now)
        let most = run.isPreviewShown ? Self.stallGrace : Self.jumpLateness
        if policy == .drop, now - dueTime > most, jump(run, anchor, at: now) { return .again }
        if run.isPassed(picture.frame) {
            leaveOutPassed(place + 1)
            return .again
        }
        switch deliver(presentation(picture, of: run, kind: .presented)) {
        case .full: return .done(.waiting(until: nil))
        case .nobody where policy != .drop: return .done(.idle)
        case .nobody: counters.unseen += 1
        case .taken: counters.presented += 1
        }
        if place > 0 {
            counters.late += place
            effects.append(.dropped(late: place, jumped: 0))
        }
        counters.worstLateness = max(counters.worstLateness, now - dueTime)
        counters.skippedBeforeDecoding += (place + 1) * (run.stride - 1)
        current?.queue.removeFirst(place + 1)
        current?.show(picture.frame)
        resumeIfRoom()
        if policy == .wait, now - dueTime > frameDuration(picture, run) {
            // The clock waited for the picture.
            stopMoving(on: run.dueTime(ofFrame: picture.frame))
            startMoving(at: ExactTime(now))
        }
        return .again
    }

    private func due(
        _ picture: FedPicture<Image>, _ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, _ now: Int64
    ) -> Int64 {
        policy == .unpaced ? now : anchor.moment(of: run.dueTime(ofFrame: picture.frame)).roundedUp
    }

    /// Returns the newest picture whose time has come; of several with the same time, the first, so that each is
    /// presented.
    private func newestDue(_ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, at now: Int64) -> Int {
        var place = 0
        var newest = due(run.queue[0], run, anchor, now)
        for (number, picture) in run.queue.enumerated().dropFirst() {
            let due = due(picture, run, anchor, now)
            guard due <= now else { break }
            if due > newest { (place, newest) = (number, due) }
        }
        return place
    }

    private func frameDuration(_ picture: FedPicture<Image>, _ run: PlaybackRun<Item, Image>) -> Int64 {
        let span = run.leaveTime(ofFrame: picture.frame).subtracting(run.dueTime(ofFrame: picture.frame)).magnitude
        return Rational.one.divided(by: rate.magnitude).map { span.scaled(by: $0).roundedUp } ?? .max
    }

    /// The lateness beyond which the frames in between are skipped and decoding restarts farther on.
    private static var jumpLateness: Int64 { 500_000_000 }
    /// The minimum time between two jumps.
    private static var jumpPause: Int64 { 2_000_000_000 }
    /// The distance beyond the playhead at which a jump aims: the time that it takes to get there.
    private static var jumpLead: Int64 { 250_000_000 }

    private mutating func jump(_ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, at now: Int64) -> Bool {
        if let lastJump, now - lastJump < Self.jumpPause { return false }
        let target = run.times.frame(
            at: anchor.mediaTime(at: now.saturatingAdding(Self.jumpLead)).units(timeBase: run.times.timeBase))
        guard let last = run.queue.last else { return false }
        let distance = run.direction == .forward ? target - last.frame : last.frame - target
        guard distance > run.stride else { return false }
        lastJump = now
        let leftOut = run.queue.count + distance / run.stride - 1
        counters.jumped += leftOut
        effects.append(.dropped(late: 0, jumped: leftOut))
        startRun(run.source, at: target, lane: run.lane)
        current?.goOn(after: run)
        return true
    }

    /// Handles a tick with nothing to present yet, but more to come.
    private mutating func awaitPicture(
        _ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, at now: Int64,
        _ deliver: (MachinePresentation<Item, Image>) -> Acceptance
    ) -> Turn {
        if run.isStarved { return .done(.waiting(until: askAgain(at: now))) }
        guard policy != .unpaced, let shown = run.shownFrame else { return .done(.waiting(until: nil)) }
        let wish: Int64?
        switch awaitPreview(run, anchor, at: now, deliver) {
        case .shown: return .again
        case .wait(let time): wish = time
        }
        let leaveTime = run.leaveTime(ofFrame: shown)
        // A slightly late picture catches up; beyond that, the clock waits for it.
        var limit = anchor.moment(of: leaveTime).adding(ExactTime(Self.stallGrace)).roundedUp
        // A preview that was requested only after a jump has the same time.
        if let asked = current?.askedPreviewTime { limit = max(limit, asked.saturatingAdding(Self.stallGrace)) }
        guard now >= limit else { return .done(.waiting(until: min(limit, wish ?? limit))) }
        stopMoving(on: leaveTime)
        isStalled = true
        stalledSince = now
        counters.stalls += 1
        effects.append(.stalled)
        // Decoded pictures are behind the shown one.
        if run.isPreviewShown { turn(at: now) }
        return .again
    }

    private static var stallGrace: Int64 { 100_000_000 }

    private mutating func endStallIfPossible(_ run: PlaybackRun<Item, Image>, at now: Int64) -> Turn {
        if waitsForUpcoming {
            if case .loading = upcoming { return .done(.waiting(until: nil)) }
            endStall(at: now)
            handOver(from: run, at: ExactTime(now), isLate: true)
            return .again
        }
        // Without memory for more pictures, it continues with those available, because showing them makes room.
        guard hasEnough(run) || run.isStarved && !run.queue.isEmpty else {
            return .done(.waiting(until: askAgain(at: now)))
        }
        endStall(at: now)
        position = run.queue.first.map { run.dueTime(ofFrame: $0.frame) } ?? run.endTime
        startMoving(at: ExactTime(now))
        return .again
    }

    // MARK: Ending

    private mutating func end(_ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, at now: Int64) -> Turn {
        let end = policy == .unpaced ? ExactTime(now) : anchor.moment(of: run.endTime)
        if policy != .unpaced, end.roundedUp > now { return .done(.at(end.roundedUp)) }
        stopMoving(on: run.endTime)
        if let error = run.error { return fail(run, error) }
        handOver(from: run, at: end, isLate: false)
        return .again
    }

    /// Makes the next item current.
    private mutating func handOver(from run: PlaybackRun<Item, Image>, at moment: ExactTime, isLate: Bool) {
        let following: MachineItem<Item>?
        switch actionAtItemEnd == .pause ? .nothing : upcoming {
        case .nothing:
            hasEnded = true
            effects.append(.ended(run.item))
            return replacePreview(at: moment.roundedUp)
        case .loading:
            (isStalled, waitsForUpcoming) = (true, true)
            counters.stalls += 1
            effects.append(.stalled)
            return
        case .item(let item): following = item
        }
        prepareNext()
        guard let next, next.item == following?.item else { return }
        effects.append(.advanced(from: run.item, to: next.item, isLate: isLate || next.queue.isEmpty))
        (upcoming, hasUnreportedAdvance) = (.nothing, true)
        promote(next)
        handOver = (moment, isLate)
    }

    private mutating func fail(_ run: PlaybackRun<Item, Image>, _ error: ScrubError) -> Turn {
        stopMoving(on: position)
        abandonSeeks(.abandoned)
        current?.error = nil
        current?.awaitsFirst = false
        current?.isComplete = true
        hasEnded = true
        effects.append(.failed(run.item, error))
        return .done(.idle)
    }
}

extension Int64 {
    fileprivate func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension FrameTimes {
    /// Returns the frame on screen at a time, in units after the first frame: the last one that has begun.
    package func frame(at time: Int64) -> Int {
        var (low, high) = (0, frameCount - 1)
        while low < high {
            let middle = low + (high - low + 1) / 2
            if start(ofFrame: middle) <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
