internal import ScrubBitstream
internal import ScrubIndex

/// The proofs of a film's restarts.
package struct RestartSummary: Sendable, Hashable {
    /// By their own picture header, or because each picture of the codec stands alone.
    package var byHeader = 0
    /// By comparing the pictures after them with those of the run from the restart before.
    package var byComparison = 0
    /// Claimed, and found to be none.
    package var refuted = 0
    /// Claimed, and not compared yet.
    package var unproven = 0
    /// Claimed by the container, and their headers not read yet.
    package var unread = 0

    package init() {}

    /// The numbers in a fixed order, as they are saved.
    var counts: [Int] { [byHeader, byComparison, refuted, unproven, unread] }

    /// - Parameter counts: as ``CostSummary/restartKinds`` has them; all 0 when they are not of these kinds.
    package init(counts: [Int]) {
        guard counts.count == 5 else { return }
        (byHeader, byComparison, refuted, unproven, unread) = (counts[0], counts[1], counts[2], counts[3], counts[4])
    }
}

extension SeekPlanner {
    /// Returns the known facts of the film's restarts.
    ///
    /// - Parameter readsHeaders: whether the headers of keyframes are read of which the container's word is all that is
    ///   known so far: one read for each.
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
