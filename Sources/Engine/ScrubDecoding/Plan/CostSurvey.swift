internal import ScrubBitstream
internal import ScrubFileIO
package import ScrubBase
package import ScrubIndex

/// A survey of the cost of exact frames in a video, over all or some frames.
///
/// Use from one thread at a time. It reads the headers of the examined pictures.
package struct CostSurvey {
    private let planner: SeekPlanner
    private let index: FrameIndex

    package init(_ planner: SeekPlanner) {
        self.planner = planner
        index = planner.index
    }

    /// The maximum number of pictures in a video for counting all frames at once.
    package static let fewPictures = 1024
    /// Whether counting all frames requires no headers and only one step per frame. The codec's references are then
    /// unknown, so no picture can be skipped.
    package var isDirect: Bool { index.facts.codec == .other }
    /// The maximum number of pictures whose headers a sample reads.
    private static let sampledPictures = 1800
    /// The maximum number of pictures in a sampled group: the cost of its frames grows with the square of this number.
    private static let longestGroup = 1024
    /// The minimum number of groups in a sample.
    private static let fewestGroups = 4

    /// Counts all frames. The time is in proportion to the length of the video and, if pictures can be skipped, to the
    /// square of the length of its groups.
    ///
    /// - Throws: ``ScrubError/cancelled`` if the work on this thread is cancelled.
    package func all(progress: (WorkProgress) -> Void = { _ in }) throws(ScrubError) -> CostSummary {
        var tally = Tally()
        for frame in 0..<index.frameCount {
            try Cancellation.check()
            tally.add(planner.cost(ofFrame: frame), frame)
            if frame % 256 == 0 { progress(WorkProgress(frame, of: index.frameCount, .frames)) }
        }
        progress(WorkProgress(index.frameCount, of: index.frameCount, .frames))
        return finished(tally, .all)
    }

    /// Counts the frames of whole groups throughout the video, in a time that does not depend on its length.
    ///
    /// - Returns: `nil` if the groups are too long for this, or if keyframes turn out to be false.
    package func sample() -> CostSummary? {
        let starts = index.restarts.map { Int($0) }
        guard starts.count >= CostSurvey.fewestGroups else { return nil }
        var tally = Tally()
        var (pictures, groups) = (0, 0)
        for group in BitReversal.order(starts.count) {
            let end = group + 1 < starts.count ? starts[group + 1] : index.pictures.count
            let length = end - starts[group]
            guard length <= CostSurvey.longestGroup else { return nil }
            if pictures + length > CostSurvey.sampledPictures { break }
            for picture in starts[group]..<end {
                guard let frame = index.frame(ofPicture: picture) else { continue }
                // The restart is far away, and it is unknown how much must be read before the first genuine one.
                let plan = planner.plan(forFrame: frame)
                guard plan.feed <= 2 * CostSurvey.longestGroup else { return nil }
                tally.add(planner.cost(plan), frame)
            }
            pictures += length
            groups += 1
        }
        return groups >= CostSurvey.fewestGroups && tally.count > 0 ? finished(tally, .sample) : nil
    }

    /// Counts all pictures from each frame's keyframe to the frame, according to the container, without reading
    /// headers.
    package func distances() -> CostSummary {
        let rules = DecodePlanner(index)
        var rejected = RejectedRestarts()
        var tally = Tally()
        for frame in 0..<index.frameCount {
            let plan = rules.plan(forPicture: Int(index.frames[frame]), rejected: &rejected) { restart in
                let flags = index.pictures.flags[restart]
                if planner.proofs.isRefuted(restart) { return (.none, 0) }
                return (flags.contains(.verified) ? flags.randomAccess : .open, 0)
            }
            tally.add((plan.feed, 0, plan.restart), frame)
        }
        return finished(tally, .distance)
    }

    private func finished(_ tally: Tally, _ basis: CostSummary.Basis) -> CostSummary {
        var cost = tally.cost
        cost.basis = basis
        (cost.frameCount, cost.restartCount) = (tally.count, tally.restarts.count)
        cost.proofCount = planner.proofs.all.count
        cost.restartKinds = planner.restartSummary(readsHeaders: basis == .all).counts
        return cost
    }
}

private struct Tally {
    var cost = CostSummary()
    var count = 0
    var restarts: Set<Int> = []

    mutating func add(_ cost: (fed: Int, skipped: Int, restart: Int), _ frame: Int) {
        if cost.fed > self.cost.most { (self.cost.most, self.cost.worstFrame) = (cost.fed, frame) }
        self.cost.fed += Int64(cost.fed)
        self.cost.skipped += Int64(cost.skipped)
        restarts.insert(cost.restart)
        count += 1
    }
}
