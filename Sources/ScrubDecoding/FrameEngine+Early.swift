internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

// What is decoded of a file that is far away before all bytes of a plan are there.
extension FrameEngine {
    /// Feeds a decoder the beginning of a task's group while the rest is on its way.
    ///
    /// Which pictures a frame takes is known once the last header before it is there, and by then the decoder could have done a part
    /// of the work. So a picture near the beginning is planned and decoded first, as if it were asked for; the decoder is put
    /// back where it stands, and goes on from there if the frame's own plan has all that it was fed. Of H.264 that is nearly
    /// always so: each picture that others are predicted from is fed. Of other codecs less is, and nothing is begun.
    ///
    /// - Throws: when reading fails or is left; what was fed stays fed.
    func beginEarly(_ task: DecodeTask) throws(ScrubError) {
        let plan = task.plan
        guard planner.file.isRemote, !options.expectsMovement, !isBudgeted, !troubled.contains(plan.restart),
            let early = firstStage(of: plan), !planner.graph.knows(from: plan.restart, through: plan.last),
            planner.unprovenRestarts(of: plan).isEmpty, cache.withLock({ $0[plan.target] == nil && $0[early] == nil })
        else { return }
        let first = planner.plan(forPicture: early)
        try planner.file.checkInterruption()
        guard first.restart == plan.restart else { return }
        try planner.checkOrder(of: first)
        let feeds = planner.feedPlan(first, targets: [early])
        try planner.file.checkInterruption()
        guard feeds.isProven, !pool.canGoOn(feeds, targets: [early]) else { return }
        leavePrefetch()
        let (decoder, rest) = try take(DecodeTask.Work(plan: feeds, targets: [early], isDrained: false))
        decoder.learn(feeds.table)
        let before = decoder.findings.fed
        defer {
            task.noteEarly(decoder.findings.fed - before)
            // Trouble is for the task itself to meet, with a decoder of its own.
            if decoder.isClean, !decoder.findings.isStarved { pool.put(decoder) }
        }
        for feed in rest {
            try decoder.feed(feed, reader: &reader)
            while let picture = decoder.next() {
                guard decoder.isClean else { continue }
                keep(
                    JudgedPicture(frame: picture.frame, verdict: .exact), of: picture.number,
                    usesAllocator: decoder.usesAllocator)
            }
            guard decoder.isClean, !decoder.findings.isStarved else { return }
        }
    }

    /// The last picture within the first quarter of a plan's bytes that others seem to be predicted from; `nil` where it is not
    /// worth it.
    private func firstStage(of plan: DecodePlan) -> Int? {
        guard index.facts.codec == .h264, index.facts.route == .direct, case .restart(.instantaneous) = plan.start,
            plan.target - plan.restart >= FrameEngine.leastEarlyGroup,
            let start = planner.forecast.range(of: plan.restart), let end = planner.forecast.range(of: plan.target),
            end.upperBound > start.lowerBound
        else { return nil }
        let quarter = start.lowerBound + (end.upperBound - start.lowerBound) / 4
        let leaves = planner.forecast.leaves(in: plan.restart...plan.target)
        return (plan.restart + 3..<plan.target).last { picture in
            guard !leaves.contains(picture), let range = planner.forecast.range(of: picture) else { return false }
            return range.lowerBound >= start.lowerBound && range.upperBound <= quarter
        }
    }

    /// Pictures from the restart on to a target: fewer are decoded as soon as they are there.
    private static let leastEarlyGroup = 16
}
