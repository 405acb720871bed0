internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

// The stages of a frame in playback order up to its picture.
extension SequenceDecoder {
    /// The maximum number of pictures that a linear run may output before the next one in order.
    private static let mostAhead = 32
    /// The maximum number of frames for which a forward pass is planned.
    private static let longestPass = 1024

    /// Returns whether the work in progress delivers a frame.
    func isOnItsWay(_ frame: Int) -> Bool {
        switch run {
        case .none: false
        case .linear: true
        case .window(let window): window.missing.contains(frame) || window.out.contains { $0.frame == frame }
        }
    }

    func beginRun(for frame: Int) throws(ScrubError) {
        leaveRun()
        let plan = planner.plan(forFrame: frame)
        if !planner.unprovenRestarts(of: plan).isEmpty {
            // The run proves the restart, and the frame is planned again.
            try beginWindow([(frame, plan)])
        } else if isForward, stride == 1, !uneven.contains(plan.restart) {
            // A decoder within a group may have skipped what a linear run needs.
            resources.pool.forget()
            let work = LinearRun.work(for: plan, planner: planner)
            let (decoder, feeds) = try resources.takeDecoder(for: work)
            run = .linear(LinearRun(work, decoder: decoder, feeds: feeds, planner: planner))
        } else {
            let members = members(from: frame, plan)
            try beginWindow(members)
            windowEnd = members.last?.frame
        }
        promise()
    }

    private func beginWindow(_ members: [(frame: Int, plan: DecodePlan)]) throws(ScrubError) {
        let options = GroupRun.Options(drainsOneByOne: true)
        run = .window(Window(try resources.run(members.map(\.plan), options), of: members.map(\.frame)))
    }

    /// Returns the frames that one pass decodes: as many as are kept, from one restart. Forward, they are taken as they
    /// are output.
    private func members(from frame: Int, _ plan: DecodePlan) -> [(frame: Int, plan: DecodePlan)] {
        let limit = isForward && plan.isSelfContained ? SequenceDecoder.longestPass : kept.withLock { slotCount($0) }
        var members = [(frame: frame, plan: plan)]
        var last = frame
        while members.count < limit, let number = after(last) {
            let other = planner.plan(forFrame: number)
            guard other.restart == plan.restart else { break }
            members.append((number, other))
            last = number
        }
        return members
    }

    /// Advances the work in progress by about one packet.
    func advance(to frame: Int) throws(ScrubError) -> Step {
        switch run {
        case .none: return .more
        case .linear(let run): return try advance(run, to: frame)
        case .window(let window): return try advance(window, to: frame)
        }
    }

    private func advance(_ run: LinearRun, to frame: Int) throws(ScrubError) -> Step {
        var passing: DecodedPicture?
        for picture in try run.step(reader: &resources.reader) {
            guard index.isPresented(picture.number), let number = index.frame(ofPicture: picture.number) else {
                continue
            }
            guard number >= frame else {
                passing = picture
                continue
            }
            let plan = planner.plan(forFrame: number)
            // The start of this run is not sufficient for it.
            guard plan.restart >= run.start.restart, planner.isPromised(picture.number, by: run.start) else { continue }
            guard let image = transformed(picture.frame, isCounted: run.decoder.usesAllocator) else { return starve() }
            ready[number] = JudgedPicture(
                number: picture.number, frame: image, verdict: planner.rated(.exact, plan))
        }
        if run.decoder.findings.isStarved { return starve() }
        if ready[frame] == nil, run.isOver || ready.count > SequenceDecoder.mostAhead {
            // Frames near a complaint are decoded group by group.
            uneven.insert(planner.plan(forFrame: frame).restart)
            for picture in run.decoder.findings.complaints.keys {
                uneven.insert(planner.plan(forPicture: picture).restart)
            }
            leaveRun()
        }
        return placeholder(passing, before: frame, isCounted: run.decoder.usesAllocator) ?? .more
    }

    private func advance(_ window: Window, to frame: Int) throws(ScrubError) -> Step {
        try step(window)
        guard store(window, isNeeded: true), window.run.end != .starved else { return starve() }
        if window.run.end != nil { leaveRun() }
        return placeholder(window.passing, before: frame, isCounted: window.run.usesAllocator) ?? .more
    }

    /// Decodes about one packet of a window, or takes one of its last pictures.
    private func step(_ window: Window) throws(ScrubError) {
        window.passing = nil
        guard window.run.end == nil else { return }
        for picture in try window.run.step(&resources) {
            guard let number = index.frame(ofPicture: picture.number) else { continue }
            if window.missing.remove(number) != nil {
                window.out.append((number, picture))
            } else if picture.isExact, let frame = picture.frame {
                window.passing = DecodedPicture(number: picture.number, frame: frame)
            }
        }
    }

    /// Caches the pictures that a pass output.
    ///
    /// - Parameter isNeeded: whether all of them must be taken, evicting frames that are shown later.
    /// - Returns: false if there was no memory for a small picture.
    private func store(_ window: Window, isNeeded: Bool) -> Bool {
        while let (number, judged) = window.out.first {
            guard isNeeded || hasRoom(for: judged) else { return true }
            var picture = judged
            if let frame = judged.frame {
                guard let image = transformed(frame, isCounted: window.run.usesAllocator) else { return false }
                picture = JudgedPicture(number: judged.number, frame: image, verdict: judged.verdict)
            }
            window.out.removeFirst()
            if number == next {
                ready[number] = picture
            } else {
                _ = kept.withLock { $0.insert(picture, frame: number, isNeeded: true) }
            }
        }
        return true
    }

    private func hasRoom(for picture: JudgedPicture) -> Bool {
        // A decoded picture may have more bytes than the stream's description suggests.
        let count = transform == nil ? max(keptPictureByteCount, picture.frame?.byteCount ?? 0) : keptPictureByteCount
        return kept.withLock { $0.hasRoom(forBytes: count) }
    }

    /// Handles a lack of memory: nothing can be decoded in the available memory.
    private func starve() -> Step {
        leaveRun()
        resources.pool.clear()
        // A stream that needs more than its parameter sets declare fits with one thread where it did not with several.
        resources.pool.settings.threadCount = 1
        return .starved
    }

    /// Decodes the next window while the current one is shown.
    func prepareWindow() throws(ScrubError) -> Bool {
        if case .none = run {
            // A picture that could not be cached is decoded again only when its turn has come.
            guard let frame = firstMissing(), frame < preparedFrame ?? .max else { return false }
            preparedFrame = frame
            try beginRun(for: frame)
            return true
        }
        guard case .window(let window) = run else { return false }
        // An output picture waits for the slot of a frame that is shown.
        if let waiting = window.out.first, !hasRoom(for: waiting.picture) { return false }
        if window.out.isEmpty { try step(window) }
        guard store(window, isNeeded: false), window.run.end != .starved else {
            leaveRun()
            return false
        }
        // After a comparison, the same frame is planned again.
        if window.run.end == .decided { preparedFrame = nil }
        if window.run.end != nil, window.out.isEmpty { leaveRun() }
        return true
    }

    /// Returns the first missing frame in playback order.
    private func firstMissing() -> Int? {
        guard var frame = next else { return nil }
        return kept.withLock { kept in
            while kept[frame] != nil || ready[frame] != nil {
                guard let number = after(frame) else { return nil }
                frame = number
            }
            return frame
        }
    }

    /// Marks the frames to keep: those that are shown before others are decoded.
    func promise() {
        guard let next else { return kept.withLock { $0.promised = nil } }
        kept.withLock { kept in
            kept.playhead = next
            // As many as are kept, in playback order; backward, all of the window that is decoded while another one is
            // shown.
            let reach = (slotCount(kept) - 1).multipliedReportingOverflow(by: stride)
            let distance = reach.overflow ? index.frameCount : min(reach.partialValue, index.frameCount)
            if isForward {
                kept.promised = next...next + distance
            } else {
                kept.promised = max(0, min(windowEnd ?? next - distance, next))...next
            }
        }
    }

    /// Returns the number of frames that are kept.
    private func slotCount(_ kept: borrowing PlayheadFrameCache) -> Int {
        max(1, kept.byteLimit / keptPictureByteCount)
    }
}
