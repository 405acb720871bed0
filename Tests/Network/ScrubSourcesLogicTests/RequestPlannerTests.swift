import ScrubSourcesLogic
import ScrubTestSupport
import Testing

@Suite("Plans of requests")
struct RequestPlannerTests {
    private func link(delay: Int64, rate: Int64) -> LinkEstimator {
        var link = LinkEstimator()
        link.answered(after: delay, connect: delay)
        link.transferred(rate, in: 1_000_000_000)
        return link
    }

    private func all(_ range: Range<Int64>) -> ByteRanges { ByteRanges(range) }

    @Test func gapsAreWorthWhatTheWaySays() {
        let planner = RequestPlanner()
        // 100 Mbit/s and 50 ms: up to the bytes of a delay; side by side: next to nothing.
        let fast = link(delay: 50_000_000, rate: 12_500_000)
        #expect(planner.worthwhileGap(requests: 4, link: fast) == 4096)
        #expect(planner.worthwhileGap(requests: 8, link: fast) == 312_500)
        #expect((600_000...625_000).contains(planner.worthwhileGap(requests: 400, link: fast)))
        // 10 Mbit/s and 20 ms: 25 kB.
        let slow = link(delay: 20_000_000, rate: 1_250_000)
        #expect((24_000...25_000).contains(planner.worthwhileGap(requests: 400, link: slow)))
        #expect(planner.worthwhileGap(requests: 400, link: LinkEstimator()) == 64 * 1024)
    }

    @Test func mergesTheSmallestGapsFirstAndKeepsTheOrderOfNeed() {
        var planner = RequestPlanner()
        planner.wasteShare = .max
        let needed: [Range<Int64>] = [900_000..<901_000, 0..<1000, 2000..<3000, 60_000..<61_000]
        let plan = planner.plan(needed, absent: all, link: LinkEstimator())
        #expect(plan.requests == [900_000..<901_000, 0..<61_000])
        #expect(plan.wastedBytes == 58_000)
        planner.wasteLimit = 10_000
        let frugal = planner.plan(needed, absent: all, link: LinkEstimator())
        #expect(frugal.requests == [900_000..<901_000, 0..<3000, 60_000..<61_000])
    }

    /// Going back over a film needs the group before this one first, then the one before that.
    @Test func urgentBytesDoNotWaitBehindLaterOnes() {
        let planner = RequestPlanner()
        let groups: [Range<Int64>] = [800_000..<900_000, 400_000..<800_000, 0..<400_000]
        #expect(
            planner.plan(groups, absent: all, link: LinkEstimator()).requests
                == [800_000..<900_000, 400_000..<800_000, 0..<400_000])
        // The other way one request brings them as they are needed.
        #expect(planner.plan(groups.reversed(), absent: all, link: LinkEstimator()).requests == [0..<900_000])
        // The first pictures of groups before what is left of them.
        #expect(
            planner.plan(
                [0..<50_000, 400_000..<440_000, 800_000..<840_000, 0..<400_000, 400_000..<900_000], absent: all,
                link: LinkEstimator()
            ).requests == [0..<400_000, 400_000..<800_000, 800_000..<900_000])
        // A little is read through, and immediate needs do not count.
        #expect(
            planner.plan([60_000..<900_000, 0..<60_000], absent: all, link: LinkEstimator()).requests == [0..<900_000])
        // If much comes in a delay, more of it.
        let fast = link(delay: 50_000_000, rate: 12_500_000)
        #expect(
            planner.plan([400_000..<500_000, 0..<400_000], absent: all, link: fast).requests == [0..<500_000])
    }

    @Test func presentBytesAreNotFetchedToSaveARequest() {
        let there: ByteRanges = [1500..<1600]
        let plan = RequestPlanner().plan(
            [0..<1000, 2000..<3000, 1400..<1700], absent: { ByteRanges($0).subtracting(there) }, link: LinkEstimator())
        #expect(plan.requests.count == 2)
        #expect(plan.requests == [0..<1500, 1600..<3000])
    }

    /// Whatever the ranges, the plan has every byte that is needed and absent, none that is there, and keeps its
    /// limits.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func keepsItsLimits(seed: UInt64) {
        var random = SplitMix(seed &+ 90)
        var planner = RequestPlanner()
        planner.wasteLimit = Int64.random(in: 0...200_000, using: &random)
        planner.requestGoal = Int.random(in: 1...8, using: &random)
        planner.connections = Int.random(in: 1...6, using: &random)
        func some() -> Range<Int64> {
            let start = Int64.random(in: 0..<3_000_000, using: &random)
            return start..<start + Int64.random(in: 1...40_000, using: &random)
        }
        let needed = (0..<Int.random(in: 1...60, using: &random)).map { _ in some() }
        let there = ByteRanges((0..<Int.random(in: 0...10, using: &random)).map { _ in some() })
        let link = link(
            delay: .random(in: 0...200_000_000, using: &random), rate: .random(in: 32_768...(1 << 30), using: &random))
        let plan = planner.plan(needed, absent: { ByteRanges($0).subtracting(there) }, link: link)
        let missing = ByteRanges(needed).subtracting(there)
        let asked = ByteRanges(plan.requests)
        let comment: Comment = "seed \(seed)"
        #expect(missing.subtracting(asked).isEmpty, comment)
        #expect(asked.intersection(there).isEmpty, comment)
        #expect(asked.byteCount == plan.requests.reduce(0) { $0 + Int64($1.count) }, comment)
        #expect(asked.byteCount - missing.byteCount == plan.wastedBytes, comment)
        #expect(plan.wastedBytes <= planner.wasteLimit + missing.byteCount / planner.wasteShare, comment)
        // The first request has the first thing that is needed and missing.
        if let first = needed.lazy.compactMap({ ByteRanges($0).subtracting(there).ranges.first }).first {
            #expect(plan.requests[0].contains(first.lowerBound), comment)
        }
    }
}

@Suite("Tries and pauses")
struct RetryPolicyTests {
    @Test func onlyWhatPassesIsTriedAgain() {
        var random = SplitMix(1)
        let policy = RetryPolicy()
        for status in [401, 403, 404, 410, 416, 200, 301, 501] {
            #expect(policy.pause(after: .status(status, retryAfter: nil), tries: 1, using: &random) == nil)
        }
        for status in [408, 429, 500, 502, 503, 504] {
            #expect(policy.pause(after: .status(status, retryAfter: nil), tries: 3, using: &random) != nil)
            #expect(policy.pause(after: .status(status, retryAfter: nil), tries: 4, using: &random) == nil)
        }
        #expect(policy.pause(after: .refused(hasAnsweredBefore: false), tries: 1, using: &random) == nil)
        #expect(policy.pause(after: .refused(hasAnsweredBefore: true), tries: 1, using: &random) != nil)
    }

    @Test func pausesGrowAndAreAnythingUpToTheirLongest() {
        var random = SplitMix(7)
        let policy = RetryPolicy()
        for tries in 1...3 {
            let pauses = (0..<500).compactMap { _ in policy.pause(after: .timedOut, tries: tries, using: &random) }
            let most: Int64 = 100_000_000 << Int64(tries - 1)
            #expect(pauses.allSatisfy { (0...most).contains($0) })
            #expect(pauses.contains { $0 < most / 10 } && pauses.contains { $0 > most / 10 * 9 })
        }
    }

    @Test func theServersTimeIsKeptUpToALimit() {
        var random = SplitMix(7)
        let policy = RetryPolicy()
        let pause = policy.pause(after: .status(503, retryAfter: 2), tries: 1, using: &random) ?? 0
        #expect((2_000_000_000...2_100_000_000).contains(pause))
        #expect(policy.pause(after: .status(503, retryAfter: 11), tries: 1, using: &random) == nil)
        #expect(policy.pause(after: .status(429, retryAfter: .max), tries: 1, using: &random) == nil)
    }

    @Test func aConnectionThatWasIdleIsTriedAgainAtOnceAndOnce() {
        var random = SplitMix(7)
        let policy = RetryPolicy()
        let lost = RetryPolicy.Cause.connectionLost(beforeFirstByte: true, isFresh: false)
        #expect(policy.pause(after: lost, tries: 1, using: &random) == 0)
        #expect(policy.pause(after: lost, tries: 4, using: &random) == nil)
    }
}
