import ScrubFileIO
import ScrubBitstream
import ScrubDecoding
import ScrubIndex
import Testing

@Suite struct DecodePlannerTests {
    typealias Access = (access: RandomAccess, recoveryCount: Int)

    /// Returns an inspector's answer: the verified kind, or `claim` for a mere claim.
    static func access(_ index: FrameIndex, _ picture: Int, claim: RandomAccess) -> Access {
        let flags = index.pictures.flags[picture]
        guard flags.contains(.verified) else { return (claim, 0) }
        return (flags.randomAccess, Int(index.pictures.recoveryCounts[UInt32(picture)] ?? 0))
    }

    private func plan(
        _ text: String, _ target: Int, recovery: [UInt32: UInt32] = [:], claim: RandomAccess = .none,
        before: Int = .max,
        selfContained: Bool = false
    ) -> DecodePlan {
        let index = SyntheticIndex(text, recovery: recovery).index
        var rejected = RejectedRestarts()
        return DecodePlanner(index).plan(
            forPicture: target, before: before, selfContainedOnly: selfContained, rejected: &rejected
        ) {
            DecodePlannerTests.access(index, $0, claim: claim)
        }
    }

    @Test(
        arguments: [
            // Closed groups.
            ("I0 P3 b1 b2 I4 P7 b5 b6", 0, 0, .restart(.instantaneous)),
            ("I0 P3 b1 b2 I4 P7 b5 b6", 2, 0, .restart(.instantaneous)),
            ("I0 P3 b1 b2 I4 P7 b5 b6", 4, 4, .restart(.instantaneous)),
            ("I0 P3 b1 b2 I4 P7 b5 b6", 6, 4, .restart(.instantaneous)),
            // Open groups: leading pictures need the group before.
            ("I0 P3 b1 b2 O6 b4 b5 P9 b7 b8", 4, 4, .restart(.open)),
            ("I0 P3 b1 b2 O6 b4 b5 P9 b7 b8", 5, 0, .restart(.instantaneous)),
            ("I0 P3 b1 b2 O6 b4 b5 P9 b7 b8", 9, 4, .restart(.open)), ("O2 b0 b1 O5 b3 b4", 4, 0, .restart(.open)),
            ("O2 b0 b1 O5 b3 b4", 1, 0, .streamStart),
            // Inexact restarts never count, nor do restarts that never show, nor missing ones; discarded ones do.
            ("I0 P1 X2 P3", 3, 0, .restart(.instantaneous)), ("X0 P1", 1, 0, .streamStart),
            ("I0 P1 H P2", 3, 0, .restart(.instantaneous)),
            ("I0 P1 M2 P3", 3, 0, .restart(.instantaneous)), ("I0 P1 D2 P3", 3, 2, .restart(.instantaneous)),
            ("P0 P1 P2", 2, 0, .streamStart), ("P0 I1 P2", 0, 0, .streamStart),
            ("P0 I1 P2", 2, 1, .restart(.instantaneous)),
        ] as [(String, Int, Int, DecodePlan.Start)])
    func beginsAtTheLastRestartThatLeadsThere(text: String, target: Int, restart: Int, start: DecodePlan.Start) {
        let plan = plan(text, target)
        #expect(plan.target == target)
        #expect(plan.restart == restart)
        #expect(plan.start == start)
        #expect(plan.last == target)
        #expect(plan.feed == target - restart + 1)
        #expect(!plan.reason.isEmpty)
    }

    @Test(
        arguments: [
            ("I0 P1 G2 P3 P4 P5", 2, 2, 0), ("I0 P1 G2 P3 P4 P5", 2, 3, 0), ("I0 P1 G2 P3 P4 P5", 2, 4, 2),
            ("I0 P1 G2 P3 P4 P5", 2, 5, 2),
            ("I0 P1 G2 P3 P4 P5", 0, 2, 2), ("I0 P1 G2 P3 P4 P5", 9, 5, 0),
            // Disposable pictures and second fields don't count.
            ("I0 P1 G2 b3 b4 P5 P6", 1, 4, 0), ("I0 P1 G2 b3 b4 P5 P6", 1, 5, 2), ("I0 F G1 F P2 F P3 F", 1, 2, 0),
            ("I0 F G1 F P2 F P3 F", 1, 4, 2),
            // The picture that completes the refresh shows after the target.
            ("I0 P1 G2 P5 b3 b4 P6", 1, 4, 0), ("I0 P1 G2 P5 b3 b4 P6", 1, 3, 2), ("I0 P1 G2 P5 b3 b4 P6", 1, 6, 2),
        ] as [(String, UInt32, Int, Int)])
    func aGradualRestartCountsOnceItIsComplete(text: String, count: UInt32, target: Int, restart: Int) {
        let plan = plan(text, target, recovery: [2: count])
        #expect(plan.restart == restart)
        #expect(plan.start == .restart(restart == 0 ? .instantaneous : .gradual))
        #expect(plan.isSelfContained == (restart == 0))
    }

    @Test(
        arguments: [
            (RandomAccess.none, 0, .restart(.instantaneous)), (.inexact, 0, .restart(.instantaneous)),
            (.open, 2, .restart(.open)),
            (.instantaneous, 2, .restart(.instantaneous)), (.gradual, 2, .restart(.gradual)),
        ] as [(RandomAccess, Int, DecodePlan.Start)])
    func aClaimIsAskedAbout(claim: RandomAccess, restart: Int, start: DecodePlan.Start) {
        let plan = plan("I0 P1 K2 P3", 3, claim: claim)
        #expect(plan.restart == restart)
        #expect(plan.start == start)
    }

    @Test(arguments: [("I0 F P1 F", 0, 1), ("I0 F P1 F", 2, 3), ("I0 P1", 1, 1), ("I0 F P2 f b1 f P3", 4, 5)])
    func aSecondFieldIsFedToo(text: String, target: Int, last: Int) {
        #expect(plan(text, target).last == last)
        #expect(plan(text, target).restart == 0)
    }

    @Test func asksForEarlierOrSelfContainedRestarts() {
        let text = "I0 P1 O2 P3 I4 P5 O6 P7"
        #expect(plan(text, 7).restart == 6)
        #expect(plan(text, 7, selfContained: true).restart == 4)
        #expect(plan(text, 7, before: 6).restart == 4)
        #expect(plan(text, 7, before: 4).start == .restart(.open))
        #expect(plan(text, 7, before: 4, selfContained: true).restart == 0)
        #expect(plan(text, 7, before: 0).start == .streamStart)
        #expect(plan("O0 P1", 1, selfContained: true).start == .streamStart)
        #expect(SyntheticIndex(text).index.restarts.map { Int($0) } == [0, 2, 4, 6])
    }
}
