internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// How a request becomes an answer, step by step.
extension FrameEngine {
    /// Begins to look for a frame; nothing is decoded yet.
    ///
    /// - Parameter isNoted: whether ``note(frame:)`` was told of the request already.
    /// - Throws: when the work's decoder cannot be opened.
    package func start(frame number: Int, isNoted: Bool = false) throws(ScrubError) -> DecodeTask {
        isHeldUp = false
        let (plan, hint) = movement(to: number, isNoted: isNoted)
        let isKept = cache.withLock { $0[plan.target] != nil }
        if !isKept, !planner.file.isInterrupted, let task = prefetcher.adopt(plan.target) {
            (task.frame, task.plan, task.hint, task.isOnwardDecided) = (number, plan, hint, false)
            task.watch = nil
            return task
        }
        let task = DecodeTask(.unplanned, plan: plan, frame: number)
        task.hint = hint
        do throws(ScrubError) {
            try planner.file.checkInterruption()
            try begin(task)
        } catch {
            guard planner.file.isInterrupted else { throw error }
            isHeldUp = true
            // It is planned with its first step.
            task.state = .unplanned
        }
        return task
    }

    /// Begins to look for a frame that is shown on the way to another one; nothing is noted of it.
    package func start(onTheWay number: Int) throws(ScrubError) -> DecodeTask {
        isHeldUp = false
        let plan = planner.plan(forFrame: number)
        let task = DecodeTask(.unplanned, plan: plan, frame: number)
        // What stands alone comes out at once; the decoder's place is worth nothing.
        (task.hint, task.isOnwardDecided) = (prefetcher.movement?.hint, plan.restart == plan.target)
        return task
    }

    /// Plans a task whose plan was made while reads were left.
    private func plan(_ task: DecodeTask) throws(ScrubError) {
        if let frame = task.frame { task.plan = planner.plan(forFrame: frame) }
        try planner.file.checkInterruption()
        try begin(task)
    }

    private func movement(to number: Int, isNoted: Bool) -> (DecodePlan, AccessPattern.Hint) {
        guard isNoted, let movement = prefetcher.movement, movement.frame == number else {
            let (plan, hint) = note(frame: number)
            return (planner.file.isRemote ? planner.plan(forFrame: number) : plan, hint)
        }
        return (planner.plan(forFrame: number), movement.hint)
    }

    /// Chooses the way to a task's frame, from where it is planned.
    private func begin(_ task: DecodeTask) throws(ScrubError) {
        guard let frame = task.frame, let hint = task.hint else { return }
        let plan = task.plan
        task.state = .unplanned
        try planner.checkOrder(of: plan)
        if let kept = cache.withLock({ $0[plan.target] }) {
            task.state = .kept(kept)
        } else if let claim = planner.unprovenRestarts(of: plan).first {
            makeRoom()
            if prover?.restart != claim {
                prover = RestartProver(claim, planner: planner, allocator: pool.allocator)
            }
            if let prover { task.state = .proving(prover) }
        } else if troubled.contains(plan.restart) {
            beginCarefully(task)
        } else {
            leavePrefetch()
            let isRetreat = hint.motion == .backward && hint.isSteady
            let window = isRetreat ? prefetcher.window(before: frame, plan, hint, surroundings) : []
            let best = policy.work(for: plan, hint, window: window, isBehind: wasLeft) {
                pool.canGoOn($0.plan, targets: $0.targets)
            }
            try planner.file.checkInterruption()
            let (decoder, feeds) = try take(best)
            task.begin(best, decoder: decoder, feeds: feeds)
        }
    }

    /// Whether a task should be left for another frame that a moving finger asks for.
    ///
    /// Not when the finger jitters about the task's frame and the only decoder would lose its place for it: between two
    /// such frames nothing but what comes first would ever come out, and that is there already.
    package func isWorthLeaving(_ task: DecodeTask, for number: Int) -> Bool {
        guard case .fast = task.state, let frame = task.frame, let fed = task.decoder?.fed, pool.isSingle,
            let hint = prefetcher.movement?.hint, policy.isJitter(from: frame, to: number, hint)
        else { return true }
        let plan =
            planner.file.isRemote
            ? planner.guess(forPicture: Int(index.frames[number])) : planner.plan(forFrame: number)
        if plan.restart == fed.restart { return fed.position < plan.target || fed.pending.contains(plan.target) }
        return cache.withLock { $0[plan.restart] == nil }
    }

    func take(_ work: DecodeTask.Work) throws(ScrubError) -> (OpenDecoder, [Feed]) {
        pool.learn(from: &reader)
        return try pool.take(for: work.plan, targets: work.targets)
    }

    /// Closes the decoders beyond the first when others need their memory.
    package func giveSpareMemory() {
        guard pool.spare?.isWanted == true else { return }
        leavePrefetch()
        pool.clear()
    }

    /// Lets go of what stands in the way of a decoder beside the pool's, where memory is for those alone.
    private func makeRoom() {
        guard isBudgeted else { return }
        leavePrefetch()
        pool.clear()
    }

    private func beginCarefully(_ task: DecodeTask) {
        makeRoom()
        task.begin(CarefulDecoder([task.plan], planner: planner, allocator: pool.allocator))
    }

    /// Brings a task on by about one packet.
    ///
    /// - Throws: `inputOutput` when reading fails; the task is over then.
    package func step(_ task: DecodeTask) throws(ScrubError) -> Step {
        isHeldUp = false
        let watch = task.watch ?? RequestWatch(planner.file)
        task.watch = watch
        do throws(ScrubError) {
            return try watch.step { () throws(ScrubError) in try stepOnce(task) }
        } catch {
            // Nothing of it is lost: it goes on with the same read, unless it is left.
            if planner.file.isInterrupted {
                isHeldUp = true
                return .more
            }
            leave(task)
            throw error
        }
    }

    private func stepOnce(_ task: DecodeTask) throws(ScrubError) -> Step {
        switch task.state {
        case .unplanned:
            try plan(task)
            return .more
        case .kept(let picture): return finish(task, picture)
        case .fast: return try stepFast(task)
        case .careful(let careful): return try step(task, careful)
        case .proving(let prover): return try step(task, prover)
        case .starved: return .starved
        case .finished, .left: preconditionFailure("a task that is over has no steps")
        }
    }

    /// Takes down that a decoder was brought on by a packet.
    func noteWork(of decoder: OpenDecoder) {
        guard decoder.position >= 0 else { return }
        prefetcher.pace.work(pool.cost(ofPicture: decoder.position))
    }

    private func finish(_ task: DecodeTask, _ picture: JudgedPicture) -> Step {
        let decoded = task.decoded
        task.state = .finished
        wasLeft = false
        return .answer(
            Answer(
                picture: task.plan.target, frame: picture.frame, verdict: planner.rated(picture.verdict, task.plan),
                decoded: decoded, plan: task.plan))
    }

    private func stepFast(_ task: DecodeTask) throws(ScrubError) -> Step {
        guard let decoder = task.decoder, let hint = task.hint else { preconditionFailure("a request has a decoder") }
        if task.isFed, decoder.restart != nil, !task.isOnwardDecided {
            let isWorthKeeping = policy.isWorthKeeping(decoder, after: task.plan, hint)
            let onward = isWorthKeeping ? policy.feedsOnward(of: decoder, task.plan, hint) : []
            try planner.file.checkInterruption()
            task.feedOnward(onward)
        }
        let hasEnded = decoder.restart == nil
        noteWork(of: decoder)
        var found: JudgedPicture?
        for picture in try task.stepFast(reader: &reader) where planner.isPromised(picture.number, by: task) {
            let judged = JudgedPicture(frame: picture.frame, verdict: .exact)
            if picture.number == task.plan.target { found = judged }
            keep(judged, of: picture.number, usesAllocator: decoder.usesAllocator)
        }
        if decoder.findings.isStarved { return try starve(task) }
        if let found, decoder.isClean {
            planner.noteSound(task.work)
            let step = finish(task, found)
            // What is left of the work, other frames of a window, is done while nobody waits.
            if task.isOver { _ = task.takeDecoder().map { pool.put($0) } } else { prefetchOn(task) }
            return step
        }
        guard decoder.isClean, !hasEnded else {
            // The fast way met trouble: its decoder is let go, and the careful way has the word.
            troubled.insert(task.plan.restart)
            beginCarefully(task)
            return .more
        }
        return .more
    }

    /// A task whose frame was answered goes on for those that were not asked for.
    private func prefetchOn(_ task: DecodeTask) {
        (task.frame, task.state, task.watch) = (nil, .fast, nil)
        prefetcher.task = task
    }

    private func step(_ task: DecodeTask, _ careful: CarefulDecoder) throws(ScrubError) -> Step {
        var found: JudgedPicture?
        for (number, picture) in try careful.step(reader: &reader) {
            if number == task.plan.target { found = picture }
            keep(picture, of: number, usesAllocator: careful.usesAllocator)
        }
        if let found { return finish(task, found) }
        if careful.isStarved { return try starve(task) }
        precondition(!careful.isOver, "every wanted picture is answered")
        return .more
    }

    private func step(_ task: DecodeTask, _ prover: RestartProver) throws(ScrubError) -> Step {
        let isDecided = try prover.step(reader: &reader)
        if prover.isStarved { return try starve(task) }
        if isDecided {
            planner.record(prover)
            self.prover = nil
            task.endProof()
            // A claim that does not hold is no restart any more.
            if let frame = task.frame { task.plan = planner.plan(forFrame: frame) }
            try begin(task)
        }
        return .more
    }

    private func starve(_ task: DecodeTask) throws(ScrubError) -> Step {
        _ = task.takeDecoder()
        makeRoom()
        // A stream that holds more than its parameter sets say finds room with one decoder and one thread where it did
        // not with several.
        if isBudgeted, pool.settings.limit > 1 || pool.settings.threadCount > 1 {
            if pool.settings.limit > 1 { pool.settings.limit = 1 } else { pool.settings.threadCount = 1 }
            try begin(task)
            return .more
        }
        task.state = .starved
        return .starved
    }

    /// Leaves a task that nobody waits for any more; its decoder stays where it stands.
    package func leave(_ task: DecodeTask) {
        if let decoder = task.takeDecoder(), decoder.isClean { pool.put(decoder) }
        task.state = .left
        wasLeft = true
    }
}
