internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// The way of a request to its answer, step by step.
extension FrameEngine {
    /// Begins to look for a frame; nothing is decoded yet.
    ///
    /// - Parameters:
    ///   - isNoted: whether ``note(frame:)`` was called for the request.
    ///   - isAlone: whether nothing is decoded with it for a movement back, which would make it later.
    /// - Throws: if a decoder cannot be opened.
    package func start(
        frame number: Int, isNoted: Bool = false, isAlone: Bool = false
    ) throws(ScrubError) -> SeekRequest {
        isHeldUp = false
        let noted = isNoted && prefetcher.movement?.frame == number ? nil : note(frame: number)
        // That of distant bytes is a guess.
        let plan = (planner.file.isRemote ? nil : noted) ?? planner.plan(forFrame: number)
        let request = SeekRequest(number, plan, prefetcher.movement?.hint ?? .first, isAlone: isAlone)
        if !isKept(plan.target), !Cancellation.isCurrentCancelled, let run = prefetcher.adopt(plan.target) {
            run.ask(plan)
            request.state = .running(run)
            return request
        }
        do throws(ScrubError) {
            try Cancellation.check()
            try begin(request)
        } catch {
            guard Cancellation.isCurrentCancelled else { throw error }
            // It is planned with its first step.
            isHeldUp = true
        }
        return request
    }

    /// Begins to look for a frame that is shown on the way to another one; nothing is noted of it.
    package func start(onTheWay number: Int) throws(ScrubError) -> SeekRequest {
        isHeldUp = false
        let plan = planner.plan(forFrame: number)
        // A picture that stands alone comes out at once; the decoder's place is worth nothing.
        return SeekRequest(
            number, plan, prefetcher.movement?.hint ?? .first, isOnwardDecided: plan.restart == plan.target)
    }

    /// Plans a request again, because reads were left when it was planned, or because a restart turned out to be none.
    private func beginAnew(_ request: SeekRequest) throws(ScrubError) {
        (request.plan, request.state) = (planner.plan(forFrame: request.frame), .unplanned)
        try Cancellation.check()
        try begin(request)
    }

    /// Chooses the way to a request's frame, from where it is planned.
    private func begin(_ request: SeekRequest) throws(ScrubError) {
        let plan = request.plan
        try resources.checkGroup(of: plan)
        if let kept = cache.withLock({ $0[plan.target] }) {
            request.state = .kept(kept)
            return
        }
        leavePrefetch()
        let isBack = request.hint.motion == .backward && request.hint.isSteady
        let around = isBack && !request.isAlone ? surroundings : nil
        let runOptions = GroupRun.Options(
            hasSecondOpinions: options.hasSecondOpinions,
            comesOneByOne: request.hint.motion != .backward && hasTightCache)
        let run = try resources.run([plan], runOptions) { (pool) throws(ScrubError) in
            let window = around.map { prefetcher.window(before: request.frame, plan, request.hint, $0) } ?? []
            let best = policy.work(for: plan, request.hint, window: window, isBehind: wasLeft) {
                pool.canGoOn($0.plan, targets: $0.targets)
            }
            try Cancellation.check()
            return best
        }
        request.state = .running(run)
    }

    /// Whether a request should be left for another frame that a moving finger asks for.
    ///
    /// Not if the finger jitters about the request's frame and the only decoder would lose its place for it. Between
    /// two such frames only the first picture of the group would ever come out, and that is already there.
    package func isWorthLeaving(_ request: SeekRequest, for number: Int) -> Bool {
        guard let fed = request.run?.decoder?.fed, resources.pool.isSingle,
            let hint = prefetcher.movement?.hint, policy.isJitter(from: request.frame, to: number, hint)
        else { return true }
        let plan = planner.promptPlan(forFrame: number)
        if plan.restart == fed.restart { return fed.position < plan.target || fed.pending.contains(plan.target) }
        return !isKept(plan.restart)
    }

    /// Closes the decoders beyond the first when others need their memory.
    package func giveSpareMemory() {
        guard resources.pool.spare?.isWanted == true else { return }
        leavePrefetch()
        resources.pool.clear()
    }

    /// Brings a request on by about one packet.
    ///
    /// - Throws: `inputOutput` when reading fails; the request is over then.
    package func step(_ request: SeekRequest) throws(ScrubError) -> Step {
        isHeldUp = false
        do throws(ScrubError) {
            return try request.timed(planner.file) { () throws(ScrubError) in try stepOnce(request) }
        } catch {
            // Nothing of it is lost: it goes on with the same read, unless it is left.
            if Cancellation.isCurrentCancelled {
                isHeldUp = true
                return Step(outcome: .more)
            }
            leave(request)
            throw error
        }
    }

    private func stepOnce(_ request: SeekRequest) throws(ScrubError) -> Step {
        switch request.state {
        case .unplanned:
            try beginAnew(request)
            return Step(outcome: .more)
        case .kept(let picture): return Step(outcome: finish(request, picture))
        case .running(let run): return try advance(request, run)
        case .over: preconditionFailure("a request that is over has no steps")
        }
    }

    private func advance(_ request: SeekRequest, _ run: GroupRun) throws(ScrubError) -> Step {
        if run.isFed, !request.isOnwardDecided, let decoder = run.decoder, decoder.restart != nil {
            let isWorthKeeping = policy.isWorthKeeping(
                decoder, after: request.plan, request.hint, hasTightCache: hasTightCache)
            let onward = isWorthKeeping ? policy.feedsOnward(of: decoder, request.plan, request.hint) : []
            try Cancellation.check()
            request.isOnwardDecided = true
            run.feedOnward(onward)
        }
        let pictures = try step(run)
        let shown = keep(pictures, of: run)
        if let found = pictures.first(where: { $0.number == request.plan.target }) {
            let answer = finish(request, found)
            // The rest of the work, other frames of a window, is done while no caller waits.
            if run.end == nil { prefetcher.run = run }
            return Step(outcome: answer, pictures: shown)
        }
        switch run.end {
        case nil: return Step(outcome: .more, pictures: shown)
        case .starved: return Step(outcome: try starve(request), pictures: shown)
        case .decided:
            // A claim that does not hold is no longer a restart.
            try beginAnew(request)
            return Step(outcome: .more, pictures: shown)
        case .complete, .troubled, .left: preconditionFailure("a run ends with what is asked of it")
        }
    }

    func step(_ run: GroupRun) throws(ScrubError) -> [JudgedPicture] {
        if !run.hasPicturesReady { noteWork(of: run) }
        let before = run.decoded
        defer { decodedCount += run.decoded - before }
        return try run.step(&resources)
    }

    private func finish(_ request: SeekRequest, _ picture: JudgedPicture) -> Step.Outcome {
        request.state = .over
        wasLeft = false
        return .answer(Answer(judged: picture, decoded: request.decoded, plan: request.plan))
    }

    /// Notes for the movement's pace that a decoder is brought on by a packet.
    func noteWork(of run: GroupRun) {
        guard let decoder = run.decoder, decoder.position >= 0 else { return }
        prefetcher.pace.work(resources.pool.cost(ofPicture: decoder.position))
    }

    private func starve(_ request: SeekRequest) throws(ScrubError) -> Step.Outcome {
        leavePrefetch()
        resources.makeRoom()
        // A stream that holds more than its parameter sets say finds room with one decoder and one thread where it did
        // not with several.
        let settings = resources.pool.settings
        if resources.isTight, settings.limit > 1 || settings.threadCount > 1 {
            if settings.limit > 1 { resources.pool.settings.limit = 1 } else { resources.pool.settings.threadCount = 1 }
            try begin(request)
            return .more
        }
        request.state = .over
        return .starved
    }

    /// Leaves a request whose picture is no longer waited for; its decoder stays where it stands.
    package func leave(_ request: SeekRequest) {
        request.run?.leave(&resources)
        request.state = .over
        wasLeft = true
    }
}
