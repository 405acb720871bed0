internal import ScrubFileIO
package import ScrubBase
internal import ScrubIndex

// Passes over a group of pictures that bring all of its frames, for a movement that finds none of them.
extension FrameEngine {
    /// Returns the frames around one that are decoded from the same restart, without a gap in display order.
    ///
    /// - Parameter limit: the most frames on each side.
    package func group(around frame: Int, limit: Int) -> Range<Int> {
        let restart = planner.plan(forFrame: frame).restart
        var (low, high) = (frame, frame + 1)
        while low > max(0, frame - limit), planner.plan(forFrame: low - 1).restart == restart { low -= 1 }
        while high < min(index.frameCount, frame + limit), planner.plan(forFrame: high).restart == restart {
            high += 1
        }
        return low..<high
    }

    /// Begins a pass over frames for which no caller waits; nothing is decoded yet.
    package func startPass(of frames: [Int]) -> FramePass {
        leavePrefetch()
        return FramePass(planner.groups(frames), planner, batchOptions, isWaitedFor: false)
    }

    /// Begins a pass over frames of one group for a movement.
    ///
    /// - Parameters:
    ///   - frames: frames that are decoded from one restart, at least one; so for `later`.
    ///   - later: those of them that a decoder which is within the group may go on with.
    /// - Returns: `nil` if they would not be exact without a proof or a second look: asked for alone, each gets them.
    /// - Throws: if a decoder cannot be opened.
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

    /// Brings a pass on by about one packet.
    ///
    /// - Returns: the frames that came out; of a pass for a movement also exact ones on the way.
    /// - Throws: `inputOutput` when reading fails, `unavailable` if there is no memory for a picture; the pass is over
    ///   then.
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

    /// Whether a frame comes sooner if it is asked for alone, without what it does not depend on, than the pass brings
    /// it.
    package func isSooner(alone frame: Int, than pass: FramePass) -> Bool {
        guard let run = pass.run else { return false }
        // Asked between any two packets of a pass.
        let known = pass.alone.flatMap { $0.frame == frame ? $0.plan : nil }
        let alone = known ?? planner.feedPlan(forFrame: frame)
        pass.alone = (frame, alone)
        return alone.fed < run.unitsLeft(through: alone.plan.last)
    }

    /// Leaves a pass; its decoder stays where it stands.
    package func leave(_ pass: FramePass) { pass.leave(&resources) }
}
