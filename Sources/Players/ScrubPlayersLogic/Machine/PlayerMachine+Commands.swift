package import ScrubBase

// The owner's commands to the machine.
extension PlayerMachine {
    package mutating func play(at now: Int64) {
        wantsToPlay = true
        if hasEnded { restart(at: now) }
        startMoving(at: ExactTime(now))
        effects.append(.changed)
    }

    package mutating func pause(at now: Int64) {
        stopMoving(at: now)
        wantsToPlay = false
        endStall(at: now)
        replacePreview(at: now)
        effects.append(.changed)
    }

    /// Plays the current item again, from the end at which playback starts.
    package mutating func restart(at now: Int64) {
        guard let run = current else { return }
        hasEnded = false
        abandonSeeks(.superseded)
        begin(run.source.item == run.item ? first(run.source) : nil, time: nil, at: now)
        position = current?.beginTime ?? position
    }

    private func first(_ source: MachineItem<Item>) -> Int { direction == .forward ? 0 : source.times.frameCount - 1 }

    /// Sets the rate.
    ///
    /// - Parameter rate: seconds of the medium per second of the clock; 0 pauses.
    package mutating func setRate(_ rate: Rational, at now: Int64) {
        guard rate != self.rate else { return }
        stopMoving(at: now)
        let wasBackward = direction
        self.rate = rate
        if rate.numerator != 0 { direction = rate.numerator < 0 ? .backward : .forward }
        effects.append(.changed)
        guard let run = current, rate.numerator != 0 else { return replacePreview(at: now) }
        if wasBackward != direction || run.direction != direction || run.stride != stride(for: run.times) {
            hasEnded = false
            dropNext()
            turn(at: now)
        } else if let next, next.stride != stride(for: next.times) {
            dropNext()
        }
        startMoving(at: ExactTime(now))
    }

    /// Continues in the current direction and stride from the shown frame, which is not shown again.
    mutating func turn(at now: Int64) {
        guard let run = current else { return }
        // The item that followed in the other direction no longer does.
        if waitsForUpcoming { endStall(at: now) }
        guard !run.awaitsFirst, let shown = run.shownFrame else {
            return begin(run.firstFrame, time: run.startTime, at: now)
        }
        let following = run.frame(after: shown, by: stride(for: run.times), direction)
        startRun(run.source, at: following, lane: run.lane)
        current?.goOn(after: run)
    }

    /// Makes an item the current one, at once. No more pictures of the previous one are presented, but its last one
    /// stays until this item's first picture is available.
    ///
    /// - Parameter item: the item; `nil` for none.
    package mutating func setCurrent(_ item: MachineItem<Item>?, at now: Int64) {
        stopMoving(at: now)
        endStall(at: now)
        abandonSeeks(.abandoned)
        (hasEnded, handOver, placeholder) = (false, nil, nil)
        effects.append(.changed)
        let old = current
        guard let item else {
            dropNext()
            if let old { effects.append(.stopLane(old.lane)) }
            current = nil
            position = ExactTime(0)
            return
        }
        if let next, next.item == item.item, next.source.startFrame == item.startFrame {
            if let old { effects.append(.stopLane(old.lane)) }
            promote(next)
        } else {
            dropNext()
            startRun(item, at: item.startFrame ?? first(item), lane: old?.lane ?? 0)
            position = current?.beginTime ?? ExactTime(0)
        }
    }

    /// Sets the item after the current one. The machine requests it after every change of the list.
    package mutating func setUpcoming(_ upcoming: MachineUpcoming<Item>) {
        if let next {
            guard case .item(let item) = upcoming, item.item == next.item, item.startFrame == next.source.startFrame
            else {
                dropNext()
                self.upcoming = upcoming
                return
            }
        }
        self.upcoming = upcoming
    }

    /// Seeks to a frame, and shows it as soon as it is available.
    ///
    /// - Parameters:
    ///   - frame: a frame that exists in the current item.
    ///   - time: the requested time in the item, if it is not the frame's own.
    ///   - number: the number under which its completion is reported.
    package mutating func seek(to frame: Int, time: ExactTime?, number: Int, at now: Int64) {
        guard let run = current else {
            effects.append(.seekEnded(number, .abandoned, decoded: 0))
            return
        }
        let seek = Seek(number: number, frame: min(max(frame, 0), run.times.frameCount - 1), time: time)
        if isScrubbing, seekUnderway != nil, run.awaitsFirst {
            // The seek in progress finishes, so that pictures appear; of those that wait, the newest wins.
            if let older = seekQueued {
                effects.append(.seekEnded(older.number, .superseded, decoded: 0))
                counters.coalescedSeeks += 1
            }
            seekQueued = seek
            return
        }
        abandonSeeks(.superseded)
        begin(seek, at: now)
    }

    mutating func begin(_ seek: Seek, at now: Int64) {
        guard let run = current else { return }
        stopMoving(at: now)
        endStall(at: now)
        (hasEnded, handOver) = (false, nil)
        if run.shownFrame == seek.frame, !run.awaitsFirst, !run.isPreviewShown, run.direction == direction {
            // The frame is on screen; waiting pictures come after it.
            position = within(seek.time, run, seek.frame)
            effects.append(.seekEnded(seek.number, .landed, decoded: 0))
            effects.append(.changed)
            startMoving(at: ExactTime(now))
            return
        }
        seekUnderway = seek.number
        begin(seek.frame, time: seek.time, at: now)
    }

    /// Begins a passage of the current item at a frame.
    mutating func begin(_ frame: Int?, time: ExactTime?, at now: Int64) {
        guard let run = current else { return }
        stopMoving(at: now)
        effects.append(.changed)
        placeholder = nil
        if let frame, run.direction == direction, run.stride == stride(for: run.times), run.error == nil,
            let place = run.queue.firstIndex(where: { $0.frame == frame })
        {
            current?.queue.removeFirst(place)
            current?.awaitsFirst = true
            current?.isPreviewShown = false
            current?.startTime = time
            current?.firstFrame = frame
            resumeIfRoom()
            return
        }
        let shown = run.shownFrame
        startRun(run.source, at: frame, lane: run.lane)
        current?.startTime = time
        current?.shownFrame = shown
    }

    /// Returns the requested time if it is within the frame, or else the frame's own time.
    func within(_ time: ExactTime?, _ run: PlaybackRun<Item, Image>, _ frame: Int) -> ExactTime {
        let (start, end) = (run.times.start(ofFrame: frame), run.times.end(ofFrame: frame))
        guard let time, time >= run.times.exact(start), time <= run.times.exact(end) else {
            return run.dueTime(ofFrame: frame)
        }
        return time
    }

    /// Stops presenting by the clock while a user drags; seeks then follow each other.
    package mutating func beginScrubbing(at now: Int64) {
        stopMoving(at: now)
        endStall(at: now)
        isScrubbing = true
        replacePreview(at: now)
        effects.append(.changed)
    }

    /// Resumes as before the drag, once the last seek has landed.
    package mutating func endScrubbing(at now: Int64) {
        guard isScrubbing else { return }
        isScrubbing = false
        startMoving(at: ExactTime(now))
        effects.append(.changed)
    }

    mutating func abandonSeeks(_ outcome: SeekOutcome) {
        if let number = seekUnderway { effects.append(.seekEnded(number, outcome, decoded: 0)) }
        if let queued = seekQueued { effects.append(.seekEnded(queued.number, outcome, decoded: 0)) }
        (seekUnderway, seekQueued) = (nil, nil)
    }

    /// Makes the look-ahead the current passage.
    mutating func promote(_ next: PlaybackRun<Item, Image>) {
        (current, self.next) = (next, nil)
        position = next.beginTime
        effects.append(.promoteLane(next.lane))
    }

    mutating func dropNext() {
        guard let next else { return }
        effects.append(.stopLane(next.lane))
        self.next = nil
    }

    /// Starts a lane for the current item.
    mutating func startRun(_ source: MachineItem<Item>, at frame: Int?, lane: Int) {
        current = makeRun(source, at: frame, lane: lane, isLookAhead: false)
    }

    mutating func makeRun(
        _ source: MachineItem<Item>, at frame: Int?, lane: Int, isLookAhead: Bool
    ) -> PlaybackRun<Item, Image> {
        tickets += 1
        let stride = stride(for: source.times)
        var run = PlaybackRun<Item, Image>(
            source: source, lane: lane, ticket: tickets, direction: direction, stride: stride, firstFrame: frame,
            queueLimit: queueLimit(of: source))
        run.isLookAhead = isLookAhead
        if let frame {
            effects.append(
                .startLane(
                    lane, ticket: tickets, item: source.item, frame: frame, direction, stride: stride,
                    isLookAhead: isLookAhead))
        } else {
            (run.isComplete, run.awaitsFirst) = (true, false)
            effects.append(.stopLane(lane))
        }
        return run
    }

    mutating func resumeIfRoom() {
        guard let found = current, found.isLaneFull, found.hasRoom else { return }
        current?.isLaneFull = false
        current?.isStarved = false
        if let frame = found.parkedFrame {
            current?.parkedFrame = nil
            effects.append(
                .startLane(
                    found.lane, ticket: found.ticket, item: found.item, frame: frame, found.direction,
                    stride: found.stride, isLookAhead: false))
        }
        effects.append(.resumeLane(found.lane, ticket: found.ticket, isAhead: !found.queue.isEmpty))
    }

    mutating func endStall(at now: Int64) {
        guard isStalled else { return }
        (isStalled, waitsForUpcoming) = (false, false)
        effects.append(.resumed(after: max(0, now - (stalledSince ?? now))))
        stalledSince = nil
    }
}
