internal import ScrubIndex

/// A decode plan with its packets. Pure.
package struct FeedPlan: Sendable {
    package let plan: DecodePlan
    /// The packets to feed, in ascending order: everything from the restart on, unless fewer are proven to be enough.
    package let feeds: [Feed]
    /// The table that describes the packets, if it is proven.
    let table: DependencyTable?
    /// Whether packets may have been skipped, because every header in between was understood.
    package var isProven: Bool { table != nil }
    /// Units that are fed so that damage in them is detected.
    let witnesses: [Int]
    /// Pictures whose correctness is not proven if they are output along the way, because a skipped picture before them
    /// may be their reference.
    let unjudged: Range<Int>
    /// The number of coded pictures that are fed, and the number skipped between them.
    package let (fed, skipped): (Int, Int)

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - targets: coded pictures, all planned from the same restart as `plan`.
    ///   - table: the proven description of the packets from the restart to the last target, if any.
    ///   - unjudged: pictures before which no picture may be skipped, if none of them is a target.
    init(_ plan: DecodePlan, targets: [Int], last: Int, table: DependencyTable?, unjudged: Range<Int> = 0..<0) {
        self.plan = plan
        // The targets may all be before the plan's own.
        let end = targets.max() ?? last
        let found = table.map { ReferenceClosure.witnesses(from: plan.restart, through: end, in: $0) } ?? []
        if let table,
            let feeds = ReferenceClosure.feeds(for: targets, from: plan.restart, in: table, witnesses: found)
        {
            self.feeds = feeds
            self.table = table
            self.unjudged = unjudged
            witnesses = found
            fed = feeds.reduce(0) { $0 + $1.unitCount }
            let all = table.units(of: plan.restart).lowerBound..<table.units(of: last).upperBound
            skipped = all.count - fed
        } else {
            feeds = (plan.restart...last).map { Feed(picture: $0) }
            self.table = nil
            self.unjudged = 0..<0
            witnesses = []
            (fed, skipped) = (feeds.count, 0)
        }
    }

    /// Returns the number of coded pictures fed up to a packet.
    func unitCount(through last: Int) -> Int { feeds[...].unitCount(through: last) }

    /// The reason for these pictures, for people.
    package var reason: String {
        guard fed > 1 || skipped > 0 else { return plan.reason }
        if !isProven {
            return plan.reason + "; nothing is skipped, because some headers in between cannot be interpreted"
        }
        return skipped > 0
            ? plan.reason + "; pictures that the frame does not depend on are skipped"
            : plan.reason + "; the frame may depend on every picture in between"
    }
}

extension ArraySlice<Feed> {
    /// Returns the number of coded pictures fed up to a packet.
    func unitCount(through last: Int) -> Int { reduce(0) { $1.picture <= last ? $0 + $1.unitCount : $0 } }
}
