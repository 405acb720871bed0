internal import ScrubBitstream
internal import ScrubIndex

/// The numbers of a video's restarts, by kind of proof.
package struct RestartSummary: Sendable, Hashable {
    /// Proven by their own picture header, or because each picture of the codec is independent.
    package var byHeader = 0
    /// Proven by comparing the pictures after them with those of the run from the previous restart.
    package var byComparison = 0
    /// Claimed, and found to be false.
    package var refuted = 0
    /// Claimed, and not compared yet.
    package var unproven = 0
    /// Claimed by the container, with headers not read yet.
    package var unread = 0

    package init() {}

    /// The numbers in a fixed order, for saving.
    var counts: [Int] { [byHeader, byComparison, refuted, unproven, unread] }

    /// Creates a summary.
    ///
    /// - Parameter counts: the numbers as in ``CostSummary/restartKinds``. If they do not match these kinds, all are 0.
    package init(counts: [Int]) {
        guard counts.count == 5 else { return }
        (byHeader, byComparison, refuted, unproven, unread) = (counts[0], counts[1], counts[2], counts[3], counts[4])
    }
}

extension SeekPlanner {
    /// Returns the known facts about the video's restarts.
    ///
    /// - Parameter readsHeaders: whether to read the headers of keyframes about which only the container's claim is
    ///   known: one read for each.
    package func restartSummary(readsHeaders: Bool) -> RestartSummary {
        var summary = RestartSummary()
        let refuted = proofs.all
        for restart in index.restarts.map(Int.init) {
            if refuted[restart] == false {
                summary.refuted += 1
                continue
            }
            guard let access = knownAccess(of: restart, readsHeaders: readsHeaders) else {
                summary.unread += 1
                continue
            }
            let plan = DecodePlan(target: restart, restart: restart, start: .restart(access), last: restart)
            if !isClaimed(plan) {
                if access == .none { summary.refuted += 1 } else { summary.byHeader += 1 }
            } else if refuted[restart] == true {
                summary.byComparison += 1
            } else {
                summary.unproven += 1
            }
        }
        return summary
    }

    private func knownAccess(of restart: Int, readsHeaders: Bool) -> RandomAccess? {
        guard readsHeaders || inspector.knows(restart, in: index) else { return nil }
        return inspector.access(of: restart, in: index, reader: reader).access
    }
}
