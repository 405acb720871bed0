internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// The stages of a request up to its answer.
extension FrameEngine {
    /// Begins a request for a frame, without decoding yet.
    ///
    /// - Parameters:
    ///   - isNoted: whether ``note(frame:)`` was called for the request.
    ///   - isAlone: whether to decode nothing else for a backward movement, which would delay it.
    /// - Throws: an error if a decoder cannot be opened.
    package func start(
        frame number: Int, isNoted: Bool = false, isAlone: Bool = false
    ) throws(ScrubError) -> SeekRequest {
        isHeldUp = false
        let noted = isNoted && prefetcher.movement?.frame == number ? nil : note(frame: number)
        // For remote bytes, it is a guess.
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

    /// Begins a request for a frame that is shown on the way to another one, without noting it.
    package func start(onTheWay number: Int) throws(ScrubError) -> SeekRequest {
        isHeldUp = false
        let plan = planner.plan(forFrame: number)
        // An independent picture is output at once, so the decoder's position is worth nothing.
        return SeekRequest(
            number, plan, prefetcher.movement?.hint ?? .first, isOnwardDecided: plan.restart == plan.target)
    }

    /// Plans a request again, because reads were abandoned when it was planned, or because a restart turned out to be
    /// false.
    private func beginAnew(_ request: SeekRequest) throws(ScrubError) {
        (request.plan, request.state) = (planner.plan(forFrame: request.frame), .unplanned)
        try Cancellation.check()
        try begin(request)
    }

    /// Chooses the decoding path for a request's frame, based on its plan.
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

    /// Returns whether to abandon a request for another frame that a moving finger requests.
    ///
    /// It is not abandoned if the finger jitters around the request's frame and the only decoder would lose its
    /// position. Otherwise, only the first picture of the group would ever be output, and that is already available.
    package func isWorthLeaving(_ request: SeekRequest, for number: Int) -> Bool {
        guard let fed = request.run?.decoder?.fed, resources.pool.isSingle,
            let hint = prefetcher.movement?.hint, policy.isJitter(from: request.frame, to: number, hint)
        else { return true }
        let plan = planner.promptPlan(forFrame: number)
        if plan.restart == fed.restart { return fed.position < plan.target || fed.pending.contains(plan.target) }
        return !isKept(plan.restart)
    }

    /// Closes the decoders beyond the first if others need their memory.
    package func giveSpareMemory() {
        guard resources.pool.spare?.isWanted == true else { return }
        leavePrefetch()
        resources.pool.clear()
    }

    /// Advances a request by about one packet.
    ///
    /// - Throws: `inputOutput` if reading fails; the request then ends.
    package func step(_ request: SeekRequest) throws(ScrubError) -> Step {
        isHeldUp = false
        do throws(ScrubError) {
            return try request.timed(planner.file) { () throws(ScrubError) in try stepOnce(request) }
        } catch {
            // Nothing is lost: it resumes with the same read, unless it is abandoned.
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
        case .over: preconditionFailure("a finished request has no steps")
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
            // The rest of the work, other frames of a window, is done while no caller is waiting.
            if run.end == nil { prefetcher.run = run }
            return Step(outcome: answer, pictures: shown)
        }
        switch run.end {
        case nil: return Step(outcome: .more, pictures: shown)
        case .starved: return Step(outcome: try starve(request), pictures: shown)
        case .decided:
            // A false claim is no longer a restart.
            try beginAnew(request)
            return Step(outcome: .more, pictures: shown)
        case .complete, .troubled, .left: preconditionFailure("a run ends once its requests are answered")
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

    /// Records for the movement's pace that a decoder advanced by a packet.
    func noteWork(of run: GroupRun) {
        guard let decoder = run.decoder, decoder.position >= 0 else { return }
        prefetcher.pace.work(resources.pool.cost(ofPicture: decoder.position))
    }

    private func starve(_ request: SeekRequest) throws(ScrubError) -> Step.Outcome {
        leavePrefetch()
        resources.makeRoom()
        // A stream that needs more than its parameter sets declare fits with one decoder and one thread where it did
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

    /// Abandons a request whose picture is no longer needed. Its decoder keeps its position.
    package func leave(_ request: SeekRequest) {
        request.run?.leave(&resources)
        request.state = .over
        wasLeft = true
    }
}
