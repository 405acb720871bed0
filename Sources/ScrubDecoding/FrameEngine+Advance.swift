internal import FileIO
internal import LibAV
package import ScrubBase
internal import ScrubIndex

// Work in advance: what a movement will ask for next. It is done packet by packet while nobody waits, and left at once
// when somebody asks for something else.
extension FrameEngine {
    /// Does a little of the work in advance: about one packet.
    ///
    /// - Returns: whether there is more to do.
    package func workInAdvance() throws(ScrubError) -> Bool {
        if ahead == nil { ahead = try nextWork() }
        guard let job = ahead else { return false }
        if !job.isOver {
            try job.step(reader: &reader) { (picture, frame) in keep(frame, of: picture, from: job.decoder) }
        }
        guard job.isOver else { return true }
        ahead = nil
        if job.decoder.isClean { pool.put(job.decoder) } else { troubled.insert(job.plan.plan.restart) }
        if let group, group.restart == job.plan.plan.restart { self.group?.isDone = true }
        return true
    }

    /// The work under way, if it will bring a picture.
    func jobInAdvance(for target: Int) -> DecodeJob? {
        guard let job = ahead, job.waiting.contains(target), !job.isOver else { return nil }
        ahead = nil
        return job
    }

    /// Stops the work; its decoder stays where it stands.
    func leaveWorkInAdvance() {
        if let job = ahead, job.decoder.isClean { pool.put(job.decoder) }
        ahead = nil
        if group?.isDone == false { group = nil }
    }

    /// Pictures shown before a frame that a backward movement will ask for next: they come from the same pass.
    func window(before number: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint) -> [Int] {
        // Twice as many whenever the movement goes on past the last ones; at most what the cache can hold beside
        // what was just seen.
        let wanted = min(16 << min(3, hint.length / 16), room)
        var pictures: [Int] = []
        for frame in stride(from: number - 1, through: max(0, number - wanted), by: -1) {
            guard restartPlan(forFrame: frame).restart == plan.restart else { break }
            let picture = Int(index.frames[frame])
            if !isKept(picture) { pictures.append(picture) }
        }
        return pictures
    }

    /// Pictures in one direction that the cache can hold.
    private var room: Int { cache.withLock { $0.byteLimit } / 2 / max(1, pool.frameByteCount) }

    private func isKept(_ picture: Int) -> Bool { cache.withLock { $0[picture] != nil } }

    /// What the present movement asks for next and is not there yet.
    private func nextWork() throws(ScrubError) -> DecodeJob? {
        guard let (last, hint) = movement else { return nil }
        // Not `??`: its autoclosure forgets the error's type.
        if let near = try nearWork(last, hint) { return near }
        return try groupWork(around: last)
    }

    private func nearWork(_ last: Int, _ hint: AccessPattern.Hint) throws(ScrubError) -> DecodeJob? {
        guard room > 1, worksInAdvance < 4 else { return nil }
        guard hint.isSteady, hint.length >= 2 else { return try workAtRest(around: last, hint) }
        worksInAdvance += 1
        switch hint.motion {
        case .jump: return nil
        case .forward: return try forwardWork(after: last)
        case .backward: return try backwardWork(before: last, hint)
        }
    }

    /// What lies around a frame from which a movement may begin: forward first.
    private func workAtRest(around frame: Int, _ hint: AccessPattern.Hint) throws(ScrubError) -> DecodeJob? {
        guard options.preparesAtRest, worksInAdvance < 2 else { return nil }
        worksInAdvance += 1
        if worksInAdvance == 1, let job = try forwardWork(after: frame) { return job }
        worksInAdvance = 2
        return try backwardWork(before: frame, hint)
    }

    /// The rest of the group that a frame is in, once: what is kept of it may not be all of it.
    private func groupWork(around frame: Int) throws(ScrubError) -> DecodeJob? {
        guard let isKeptElsewhere else { return nil }
        let plan = restartPlan(forFrame: frame)
        guard group?.restart != plan.restart, !troubled.contains(plan.restart) else { return nil }
        let end = index.nextRestart(after: plan.restart) ?? index.pictures.count
        // Leading pictures of an open restart need the group before.
        let targets = (plan.restart..<end).filter { picture in
            index.isPresented(picture) && index.ranks[picture] >= index.ranks[plan.restart]
                && !index.pictures.flags[picture].contains(.secondField) && !isKeptElsewhere(picture)
        }
        guard let last = targets.max() else {
            group = (plan.restart, true)
            return nil
        }
        let whole = DecodePlan(target: last, restart: plan.restart, start: plan.start, last: max(plan.last, last))
        let job = try startJob(.init(plan: feedPlan(whole, targets: targets), targets: targets, isDrained: true))
        group = (plan.restart, false)
        return job
    }

    private func forwardWork(after last: Int) throws(ScrubError) -> DecodeJob? {
        let end = min(index.frameCount, last + 1 + min(24, room))
        guard let first = (last + 1..<max(last + 1, end)).first(where: { !isKept(Int(index.frames[$0])) }) else {
            return nil
        }
        let plan = restartPlan(forFrame: first)
        guard !troubled.contains(plan.restart) else { return nil }
        var targets: [Int] = []
        for frame in first..<end where !isKept(Int(index.frames[frame])) {
            let next = restartPlan(forFrame: frame)
            guard next.restart == plan.restart else { break }
            targets.append(next.target)
        }
        let feeds = feedPlan(plan, targets: targets)
        // What the decoder still holds comes out with the packets after it.
        if pool.holds(feeds, targets: targets) { return nil }
        return try startJob(.init(plan: feeds, targets: targets, isDrained: isLast(targets, of: plan)))
    }

    /// Whether a group ends with some of these pictures: then nothing comes after them that would push them out.
    private func isLast(_ targets: [Int], of plan: DecodePlan) -> Bool {
        let end = index.nextRestart(after: plan.restart) ?? index.pictures.count
        return (targets.max() ?? 0) + 1 >= end
    }

    private func backwardWork(before last: Int, _ hint: AccessPattern.Hint) throws(ScrubError) -> DecodeJob? {
        let start = max(0, last - min(room, 32))
        guard
            let first = stride(from: last - 1, through: start, by: -1).first(where: { !isKept(Int(index.frames[$0])) })
        else { return nil }
        let plan = restartPlan(forFrame: first)
        guard !troubled.contains(plan.restart) else { return nil }
        let targets = window(before: first, plan, hint) + [plan.target]
        return try startJob(.init(plan: feedPlan(plan, targets: targets), targets: targets, isDrained: true))
    }
}
