internal import ScrubBitstream
internal import ScrubFileIO
package import ScrubBase
package import ScrubIndex

/// The cost of exact frames of a film, over all frames or over some.
///
/// Use from one thread at a time; it reads the headers of the pictures that it looks at.
package struct CostSurvey {
    private let planner: SeekPlanner
    private let index: FrameIndex

    package init(_ planner: SeekPlanner) {
        self.planner = planner
        index = planner.index
    }

    /// The pictures of films so short that all of their frames are counted at once.
    package static let fewPictures = 1024
    /// Whether counting all frames takes no look at any header, and a step for each. The codec's references are not
    /// known then, so no picture can be left out.
    package var isDirect: Bool { index.facts.codec == .other }
    /// The most pictures whose headers a sample reads.
    private static let sampledPictures = 1800
    /// Groups with more pictures than this are not sampled: the cost of their frames grows with the square of that.
    private static let longestGroup = 1024
    /// Fewer groups than these are not a sample.
    private static let fewestGroups = 4

    /// Counts all frames. Takes time in proportion to the film, and to the square of its groups' length where pictures
    /// can be left out.
    ///
    /// - Throws: ``ScrubError/cancelled`` when the work on this thread is cancelled.
    package func all(progress: ((Double) -> Void)? = nil) throws(ScrubError) -> CostSummary {
        var tally = Tally()
        for frame in 0..<index.frameCount {
            try Cancellation.check()
            tally.add(planner.cost(ofFrame: frame), frame)
            if let progress, frame % 256 == 0 { progress(Double(frame) / Double(index.frameCount)) }
        }
        progress?(1)
        return finished(tally, .all)
    }

    /// Counts the frames of whole groups that lie all over the film, in a time that doesn't grow with it.
    ///
    /// - Returns: nil when the groups are too long for that, or when keyframes turn out to be none.
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
                // A distant restart: it is unknown how much is to be read before the first true one.
                let plan = planner.plan(forFrame: frame)
                guard plan.feed <= 2 * CostSurvey.longestGroup else { return nil }
                tally.add(planner.cost(plan), frame)
            }
            pictures += length
            groups += 1
        }
        return groups >= CostSurvey.fewestGroups && tally.count > 0 ? finished(tally, .sample) : nil
    }

    /// Counts all pictures from each frame's keyframe to the frame, as the container calls them keyframes: no header is
    /// read.
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
