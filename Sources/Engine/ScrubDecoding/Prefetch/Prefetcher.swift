internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Guesses the next requests of a movement, and keeps the work that is being done for it. Decodes nothing itself.
struct Prefetcher {
    struct Surroundings {
        let planner: SeekPlanner
        let pool: OpenDecoderPool
        /// Pictures that the cache can hold.
        let capacity: Int
        let isKept: (Int) -> Bool
        /// Whether the cache would keep a picture that came now.
        let hasRoom: (Int) -> Bool
        /// Restarts from which the fast way met trouble: trouble ahead is trouble only when the frame is
        /// asked for.
        let troubled: Set<Int>

        /// Whether the pictures from a plan's restart will be exact.
        func isSound(_ plan: DecodePlan) -> Bool {
            !troubled.contains(plan.restart) && planner.unprovenRestarts(of: plan).isEmpty
        }

        /// Pictures in one direction that the cache can hold.
        var room: Int { capacity / 2 }
        /// Pictures on the way of a movement that the cache holds beside the last one that was asked for: it lets those
        /// behind go that are half as far (``FrameCache``).
        var roomOnTheWay: Int { max(1, (2 * capacity - 1) / 3) }
    }

    /// Whether the frames around a frame at rest are prepared too, both ways.
    let preparesAtRest: Bool
    private var pattern: AccessPattern
    /// The last request.
    private(set) var movement: (frame: Int, hint: AccessPattern.Hint)?
    /// The run that is under way and not asked for yet.
    var run: GroupRun?
    /// The whole group around the playhead is prefetched when this is there: says which pictures are kept already,
    /// outside of the cache.
    var isKeptElsewhere: ((Int) -> Bool)?
    /// The group whose pictures all came out, or are under way.
    private var group: (restart: Int, isDone: Bool)?
    /// The frames that a backward movement decodes in the present pass.
    private var retreat: (restart: Int, frames: Range<Int>)?
    var pace = MovementPace()
    /// Pieces of work since the last request. Pictures that the cache cannot hold would be made again and again without
    /// a limit.
    private var piecesOfWork = 0

    init(preparesAtRest: Bool) {
        self.preparesAtRest = preparesAtRest
        pattern = AccessPattern(toleratesJitter: preparesAtRest)
    }

    mutating func note(frame: Int, restart: Int) -> AccessPattern.Hint {
        let hint = pattern.note(frame: frame, restart: restart)
        switch hint.motion {
        case .jump: (retreat, pace) = (nil, MovementPace())
        case .forward:
            // Unless the finger only jitters.
            if hint.isLasting { retreat = nil }
            pace.move(by: hint.isAgainst ? -hint.step : hint.step)
        case .backward: pace.move(by: hint.isAgainst ? hint.step : -hint.step)
        }
        movement = (frame, hint)
        piecesOfWork = 0
        return hint
    }

    /// Returns the run under way, if it will bring a picture: it goes on as the answer to a request.
    mutating func adopt(_ target: Int) -> GroupRun? {
        guard let run, run.brings(target) else { return nil }
        self.run = nil
        return run
    }

    mutating func finish() {
        if let run, let group, group.restart == run.plan.restart { self.group?.isDone = true }
        run = nil
    }

    mutating func leave() -> GroupRun? {
        defer { run = nil }
        if group?.isDone == false { group = nil }
        return run
    }

    /// Returns the next work for the present movement that is not done yet.
    mutating func nextWork(_ around: Surroundings) -> GroupRun.Work? {
        guard let (last, hint) = movement else { return nil }
        return nearWork(last, hint, around) ?? groupWork(last, around)
    }

    private mutating func nearWork(
        _ last: Int, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> GroupRun.Work? {
        guard around.room > 1, piecesOfWork < 4 else { return nil }
        guard hint.isSteady, hint.length >= 2 else { return workAtRest(last, hint, around) }
        piecesOfWork += 1
        switch hint.motion {
        case .jump: return nil
        case .forward: return forwardWork(after: last, around)
        case .backward: return backwardWork(before: last, hint, around)
        }
    }

    /// Returns the work around a frame from which a movement may begin: forward first.
    private mutating func workAtRest(
        _ frame: Int, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> GroupRun.Work? {
        guard preparesAtRest, piecesOfWork < 2 else { return nil }
        piecesOfWork += 1
        if piecesOfWork == 1, let work = forwardWork(after: frame, around) { return work }
        piecesOfWork = 2
        // Not for a finger that jitters on its way: the decoder would lose its place in the group for the pictures
        // behind.
        guard hint.motion == .jump || hint.motion == .backward && hint.length >= 2 else { return nil }
        return backwardWork(before: frame, hint, around)
    }

    /// Returns the rest of the group that a frame is in, once: not all of it may be kept.
    private mutating func groupWork(_ frame: Int, _ around: Surroundings) -> GroupRun.Work? {
        guard let isKeptElsewhere else { return nil }
        let (planner, index) = (around.planner, around.planner.index)
        let plan = planner.plan(forFrame: frame)
        guard group?.restart != plan.restart, around.isSound(plan) else { return nil }
        let end = index.groupEnd(after: plan.restart)
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
        group = (plan.restart, false)
        return .init(plan: planner.feedPlan(whole, targets: targets), targets: targets, isDrained: true)
    }

    private func forwardWork(after last: Int, _ around: Surroundings) -> GroupRun.Work? {
        let (planner, index) = (around.planner, around.planner.index)
        let end = min(index.frameCount, last + 1 + min(Prefetcher.reach, around.room))
        guard last + 1 < end,
            let first = (last + 1..<end).first(where: { !around.isKept(Int(index.frames[$0])) })
        else { return nil }
        let plan = planner.plan(forFrame: first)
        guard around.isSound(plan), around.hasRoom(plan.target) else { return nil }
        var targets: [Int] = []
        for frame in first..<end where !around.isKept(Int(index.frames[frame])) {
            let next = planner.plan(forFrame: frame)
            guard next.restart == plan.restart else { break }
            targets.append(next.target)
        }
        let feeds = planner.feedPlan(plan, targets: targets)
        // Pictures that the decoder still holds come out with the packets after them.
        if around.pool.holds(feeds, targets: targets) { return nil }
        // If the group ends with some of them, nothing comes after them that would push them out.
        let isLast = (targets.max() ?? 0) + 1 >= index.groupEnd(after: plan.restart)
        return .init(plan: feeds, targets: targets, isDrained: isLast, waitsForRoom: true)
    }

    /// Frames that are prefetched forward at most.
    private static let reach = 24

    private mutating func backwardWork(
        before last: Int, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> GroupRun.Work? {
        let index = around.planner.index
        let start = max(0, last - min(around.room, 32))
        guard
            let first = stride(from: last - 1, through: start, by: -1).first(where: {
                !around.isKept(Int(index.frames[$0]))
            })
        else { return nil }
        let plan = around.planner.plan(forFrame: first)
        guard around.isSound(plan), !isTooEarly(before: first, plan, hint, around) else { return nil }
        let targets = window(before: first, plan, hint, around) + [plan.target]
        return .init(plan: around.planner.feedPlan(plan, targets: targets), targets: targets, isDrained: true)
    }

    /// Returns pictures shown before a frame that a backward movement will ask for next: they come from the same pass.
    ///
    /// Everything up to them has to be decoded first, and meanwhile the movement goes on: so they lie where it will be
    /// then. A pass that was begun is brought to its end, unless the movement will have gone past it.
    mutating func window(
        before frame: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> [Int] {
        if let retreat, retreat.restart == plan.restart, retreat.frames.lowerBound < frame {
            let all = pictures(of: retreat.frames.clamped(to: 0..<frame), plan, around)
            let left = all.filter { around.pool.canReach($0, from: plan.restart) }
            // Before its first picture is decoded, the pace is known better with every request.
            let isBegun = all.min().map { around.pool.hasReached($0, from: plan.restart) } ?? false
            if isBegun, !left.isEmpty, frame - lead(to: left, plan, around) > retreat.frames.lowerBound { return left }
        }
        // Twice as many whenever the movement goes on past the last ones, and as many as it covers in a whole pass; at
        // most what the cache can hold beside what was just seen.
        let pass = leadOfPass(to: plan, around)
        var wanted = min(wish(hint, pass: pass, around), roomForPass(before: frame, pass: pass, around))
        var top = frame
        var lead = lead(ofFramesBefore: frame, wanted, plan, around)
        if lead > wanted, frame - lead > 0, around.planner.plan(forFrame: frame - lead - 1).restart == plan.restart {
            // As many as are looked at while the next pass goes on, and half of that again; each of them makes it
            // longer.
            wanted = min(around.room, lead + lead / 2)
            lead = min(frame - 1, self.lead(ofFramesBefore: frame, wanted, plan, around))
            top -= lead
            // The pictures between are still to be seen.
            let kept = (top..<frame).count { around.isKept(Int(around.planner.index.frames[$0])) }
            wanted = max(1, min(wanted, around.room - kept))
        }
        let frames = max(0, top - wanted)..<top
        retreat = (plan.restart, frames)
        let missing = pictures(of: frames, plan, around)
        // A picture that a decoder is on its way to comes first.
        let near = missing.filter { around.pool.canReach($0, from: plan.restart) }
        return near.isEmpty ? missing : near
    }

    /// Returns the frames that a pass back is to bring, if there is room for them.
    private func wish(_ hint: AccessPattern.Hint, pass: Int, _ around: Surroundings) -> Int {
        min(max(16 << min(3, hint.length / 16), pass + pass / 4), around.room)
    }

    /// Returns the frames for which there will be room after a pass, beside those that come before them.
    private func roomForPass(before frame: Int, pass: Int, _ around: Surroundings) -> Int {
        max(0, around.roomOnTheWay - max(0, (movement?.frame ?? frame) - frame) + pass)
    }

    /// Whether a pass back should wait until the movement has come nearer: it would bring few pictures for all that it
    /// decodes before them.
    private func isTooEarly(
        before frame: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> Bool {
        let pass = leadOfPass(to: plan, around)
        let room = roomForPass(before: frame, pass: pass, around)
        return room < wish(hint, pass: pass, around) && room < around.roomOnTheWay * 3 / 4
    }

    /// Returns frames that the movement will have gone on when some pictures are decoded. A caller that waits for each
    /// answer does not go on meanwhile.
    private func lead(to targets: [Int], _ plan: DecodePlan, _ around: Surroundings) -> Int {
        guard preparesAtRest, !targets.isEmpty else { return 0 }
        let feeds = around.planner.feedPlan(plan, targets: targets)
        return pace.retreat(during: around.pool.remainingCost(of: feeds, targets: targets))
    }

    /// Returns frames that the finger goes on while a plan's target is decoded from its restart.
    private func leadOfPass(to plan: DecodePlan, _ around: Surroundings) -> Int {
        guard preparesAtRest else { return 0 }
        return pace.retreat(during: around.pool.cost(around.planner.feedPlan(plan, targets: [plan.target]).feeds))
    }

    private func lead(ofFramesBefore frame: Int, _ count: Int, _ plan: DecodePlan, _ around: Surroundings) -> Int {
        lead(to: pictures(of: max(0, frame - count)..<frame, plan, around), plan, around)
    }

    /// Returns the pictures of some frames that are planned as another one is, and are not there.
    private func pictures(of frames: Range<Int>, _ plan: DecodePlan, _ around: Surroundings) -> [Int] {
        var pictures: [Int] = []
        for frame in frames.reversed() {
            guard around.planner.plan(forFrame: frame).restart == plan.restart else { break }
            let picture = Int(around.planner.index.frames[frame])
            if !around.isKept(picture) { pictures.append(picture) }
        }
        return pictures
    }
}
