internal import ScrubIndex

/// A decode plan with the packets that it feeds. Pure.
package struct FeedPlan: Sendable {
    package let plan: DecodePlan
    /// The packets to feed, ascending. Everything from the restart on where nothing finer is proven.
    package let feeds: [Feed]
    /// The table that describes the packets, if that is proven.
    let table: DependencyTable?
    /// Whether something may have been left out, because every header between was understood.
    package var isProven: Bool { table != nil }
    /// Units that are fed so that damage in them is heard.
    let witnesses: [Int]
    /// Pictures of which nothing is proven when they come out on the way: something before them is left out that they
    /// may hang on.
    let unjudged: Range<Int>
    /// Coded pictures that are fed, and between them left out.
    package let (fed, skipped): (Int, Int)

    /// - Parameters:
    ///   - targets: coded pictures, all planned from the same restart as `plan`.
    ///   - table: describes the packets from the restart to the last target, where that is proven.
    ///   - unjudged: pictures that nothing may be left out before, where none of them is a target.
    init(_ plan: DecodePlan, targets: [Int], last: Int, table: DependencyTable?, unjudged: Range<Int> = 0..<0) {
        self.plan = plan
        // Targets may all lie before the plan's own.
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

    /// Returns the number of coded pictures that are fed up to a packet.
    func unitCount(through last: Int) -> Int { feeds[...].unitCount(through: last) }

    /// Why these pictures, for people.
    package var reason: String {
        guard fed > 1 || skipped > 0 else { return plan.reason }
        if !isProven { return plan.reason + "; nothing is left out, because not every header between is understood" }
        return skipped > 0
            ? plan.reason + "; left out is what the frame does not depend on"
            : plan.reason + "; the frame may depend on every picture between"
    }
}

extension ArraySlice<Feed> {
    /// Returns the number of coded pictures that are fed up to a packet.
    func unitCount(through last: Int) -> Int { reduce(0) { $1.picture <= last ? $0 + $1.unitCount : $0 } }
}
