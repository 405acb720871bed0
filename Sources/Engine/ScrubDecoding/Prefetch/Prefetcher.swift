internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// A predictor of a movement's next requests, which tracks the work that is done for them. It does not decode.
struct Prefetcher {
    struct Surroundings {
        let planner: SeekPlanner
        let pool: OpenDecoderPool
        /// The number of pictures that fit in the cache.
        let capacity: Int
        let isKept: (Int) -> Bool
        /// Returns whether the cache would keep a picture now.
        let hasRoom: (Int) -> Bool
        /// Restarts at which the fast path had errors. An error ahead matters only once the frame is requested.
        let troubled: Set<Int>

        /// Returns whether the pictures from a plan's restart will be exact.
        func isSound(_ plan: DecodePlan) -> Bool {
            !troubled.contains(plan.restart) && planner.unprovenRestarts(of: plan).isEmpty
        }

        /// The number of pictures in one direction that fit in the cache.
        var room: Int { capacity / 2 }
        /// The number of pictures ahead of a movement that the cache holds besides the last requested one: it evicts
        /// pictures behind the movement at half the distance (``FrameCache``).
        var roomOnTheWay: Int { max(1, (2 * capacity - 1) / 3) }
    }

    /// Whether the frames around a frame at rest are also prepared, in both directions.
    let preparesAtRest: Bool
    private var pattern: AccessPattern
    /// The last request.
    private(set) var movement: (frame: Int, hint: AccessPattern.Hint)?
    /// The run in progress for which no caller is waiting yet.
    var run: GroupRun?
    /// Returns whether a picture is already kept outside the cache. If this is set, the whole group around the playhead
    /// is prefetched.
    var isKeptElsewhere: ((Int) -> Bool)?
    /// The group whose pictures were all output or are in progress.
    private var group: (restart: Int, isDone: Bool)?
    /// The frames that a backward movement decodes in the current pass.
    private var retreat: (restart: Int, frames: Range<Int>)?
    var pace = MovementPace()
    /// The number of pieces of work since the last request. It is limited so that pictures that do not fit in the cache
    /// are not decoded over and over.
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

    /// Returns the run in progress if it will deliver a picture. It continues as the answer to a request.
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

    /// Returns the next unfinished work for the current movement.
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

    /// Returns the work around a frame at which a movement may begin: forward first.
    private mutating func workAtRest(
        _ frame: Int, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> GroupRun.Work? {
        guard preparesAtRest, piecesOfWork < 2 else { return nil }
        piecesOfWork += 1
        if piecesOfWork == 1, let work = forwardWork(after: frame, around) { return work }
        piecesOfWork = 2
        // Not for a jittering finger: the decoder would lose its position in the group for the pictures behind.
        guard hint.motion == .jump || hint.motion == .backward && hint.length >= 2 else { return nil }
        return backwardWork(before: frame, hint, around)
    }

    /// Returns the rest of the group that contains a frame, only once, because the cache may not keep all of it.
    private mutating func groupWork(_ frame: Int, _ around: Surroundings) -> GroupRun.Work? {
        guard let isKeptElsewhere else { return nil }
        let (planner, index) = (around.planner, around.planner.index)
        let plan = planner.plan(forFrame: frame)
        guard group?.restart != plan.restart, around.isSound(plan) else { return nil }
        let end = index.groupEnd(after: plan.restart)
        // Leading pictures of an open restart need the previous group.
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
        // Pictures that the decoder still holds are output with the packets after them.
        if around.pool.holds(feeds, targets: targets) { return nil }
        // If the group ends with some of them, no packets follow that would push them out.
        let isLast = (targets.max() ?? 0) + 1 >= index.groupEnd(after: plan.restart)
        return .init(plan: feeds, targets: targets, isDrained: isLast, waitsForRoom: true)
    }

    /// The maximum number of frames that are prefetched forward.
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

    /// Returns pictures shown before a frame that a backward movement will request next. They come from the same pass.
    ///
    /// Everything up to them must be decoded first, while the movement continues, so they are at its future position. A
    /// pass that has begun is completed unless the movement will already be past it.
    mutating func window(
        before frame: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> [Int] {
        if let retreat, retreat.restart == plan.restart, retreat.frames.lowerBound < frame {
            let all = pictures(of: retreat.frames.clamped(to: 0..<frame), plan, around)
            let left = all.filter { around.pool.canReach($0, from: plan.restart) }
            // Until its first picture is decoded, each request improves the estimate of the pace.
            let isBegun = all.min().map { around.pool.hasReached($0, from: plan.restart) } ?? false
            if isBegun, !left.isEmpty, frame - lead(to: left, plan, around) > retreat.frames.lowerBound { return left }
        }
        // The number doubles each time the movement goes beyond the last window, up to the number that it covers in a
        // whole pass; it is limited to what fits in the cache besides the recently shown pictures.
        let pass = leadOfPass(to: plan, around)
        var wanted = min(wish(hint, pass: pass, around), roomForPass(before: frame, pass: pass, around))
        var top = frame
        var lead = lead(ofFramesBefore: frame, wanted, plan, around)
        if lead > wanted, frame - lead > 0, around.planner.plan(forFrame: frame - lead - 1).restart == plan.restart {
            // As many as will be shown during the next pass, plus half of that, because each one makes the pass longer.
            wanted = min(around.room, lead + lead / 2)
            lead = min(frame - 1, self.lead(ofFramesBefore: frame, wanted, plan, around))
            top -= lead
            // The pictures in between have not been shown yet.
            let kept = (top..<frame).count { around.isKept(Int(around.planner.index.frames[$0])) }
            wanted = max(1, min(wanted, around.room - kept))
        }
        let frames = max(0, top - wanted)..<top
        retreat = (plan.restart, frames)
        let missing = pictures(of: frames, plan, around)
        // A picture that a decoder is about to reach comes first.
        let near = missing.filter { around.pool.canReach($0, from: plan.restart) }
        return near.isEmpty ? missing : near
    }

    /// Returns the number of frames that a backward pass should deliver, if there is room for them.
    private func wish(_ hint: AccessPattern.Hint, pass: Int, _ around: Surroundings) -> Int {
        min(max(16 << min(3, hint.length / 16), pass + pass / 4), around.room)
    }

    /// Returns the number of frames for which there will be room after a pass, besides those that come before them.
    private func roomForPass(before frame: Int, pass: Int, _ around: Surroundings) -> Int {
        max(0, around.roomOnTheWay - max(0, (movement?.frame ?? frame) - frame) + pass)
    }

    /// Returns whether a backward pass should wait until the movement has come nearer, because it would deliver few
    /// pictures for all that it decodes before them.
    private func isTooEarly(
        before frame: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, _ around: Surroundings
    ) -> Bool {
        let pass = leadOfPass(to: plan, around)
        let room = roomForPass(before: frame, pass: pass, around)
        return room < wish(hint, pass: pass, around) && room < around.roomOnTheWay * 3 / 4
    }

    /// Returns the number of frames by which the movement will have advanced when some pictures are decoded. A caller
    /// that waits for each answer does not advance in the meantime.
    private func lead(to targets: [Int], _ plan: DecodePlan, _ around: Surroundings) -> Int {
        guard preparesAtRest, !targets.isEmpty else { return 0 }
        let feeds = around.planner.feedPlan(plan, targets: targets)
        return pace.retreat(during: around.pool.remainingCost(of: feeds, targets: targets))
    }

    /// Returns the number of frames by which the finger advances while a plan's target is decoded from its restart.
    private func leadOfPass(to plan: DecodePlan, _ around: Surroundings) -> Int {
        guard preparesAtRest else { return 0 }
        return pace.retreat(during: around.pool.cost(around.planner.feedPlan(plan, targets: [plan.target]).feeds))
    }

    private func lead(ofFramesBefore frame: Int, _ count: Int, _ plan: DecodePlan, _ around: Surroundings) -> Int {
        lead(to: pictures(of: max(0, frame - count)..<frame, plan, around), plan, around)
    }

    /// Returns the missing pictures of frames that have the same plan as another one.
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
