internal import ScrubFileIO
package import ScrubBase
internal import ScrubIndex

// Passes over a group of pictures that deliver all of its frames, for a movement when none of them are available.
extension FrameEngine {
    /// Returns the frames around one that are decoded from the same restart, without a gap in display order.
    ///
    /// - Parameter limit: the maximum number of frames on each side.
    package func group(around frame: Int, limit: Int) -> Range<Int> {
        let restart = planner.plan(forFrame: frame).restart
        var (low, high) = (frame, frame + 1)
        while low > max(0, frame - limit), planner.plan(forFrame: low - 1).restart == restart { low -= 1 }
        while high < min(index.frameCount, frame + limit), planner.plan(forFrame: high).restart == restart {
            high += 1
        }
        return low..<high
    }

    /// Begins a pass over frames for which no caller is waiting, without decoding yet.
    package func startPass(of frames: [Int]) -> FramePass {
        leavePrefetch()
        return FramePass(planner.groups(frames), planner, batchOptions, isWaitedFor: false)
    }

    /// Begins a pass over frames of one group for a movement.
    ///
    /// - Parameters:
    ///   - frames: frames that are decoded from one restart, at least one; the same applies to `later`.
    ///   - later: those of them with which a decoder within the group may continue.
    /// - Returns: the pass; `nil` if the frames would not be exact without a proof or a second opinion. Individual
    ///   requests get these.
    /// - Throws: an error if a decoder cannot be opened.
    package func startPass(of frames: [Int], orOf later: [Int]) throws(ScrubError) -> FramePass? {
        leavePrefetch()
        let whole = passWork(frames)
        let plan = whole.plan.plan
        try resources.checkGroup(of: plan)
        guard surroundings.isSound(plan) else { return nil }
        let shorter = passWork(later)
        let goesOn = resources.pool.canGoOn(shorter.plan, targets: shorter.targets)
        return FramePass(ahead: try GroupRun(goesOn ? shorter : whole, &resources), planner)
    }

    private func passWork(_ frames: [Int]) -> GroupRun.Work {
        let plan = GroupResources.last(of: frames.map { planner.plan(forFrame: $0) })
        let targets = frames.map { Int(index.frames[$0]) }
        return GroupRun.Work(plan: planner.feedPlan(plan, targets: targets), targets: targets, isDrained: true)
    }

    /// Advances a pass by about one packet.
    ///
    /// - Returns: the frames that were output; for a movement's pass, also exact frames along the way.
    /// - Throws: `inputOutput` if reading fails, `unavailable` if there is no memory for a picture; the pass then ends.
    package func step(_ pass: FramePass) throws(ScrubError) -> [(number: Int, answer: Answer)] {
        let (ahead, before) = (pass.ahead, pass.decoded)
        if let run = pass.run, !run.hasPicturesReady { noteWork(of: run) }
        defer { decodedCount += pass.decoded - before }
        do throws(ScrubError) {
            let outcome = try pass.step(&resources)
            if let ahead { _ = keep(outcome.pictures, of: ahead) }
            return outcome.answers
        } catch {
            leave(pass)
            throw error
        }
    }

    /// Returns whether a frame is available sooner if it is requested alone, without the pictures on which it does not
    /// depend, than through the pass.
    package func isSooner(alone frame: Int, than pass: FramePass) -> Bool {
        guard let run = pass.run else { return false }
        // Called between any two packets of a pass.
        let known = pass.alone.flatMap { $0.frame == frame ? $0.plan : nil }
        let alone = known ?? planner.feedPlan(forFrame: frame)
        pass.alone = (frame, alone)
        return alone.fed < run.unitsLeft(through: alone.plan.last)
    }

    /// Abandons a pass. Its decoder keeps its position.
    package func leave(_ pass: FramePass) { pass.leave(&resources) }
}
