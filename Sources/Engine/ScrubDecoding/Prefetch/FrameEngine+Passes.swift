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

    /// Begins to decode frames of one group in one pass.
    ///
    /// - Parameters:
    ///   - frames: frames that are decoded from one restart, at least one; so for `later`.
    ///   - later: those of them that a decoder which is within the group may go on with.
    /// - Returns: `nil` if they would not be exact without a proof or a second look: asked for alone, each gets them.
    /// - Throws: if a decoder cannot be opened.
    package func startPass(of frames: [Int], orOf later: [Int]) throws(ScrubError) -> GroupRun? {
        leavePrefetch()
        let whole = passWork(frames)
        let plan = whole.plan.plan
        try resources.checkGroup(of: plan)
        guard surroundings.isSound(plan) else { return nil }
        let shorter = passWork(later)
        let goesOn = resources.pool.canGoOn(shorter.plan, targets: shorter.targets)
        return try GroupRun(goesOn ? shorter : whole, &resources)
    }

    private func passWork(_ frames: [Int]) -> GroupRun.Work {
        let plan = GroupResources.last(of: frames.map { planner.plan(forFrame: $0) })
        let targets = frames.map { Int(index.frames[$0]) }
        return GroupRun.Work(plan: planner.feedPlan(plan, targets: targets), targets: targets, isDrained: true)
    }

    /// Brings a pass on by about one packet.
    ///
    /// - Returns: the exact pictures that came out, and whether there is more to come.
    /// - Throws: `inputOutput` when reading fails; the pass is over then.
    package func step(
        pass run: GroupRun
    ) throws(ScrubError) -> (pictures: [JudgedPicture], hasMore: Bool) {
        let shown: [JudgedPicture]
        do throws(ScrubError) {
            shown = keep(try step(run), of: run)
        } catch {
            leave(pass: run)
            throw error
        }
        return (shown, run.end == nil)
    }

    /// Leaves a pass; its decoder stays where it stands.
    package func leave(pass run: GroupRun) {
        if run.end == nil { run.leave(&resources) }
    }
}
