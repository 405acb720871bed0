internal import ScrubBase

// Deliveries from lanes.
extension PlayerMachine {
    /// Handles a lane's news.
    ///
    /// - Returns: whether the lane should continue at once; otherwise it waits for
    ///   ``MachineEffect/resumeLane(_:ticket:isAhead:)``.
    package mutating func receive(_ news: PipelineUpdate<Image>, ticket: Int) -> Bool {
        // Not by key paths: generic code would create one for every frame.
        if current?.ticket == ticket, var run = current.take() {
            defer { current = run }
            return receive(news, &run, isCurrent: true)
        }
        if next?.ticket == ticket, var run = next.take() {
            defer { next = run }
            return receive(news, &run, isCurrent: false)
        }
        return false
    }

    private mutating func receive(
        _ news: PipelineUpdate<Image>, _ run: inout PlaybackRun<Item, Image>, isCurrent: Bool
    ) -> Bool {
        switch news {
        case .frame(let picture):
            run.isWithoutDecoder = false
            run.queue.append(picture)
            run.isLaneFull = !run.hasRoom
            return run.hasRoom
        case .placeholder(let picture):
            if isCurrent, run.awaitsFirst {
                placeholder = picture
            } else if isCurrent, picture.frame == run.askedPreview {
                (run.preview, run.askedPreviewTime) = (picture, nil)
            }
            return true
        case .withoutPreview(let frame):
            if frame == run.askedPreview { run.askedPreviewTime = nil }
            return true
        case .end:
            run.isComplete = true
            run.isLaneStopped = true
            effects.append(.stopLane(run.lane))
            return false
        case .failed(let error):
            (run.isComplete, run.isLaneStopped, run.error) = (true, true, error)
            effects.append(.stopLane(run.lane))
            // Already decoded pictures are played first, but not those of an item that has not begun.
            if !isCurrent { effects.append(.failed(run.item, error)) }
            return false
        case .starved:
            (run.isLaneFull, run.isStarved) = (true, true)
            return false
        case .waitingForDecoder:
            run.isWithoutDecoder = run.isLookAhead
            return true
        }
    }

    /// Begins to decode the next item, once the current item no longer needs its decoder or its end is near.
    mutating func prepareNext() {
        guard let run = current, actionAtItemEnd == .advance, case .item(let item) = upcoming, rate.numerator != 0
        else {
            return
        }
        if let waiting = next {
            // There was no decoder for it besides the current one, which has now done its part.
            if waiting.isWithoutDecoder, run.isComplete {
                next?.isWithoutDecoder = false
                effects.append(.promoteLane(waiting.lane))
            }
            return
        }
        guard run.isComplete || !isMemoryScarce && remaining(run) <= Self.lookAhead.scaled(by: rate.magnitude)
        else { return }
        let first = item.startFrame ?? (direction == .forward ? 0 : item.times.frameCount - 1)
        next = makeRun(item, at: first, lane: 1 - run.lane, isLookAhead: !run.isComplete)
    }

    /// The time before an item's end at which the next one's first pictures are decoded.
    private static var lookAhead: ExactTime { ExactTime(1_000_000_000) }

    private func remaining(_ run: PlaybackRun<Item, Image>) -> ExactTime {
        let from = run.shownFrame.map { run.leaveTime(ofFrame: $0) } ?? position
        return run.endTime.subtracting(from).magnitude
    }
}
